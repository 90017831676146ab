"""Norms for the Darcy residual, each built for a grid and a source.

All three are 1 at u = 0. Of u = (1 - e) u*, with u* the solution, the first two are
e^2: "l2" in the strong norm, which sees little but the roughest part of an error,
"h-1" in a norm equivalent to the energy's. "energy" is e^2 above its own minimum.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from pilno_jax.checks import require
from pilno_jax.numerics.grids import Grid
from pilno_jax.numerics.norms import mean_square
from pilno_jax.numerics.poisson import (
    laplacian_eigenvalues,
    sine_transform,
    solve_poisson,
    unit_membrane,
)
from pilno_jax.problems.base import Measure


def l2(grid: Grid, source: float) -> Measure:
    """The mean square of the residual, relative to the source's."""
    del grid

    def measure(residual: jax.Array, u: Any = None, inputs: Any = None) -> jax.Array:
        del u, inputs
        return mean_square(residual) / source**2

    return measure


def h_minus_one(grid: Grid, source: float) -> Measure:
    """<r, (-Laplace_h)^-1 r> / <f, (-Laplace_h)^-1 f>, by Parseval one transform."""
    n = grid.shape[0]

    def measure(residual: jax.Array, u: Any = None, inputs: Any = None) -> jax.Array:
        del u, inputs
        weights = jnp.asarray(1.0 / laplacian_eigenvalues(n), residual.dtype)
        scale = source**2 * float(unit_membrane(n).sum())
        return jnp.sum(weights * sine_transform(residual) ** 2) / scale

    return measure


def poisson_error(residual: jax.Array, u: Any = None, inputs: Any = None) -> jax.Array:
    """The answer of the medium a = 1 to the residual, zero on the boundary.

    Of a medium of values around a it is about a times the error.
    """
    del u, inputs
    return jnp.pad(solve_poisson(residual), 1)


def energy(grid: Grid, source: float) -> Measure:
    """1 + 2 E(u) / M, with the Ritz functional E(u) = sum(a |grad u|^2 / 2 - f u) h^2.

    E(u) = |u - u*|^2 / 2 - |u*|^2 / 2 in the energy norm. M >= |u*|^2 is the
    complementary energy of the flux that solves the problem for a = 1, so the measure
    is never negative: at the solution it is 1 - |u*|^2 / M, which differs from medium
    to medium, and an error adds its square, relative to M.
    """
    n = grid.shape[0]

    def measure(residual: jax.Array, u: Any = None, inputs: Any = None) -> jax.Array:
        del residual
        missing = [name for name, x in (("u", u), ("inputs", inputs)) if x is None]
        require(not missing, "missing", missing, "u and inputs: energy is no norm of r")
        squared_spacing = 1.0 / (n - 1) ** 2
        a_x, a_y = inputs["a_x"], inputs["a_y"]
        membrane = source * unit_membrane(n)
        flux_x = jnp.asarray(np.diff(membrane[:, 1:-1], axis=0) ** 2, u.dtype)
        flux_y = jnp.asarray(np.diff(membrane[1:-1], axis=1) ** 2, u.dtype)
        bound = jnp.sum(flux_x / a_x) + jnp.sum(flux_y / a_y)
        gradient_x = jnp.sum(a_x * jnp.diff(u[:, 1:-1], axis=0) ** 2)
        gradient_y = jnp.sum(a_y * jnp.diff(u[1:-1], axis=1) ** 2)
        work = source * squared_spacing * jnp.sum(u[1:-1, 1:-1])
        return 1.0 + (gradient_x + gradient_y - 2 * work) / bound

    return measure


MEASURES = {"h-1": h_minus_one, "energy": energy, "l2": l2}
