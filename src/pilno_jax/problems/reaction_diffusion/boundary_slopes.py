"""Slopes of u at both ends as inputs of Task "forcing": Neumann's condition.

    u_x(0, t) = g_left,  u_x(1, t) = g_right,  u(x, 0) = l(x) = g_left (x - x^2 / 2)
                                                               + g_right x^2 / 2.

The parabola l has these slopes, and is where u starts. What is added to it starts from
zero and is flat at both ends: the network's output on the inner nodes, which the values
at the ends follow. (To take the slopes of an output away, by cubics say, would spread
what differences make of its roughness over all of x.) Slopes are those of one-sided
differences, so that what is hard and what penalties and solver ask for are the same on
every grid.
"""

from collections.abc import Callable
from typing import ClassVar

import jax
import numpy as np
from jaxtyping import Float

from pilno_jax.numerics.derivatives import along, derivative
from pilno_jax.numerics.grids import Axis, Grid
from pilno_jax.problems.base import ErrorOf, Inputs
from pilno_jax.problems.coefficients import Coefficient
from pilno_jax.problems.reaction_diffusion.boundary_values import (
    BoundaryValues,
    FreePart,
)


class BoundarySlopes(BoundaryValues):
    """What u_x is at both ends; see `BoundaryValues` for the arguments."""

    names: ClassVar[tuple[str, str]] = ("slope_left", "slope_right")
    symbols: ClassVar[tuple[str, str]] = ("$u_x(0)$", "$u_x(1)$")
    zero: ClassVar[str] = (
        r"u = 0 \text{ at the start},\quad u_x = 0 \text{ at both ends}"
    )
    given: ClassVar[str] = r"u \text{ starts from the parabola of the slopes}"

    def lifting(self, left: jax.Array, right: jax.Array, x: np.ndarray) -> jax.Array:
        return left * (x - x**2 / 2) + right * x**2 / 2

    def held(self, x: Axis) -> Callable[[jax.Array], jax.Array]:
        flat = flat_continuation(x, accuracy=4)
        return lambda rates: along(flat, rates[1:-1], 0)

    def penalty(self, x: Axis) -> Callable[[jax.Array, Inputs], jax.Array]:
        at_ends = derivative(x, 1, accuracy=6)[[0, -1]]
        return lambda u, inputs: along(at_ends, u, 0)

    def free_part(self, grid: Grid, mollifier: str, d: Coefficient) -> FreePart:
        """No mollifier: it would prescribe values, where the slope is prescribed."""
        del mollifier, d
        x, t = grid.axes
        flat = flat_continuation(x, accuracy=6)

        def free(raw: jax.Array, inputs: Inputs) -> jax.Array:
            del inputs
            return along(flat, raw[1:-1], 0) * t.coordinates.astype(raw.dtype)[None]

        return free

    def error_of(self, d: Coefficient, d_xx: np.ndarray, grid: Grid) -> ErrorOf:
        x, t = grid.axes
        flat = flat_continuation(x, accuracy=6)
        inside = d.response_error(-d_xx[1:-1] @ flat, t)

        def error_of(residual: jax.Array, u: jax.Array, inputs: Inputs) -> jax.Array:
            error = inside(residual, u, inputs)[1:-1]
            return along(flat, error, 0)

        return error_of


def flat_continuation(x: Axis, accuracy: int) -> Float[np.ndarray, "n inner"]:
    """The matrix from inner nodes to all, so that slopes at both ends are zero.

    Args:
        x: a closed axis of more than accuracy + 1 nodes.
        accuracy: of the slopes, an even order.
    """
    inner = np.eye(x.num_points)[:, 1:-1]
    slopes = derivative(x, 1, accuracy)
    for end in (0, -1):
        inner[end] = -slopes[end, 1:-1] / slopes[end, end]
    return inner
