"""The error that leaves a residual, to first order: forced KdV linearised about u.

    e_t + (u e)_x + beta e_xxx = r,   e = 0 at t = 0 and x = -L, L,   e_x(L) = 0.

`norms.dispersive_response` leaves the advection out, which travelling pulses do not
forgive: over the times asked for here they cross the whole interval.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from pilno_jax.numerics.grids import Grid
from pilno_jax.problems.base import ErrorOf, Inputs
from pilno_jax.problems.forced_kdv.differences import Differences
from pilno_jax.problems.forced_kdv.norms import IMPLICITNESS


def linearised_error(grid: Grid, differences: Differences) -> ErrorOf:
    """The answer of the linearised equation on the whole grid.

    Theta-scheme in t as `norms.dispersive_response` has it. Each step solves a dense
    system of the inner nodes, for all samples of a batch at once.

    Args:
        grid: of the problem, (x, t).
        differences: those of errors are taken.
    """
    dispersion, d_x = differences.error_third, differences.error_first
    theta, dt = IMPLICITNESS, grid.axes[1].spacing

    def error_of(
        residual: Float[Array, "x t"], u: Float[Array, "x t"], inputs: Inputs
    ) -> Float[Array, "x t"]:
        slope = jnp.asarray(d_x, u.dtype)
        spread = inputs["beta"] * jnp.asarray(dispersion, u.dtype)
        unit = jnp.eye(len(d_x), dtype=u.dtype)

        def operator(velocity: jax.Array) -> jax.Array:
            return spread + slope * velocity[None, :]

        def advance(e, step):
            before, now, push = step
            explicit = e - (1.0 - theta) * dt * (operator(before) @ e)
            system = unit + theta * dt * operator(now)
            e = jnp.linalg.solve(system, explicit + dt * push)
            return e, e

        velocity, source = u[1:-1].T, residual[1:-1].T
        push = (1.0 - theta) * source[:-1] + theta * source[1:]
        steps = (velocity[:-1], velocity[1:], push)
        _, later = jax.lax.scan(advance, jnp.zeros_like(velocity[0]), steps)
        return jnp.pad(later.T, ((1, 1), (1, 0)))

    return error_of
