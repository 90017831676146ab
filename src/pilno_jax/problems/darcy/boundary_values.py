"""Pressure on the boundary of Darcy flow as an input, hard by a lifting.

    u = g on the boundary,   u = G + w,   -div(a grad w) = f + div(a grad G).

g is given on the nodes of the boundary, 4 (n - 1) of them, along a walk from (0, 0) by
(1, 0), (1, 1) and (0, 1). G blends the four sides linearly between opposite ones
(transfinite interpolation), for any a.
"""

import dataclasses
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from pilno_jax.checks import require_fields
from pilno_jax.numerics.poisson import solve_poisson
from pilno_jax.problems.base import InputField, Inputs, Problem
from pilno_jax.problems.boundary_data import with_boundary_data
from pilno_jax.problems.darcy.boundary_law import BoundaryLaw
from pilno_jax.problems.darcy.medium import face_coefficients
from pilno_jax.problems.darcy.solver import flow, solve_flow

DECLARED = {
    "g": InputField(symbol="$g$"),
    "g_fine": InputField(symbol="$g$ on the fine grid"),
}


def lifting(g: Float[Array, " boundary"]) -> Float[Array, "n n"]:
    """G on all nodes, with g on the boundary.

    Args:
        g: on the 4 (n - 1) nodes of the boundary.
    """
    m = len(g) // 4
    around = jnp.concatenate([g, g[:1]])
    bottom, right, top, left = (around[k * m : k * m + m + 1] for k in range(4))
    top, left = top[::-1], left[::-1]
    s = jnp.asarray(np.linspace(0.0, 1.0, m + 1), g.dtype)
    x, y = s[:, None], s[None, :]
    across = (1 - x) * left[None, :] + x * right[None, :]
    upwards = (1 - y) * bottom[:, None] + y * top[:, None]
    corners = (1 - x) * ((1 - y) * g[0] + y * left[-1])
    corners = corners + x * ((1 - y) * g[m] + y * g[2 * m])
    return across + upwards - corners


class BoundaryPressure(BoundaryLaw):
    """The law of g; see `BoundaryLaw` for the arguments."""

    name: ClassVar[str] = "g"

    @property
    def stated(self) -> str:
        return rf"u = {'g' if self.sigma else '0'} \text{{ on the boundary}}"

    def nodes(self, num_points: int) -> int:
        return 4 * (num_points - 1)

    def imposed_on(self, problem: Problem, source: float) -> Problem:
        if not self.sigma:
            return problem
        n, fine = self.num_points, self.num_fine
        shapes = {"g": (4 * (n - 1),)}

        def lifted(inputs: Inputs) -> jax.Array:
            require_fields(inputs, shapes)
            return lifting(jnp.asarray(inputs["g"]))

        def channels(inputs: Inputs) -> jax.Array:
            both = [lifted(inputs), self._first_response(lifted(inputs), inputs)]
            return jnp.stack(both, -1) / self.unit

        def solve(inputs: Inputs) -> jax.Array:
            shapes = {"a_fine": (fine, fine), "g_fine": (4 * (fine - 1),)}
            require_fields(inputs, shapes)
            a_x, a_y = face_coefficients(inputs["a_fine"], fine)
            boundary = lifting(jnp.asarray(inputs["g_fine"]))
            right = source - flow(boundary, a_x, a_y)
            stride = (fine - 1) // (n - 1)
            u = boundary + solve_flow(a_x, a_y, source=right)
            return u[::stride, ::stride]

        def complete(edited: Inputs) -> Inputs:
            return problem.complete(edited) | self.completed(edited)

        with_data = with_boundary_data(
            problem,
            draw=self.draw,
            lifting=lifted,
            channels=channels,
            declared=DECLARED,
        )
        enough = (*problem.enough, "g_fine")
        return dataclasses.replace(
            with_data, solve=solve, complete=complete, enough=enough
        )

    def _first_response(self, boundary: jax.Array, inputs: Inputs) -> jax.Array:
        """What the flow adds to G, to lowest order: it has kinks along interfaces."""
        a_x, a_y = inputs["a_x"], inputs["a_y"]
        left = -flow(boundary, a_x, a_y)
        direction = solve_poisson(left)
        work = jnp.vdot(direction, flow(jnp.pad(direction, 1), a_x, a_y))
        length = jnp.vdot(left, direction) / jnp.where(work > 0, work, 1.0)
        return length * jnp.pad(direction, 1)
