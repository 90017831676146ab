"""Exponential time differencing: of u' = L u + N(u), the linear part is exact.

For stiff L that acts on every Fourier mode by itself, such as diffusion: the step is
bounded by what N does, not by the fastest decay.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Complex, Float

from pilno_jax.numerics.complex_numbers import as_complex
from pilno_jax.numerics.time_stepping import Step

CONTOUR_POINTS = 32


def etdrk4(
    rates: Float[np.ndarray, "*modes"],
    nonlinear: Callable[[jax.Array], jax.Array],
    dt: float,
) -> Step:
    """One step of order 4 (Cox and Matthews, J. Comput. Phys. 176, 2002).

    Its coefficients are quotients that cancel for slow modes; as Kassam and Trefethen
    (SIAM J. Sci. Comput. 26, 2005), they are means over a circle around each rate.

    Args:
        rates: L of each mode, negative where it decays.
        nonlinear: modes -> N of them, as modes.
        dt: the step.
    """
    z = dt * np.asarray(rates, np.float64)
    circle = np.exp(2j * np.pi * (np.arange(CONTOUR_POINTS) + 0.5) / CONTOUR_POINTS)
    around = z[..., None] + circle

    def mean(values: np.ndarray) -> np.ndarray:
        return dt * values.mean(-1).real

    grown = np.exp(around)
    half = mean((np.exp(around / 2) - 1) / around)
    cube = around**3
    first = mean((-4 - around + grown * (4 - 3 * around + around**2)) / cube)
    middle = mean((2 + around + grown * (around - 2)) / cube)
    last = mean((-4 - 3 * around - around**2 + grown * (4 - around)) / cube)

    def step(modes: Complex[Array, "*modes"]) -> Complex[Array, "*modes"]:
        def times(factors: np.ndarray, values: jax.Array) -> jax.Array:
            return as_complex(jnp.asarray(factors, values.real.dtype)) * values

        decayed = times(np.exp(z / 2), modes)
        n_0 = nonlinear(modes)
        a = decayed + times(half, n_0)
        n_a = nonlinear(a)
        n_b = nonlinear(decayed + times(half, n_a))
        c = times(np.exp(z / 2), a) + times(half, 2 * n_b - n_0)
        change = times(first, n_0) + times(2 * middle, n_a + n_b)
        return times(np.exp(z), modes) + change + times(last, nonlinear(c))

    return step
