"""What a linear evolution equation answers to a source, as constant matrices:

    e_t + A e = r,   e = 0 at the first time.

A mode of A decays by itself, so each has a kernel in time of its own: no system is
solved and no loop runs, the answer is two changes of basis and one small matrix per
mode. Exact for sources that are piecewise linear in time. Where A is a fixed matrix
times a number that is known only when the program runs, its modes are still fixed and
only their rates scale: `scaled_response`.
"""

import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
from jaxtyping import Array, Float, Inexact

from pilno_jax.numerics.complex_numbers import as_complex
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
    kernels = np.stack([response_kernel(rate, times) for rate in rates])

    def response(source: Float[Array, "n t"]) -> Float[Array, "n t"]:
        given = jax.lax.complex(source, jnp.zeros_like(source))
        modes = _constant(analysis, source) @ given
        modes = jnp.einsum("kts,ks->kt", _constant(kernels, source), modes)
        return (_constant(synthesis, source) @ modes).real

    return response


def scaled_response(
    matrix: Float[np.ndarray, "n n"], times: Axis
) -> Callable[[Float[Array, "n t"], Any], Float[Array, "n t"]]:
    """(r, c) -> e, of e_t + c A e = r from rest, with a number c that may be traced.

    Args:
        matrix: A, as in `linear_response`.
        times: where r is given and e is wanted.
    """
    rates, analysis, synthesis = eigenmodes(matrix)
    n, h = times.num_points, times.spacing
    # What a source did in the step from node i has, at node j, the age j - 1 - i.
    ages = np.subtract.outer(np.arange(n), np.arange(1, n))

    def response(source: Float[Array, "n t"], factor: Any) -> Float[Array, "n t"]:
        given = jax.lax.complex(source, jnp.zeros_like(source))
        modes = _constant(analysis, source) @ given
        factor = as_complex(jnp.asarray(factor, source.dtype))
        z = factor * _constant(rates * h, source)
        decays = jnp.exp(-z[:, None] * _constant(np.arange(n) + 0j, source)[None])
        kernels = jnp.where(ages[None] >= 0, decays[:, np.maximum(ages, 0)], 0.0)
        first, second = (h * phi[:, None] for phi in traced_phi_functions(-z))
        forced = (first - second) * modes[:, :-1] + second * modes[:, 1:]
        modes = jnp.einsum("kts,ks->kt", kernels, forced)
        return (_constant(synthesis, source) @ modes).real

    return response


def _constant(array: Complex, like: jax.Array) -> jax.Array:
    """A complex array in the precision of a real one."""
    real, imaginary = (
        jnp.asarray(part, like.dtype) for part in (array.real, array.imag)
    )
    return jax.lax.complex(real, imaginary)


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


def response_kernel(rate: complex, times: Axis) -> Complex:
    """The matrix from a source to the answer of e' + rate e = r, e(0) = 0.

    Over a step h on which r is linear, e is known exactly:
    e_1 = exp(-z) e_0 + h (w_0 r_0 + w_1 r_1) with z = rate h.

    Args:
        rate: of one mode.
        times: the nodes in time.
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


SERIES_TERMS = 16  # up to |z| = 1 the next one is below 1e-16


def traced_phi_functions(
    z: Inexact[Array, " k"],
) -> tuple[Inexact[Array, " k"], Inexact[Array, " k"]]:
    """(e^z - 1) / z and (e^z - 1 - z) / z^2 of arrays in any precision.

    Args:
        z: where |z| < 1 the quotients would lose digits; there a series is used.
    """
    small = jnp.abs(z) < 1.0
    near, far = jnp.where(small, z, 0.0), jnp.where(small, 1.0, z)
    # phi_2 = sum z^j / (j + 2)!, by Horner's rule; phi_1 = 1 + z phi_2.
    second = jnp.zeros_like(z)
    for j in reversed(range(SERIES_TERMS)):
        second = second * near + 1.0 / math.factorial(j + 2)
    first = 1.0 + near * second
    quotient = (jnp.exp(far) - 1.0) / far
    return (
        jnp.where(small, first, quotient),
        jnp.where(small, second, (quotient - 1.0) / far),
    )
