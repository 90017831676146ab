"""What a linear evolution equation answers to a source, as constant matrices:

    e_t + A e = r,   e = 0 at the first time.

A mode of A decays by itself, so each has a kernel in time of its own: no system is
solved and no loop runs, the answer is two changes of basis and one small matrix per
mode. Exact for sources that are piecewise linear in time.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
from jaxtyping import Array, Float

from pilno_jax.numerics.grids import Axis

Complex = npt.NDArray[np.complexfloating]


def linear_response(
    matrix: Float[np.ndarray, "n n"], times: Axis
) -> Callable[[Float[Array, "n t"]], Float[Array, "n t"]]:
    """r -> e, of e_t + A e = r from rest.

    Args:
        matrix: A, diagonalisable, whose eigenvalues have no negative real part: -D d_xx
            on the nodes where e is free, say. With A = 0, e is the running integral.
        times: where r is given and e is wanted.
    """
    rates, analysis, synthesis = eigenmodes(matrix)
    kernels = np.stack([_kernel(rate, times) for rate in rates])

    def response(source: Float[Array, "n t"]) -> Float[Array, "n t"]:
        def complex_of(array: Complex) -> jax.Array:
            real, imaginary = (
                jnp.asarray(part, source.dtype) for part in (array.real, array.imag)
            )
            return jax.lax.complex(real, imaginary)

        given = jax.lax.complex(source, jnp.zeros_like(source))
        modes = complex_of(analysis) @ given
        modes = jnp.einsum("kts,ks->kt", complex_of(kernels), modes)
        return (complex_of(synthesis) @ modes).real

    return response


def eigenmodes(matrix: np.ndarray) -> tuple[Complex, Complex, Complex]:
    """Eigenvalues, analysis and synthesis: matrix = Re(synthesis rates analysis).

    Of each conjugate pair one member is kept, with twice the weight.
    """
    # Repeated eigenvalues of a symmetric matrix have orthogonal eigenvectors, which
    # only `eigh` is sure to find.
    symmetric = np.allclose(matrix, matrix.T, atol=1e-12 * np.abs(matrix).max())
    values, columns = (np.linalg.eigh if symmetric else np.linalg.eig)(matrix)
    rates, vectors = np.array(values, np.complex128), np.array(columns, np.complex128)
    upper = rates.imag >= 0.0
    weights = np.where(rates.imag > 0.0, 2.0, 1.0)
    return rates[upper], np.linalg.inv(vectors)[upper], (vectors * weights)[:, upper]


def _kernel(rate: complex, times: Axis) -> Complex:
    """The matrix from a source to the answer of e' + rate e = r, e(0) = 0.

    Over a step h on which r is linear, e is known exactly:
    e_1 = exp(-z) e_0 + h (w_0 r_0 + w_1 r_1) with z = rate h.
    """
    n, h = times.num_points, times.spacing
    z = rate * h
    first, second = _phi_functions(-z)
    steps = np.zeros((n, n), complex)
    steps[np.arange(1, n), np.arange(n - 1)] = h * (first - second)
    steps[np.arange(1, n), np.arange(1, n)] = h * second
    age = np.subtract.outer(np.arange(n), np.arange(n))
    decay = np.where(age >= 0, np.exp(-z * np.maximum(age, 0)), 0.0)
    return decay @ steps


def _phi_functions(z: complex) -> tuple[complex, complex]:
    """(e^z - 1) / z and (e^z - 1 - z) / z^2; near 0 by their series."""
    if abs(z) < 1e-3:
        return 1 + z / 2 + z**2 / 6, 0.5 + z / 6 + z**2 / 24
    return (np.exp(z) - 1) / z, (np.exp(z) - 1 - z) / z**2
