"""What Task "forcing" multiplies the network with: zero where u is prescribed."""

import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from pilno_jax.numerics.grids import Grid
from pilno_jax.problems.base import Inputs
from pilno_jax.problems.coefficients import Coefficient


def start_from_rest(grid: Grid, diffusivity: float) -> np.ndarray:
    """u(x, t) of u_t = D u_xx + 1 from rest, to leading order in time: t g g~ with

        g = 1 - 4 i^2 erfc(xi),   xi = x / sqrt(4 D t),   g~ the same from the far end,

    exact on the half-line. Zero at t = 0 and at both ends, it also carries the
    boundary layer that opens there, which leaves the network with a smooth factor.
    """
    x, t = (np.asarray(axis.coordinates, np.float64) for axis in grid.axes)
    depth = np.sqrt(4 * diffusivity * np.maximum(t, 1e-12))

    def layer(distance: np.ndarray) -> np.ndarray:
        xi = distance[:, None] / depth[None, :]
        tail = 2 / math.sqrt(math.pi) * xi * np.exp(-(xi**2))
        return 1 - (1 + 2 * xi**2) * np.vectorize(math.erfc)(xi) + tail

    return t * layer(x - x[0]) * layer(x[-1] - x)


def traced_start_from_rest(grid: Grid, diffusivity: jax.Array) -> jax.Array:
    """`start_from_rest` of a diffusivity that is known when the program runs."""
    x, t = (jnp.asarray(nodes, diffusivity.dtype) for nodes in grid.coordinates)
    depth = jnp.sqrt(4 * diffusivity * jnp.maximum(t, 1e-12))

    def layer(distance: jax.Array) -> jax.Array:
        xi = distance[:, None] / depth[None, :]
        tail = 2 / math.sqrt(math.pi) * xi * jnp.exp(-(xi**2))
        return 1 - (1 + 2 * xi**2) * jax.scipy.special.erfc(xi) + tail

    return t[None] * layer(x - x[0]) * layer(x[-1] - x)


def product_of_sines(grid: Grid, diffusivity: Any) -> np.ndarray:
    """The paper's m = sin(pi x) sin(pi t / 2): zero there too, but smooth."""
    del diffusivity
    x, t = (np.asarray(scaled, np.float64) for scaled in grid.scaled)
    return np.outer(np.sin(np.pi * x), np.sin(np.pi / 2 * t))


MOLLIFIERS = {"start_from_rest": start_from_rest, "sines": product_of_sines}


def mollifier_of(
    name: str, grid: Grid, diffusivity: Coefficient
) -> Callable[[Inputs], Any]:
    """inputs -> the factor on the grid; a constant where the diffusivity is a number.

    Args:
        name: one of `MOLLIFIERS`.
        grid: of the problem.
        diffusivity: D.
    """
    if diffusivity.is_input and name == "start_from_rest":
        return lambda inputs: traced_start_from_rest(grid, inputs[diffusivity.name])
    constant = MOLLIFIERS[name](grid, diffusivity.lowest)
    return lambda inputs: constant
