"""Initial and boundary values as a field of their own, and as hard constraints."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from pilno_jax.numerics.grids import Grid
from pilno_jax.problems.base import Inputs

FADING_TIME = 0.5
LIFTING_DEGREE = 8  # which `_eighth_power` takes


def lifting(grid: Grid) -> Callable[[Inputs], jax.Array]:
    """inputs -> a field with the given u(x, 0), u(-L, t), u(L, t) and u_x(L, t).

    u0 fades over `FADING_TIME`; the edges are met by polynomials in s = (x + L) / 2L
    that carry one value or slope each and reach about 2L / `LIFTING_DEGREE` inwards,
    a pulse's width, since a value at the edge says nothing of the far side.
    """
    degree, width = LIFTING_DEGREE, grid.axes[0].extent
    s = grid.axes[0].scaled[:, None]
    from_left, right = _eighth_power(1.0 - s), _eighth_power(s)
    from_right = right * (1.0 + degree * (1.0 - s))
    from_slope = width * right * (s - 1.0)
    fading = _fading(grid)

    def lift(inputs: Inputs) -> jax.Array:
        u0 = inputs["u0"]
        start_slope = inputs["ux_right"][0]
        left = inputs["u_left"] - fading * u0[0]
        right = inputs["u_right"] - fading * u0[-1]
        slope = inputs["ux_right"] - fading * start_slope
        edges = from_left * left[None, :] + from_right * right[None, :]
        return fading[None, :] * u0[:, None] + edges + from_slope * slope[None, :]

    return lift


def constrained(
    grid: Grid, height: Callable[[Inputs], Any], hard: tuple[str, ...]
) -> Callable[[jax.Array, Inputs], jax.Array]:
    """(raw, inputs) -> u = lifting + (1 - fading(t)) mollifier(x) height raw.

    The mollifier has a simple zero on the left and a double one on the right, so
    that raw cannot touch u(-L), u(L) and u_x(L), and is 1 elsewhere.

    Args:
        grid: the nodes.
        height: inputs -> u of a network output of 1.
        hard: the constraints that are built in: (), ("ic",) or ("ic", "bc").
    """
    s = grid.axes[0].scaled[:, None]
    from_edge = LIFTING_DEGREE * s, LIFTING_DEGREE * (1.0 - s)
    mollifier = -jnp.expm1(-from_edge[0]) * jnp.expm1(-from_edge[1]) ** 2
    fading = _fading(grid)[None, :]
    lift = lifting(grid)

    def constrain(raw: jax.Array, inputs: Inputs) -> jax.Array:
        free = height(inputs) * raw
        if not hard:
            return free
        if "bc" not in hard:
            return fading * inputs["u0"][:, None] + (1.0 - fading) * free
        return lift(inputs) + (1.0 - fading) * mollifier * free

    return constrain


def _eighth_power(s: np.ndarray) -> np.ndarray:
    """By products, as JAX takes it; NumPy's power rounds otherwise."""
    return ((s**2) ** 2) ** 2


def _fading(grid: Grid) -> Float[Array, " t"]:
    """From 1 at t = 0 to 0: what is left of the initial values in the lifting."""
    return jnp.exp(-grid.coordinates[1] / FADING_TIME)
