"""What a linear system of evolution equations on a torus answers to a source:

    e_t - D Laplace e - J e = r,   e = 0 at the first time,

with one diffusivity for each field and a constant matrix J that couples them. Fourier
modes do not see each other, so each has a small system of its own, whose kernel in
time is a constant: `linear_response` for several fields, in any number of dimensions.
"""

from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from pilno_jax.numerics.grids import Axis
from pilno_jax.numerics.linear_response import response_kernel

# Condition of the eigenvectors beyond which double precision has lost nine digits.
DEFECTIVE = 1e6

Fields = Float[Array, "*space t fields"]


def square_wavenumbers(space: Sequence[Axis]) -> np.ndarray:
    """|k|^2 of the modes that `rfftn` has on these axes: minus the Laplacian's symbol.

    Args:
        space: periodic axes.
    """
    frequencies = [
        (np.fft.rfftfreq if axis is space[-1] else np.fft.fftfreq)(
            axis.num_points, axis.spacing
        )
        for axis in space
    ]
    mesh = np.meshgrid(*frequencies, indexing="ij")
    return (2 * np.pi) ** 2 * np.sum(np.square(mesh), axis=0)


def system_response(
    space: Sequence[Axis],
    times: Axis,
    diffusivities: Sequence[float],
    coupling: Float[np.ndarray, "n n"],
) -> Callable[[Fields], Fields]:
    """r -> e, both (*space, t, fields).

    Args:
        space: periodic axes.
        times: where r is given and e is wanted.
        diffusivities: D of each field.
        coupling: J; where it makes modes grow, so does e.
    """
    square = square_wavenumbers(space)
    matrices = square[..., None, None] * np.diag(diffusivities) - coupling
    rates, vectors = _eigensystems(matrices)
    every_rate = rates.astype(complex).ravel()
    of_modes = np.stack([response_kernel(rate, times) for rate in every_rate])
    of_modes = of_modes.reshape(*rates.shape, *of_modes.shape[1:])
    kernels = np.einsum(
        "...ij,...jts,...jk->...tiks", vectors, of_modes, np.linalg.inv(vectors)
    ).real
    axes, shape = tuple(range(len(space))), [axis.num_points for axis in space]

    def response(source: Fields) -> Fields:
        modes = jnp.fft.rfftn(source, axes=axes)
        kernel = jnp.asarray(kernels, source.dtype)
        parts = (
            jnp.einsum("...tiks,...sk->...ti", kernel, part)
            for part in (modes.real, modes.imag)
        )
        answer = jnp.fft.irfftn(jax.lax.complex(*parts), shape, axes=axes)
        return answer.astype(source.dtype)

    return response


def _eigensystems(
    matrices: Float[np.ndarray, "*modes n n"],
) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues and -vectors, the latter far enough from singular to be inverted.

    A defective matrix, such as that of a chain of reactions with equal rates, has too
    few of them. A neighbour at a distance of 1e-9 of its size has all, and what is
    computed from these is off by about that much (Davies, "Approximate
    diagonalization", 2007).
    """
    rates, vectors = np.linalg.eig(matrices)
    defective = np.linalg.cond(vectors) > DEFECTIVE
    if defective.any():
        size = matrices.shape[-1]
        direction = np.random.default_rng(0).standard_normal((size, size))
        chosen = matrices[defective]
        scale = np.linalg.norm(chosen, axis=(-2, -1), keepdims=True)
        rates, vectors = rates.astype(complex), vectors.astype(complex)
        near = np.linalg.eig(chosen + 1e-9 * scale * direction)
        rates[defective], vectors[defective] = near
    return rates, vectors
