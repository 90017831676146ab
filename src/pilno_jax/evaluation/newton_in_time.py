"""Newton's method for what follows from a start, one time after the other.

    correct = newton_in_time(problem)
    u = correct(inputs, predictions)

A step of Newton's method is right where u is nearly right, and may lead anywhere where
it is not: after the time at which an oscillator is out of phase, say. Early times do
not depend on late ones. So a step is taken whole up to the time at which it grows
large, and later ones only in part; the next step starts from there with a longer piece
that is right. It keeps what is best by its own account, `Problem.error_of`.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from pilno_jax.checks import require
from pilno_jax.operators.error_sizes import choose, error_sizes
from pilno_jax.problems.base import Inputs, Problem

TRUSTED = 0.3  # largest step that is taken whole, of `Problem.scale`
STEPS = 20


def newton_in_time(
    problem: Problem, steps: int = STEPS
) -> Callable[[Inputs, Any], np.ndarray]:
    """(inputs, start) -> fields of a batch, corrected by the equation alone.

    In double precision, and with a Jacobian for every sample and step: for grids of a
    few hundred nodes.

    Args:
        problem: whose fields have time for their last axis; `error_of` is zero where
            the equation and the start hold, whatever u is elsewhere.
        steps: of Newton's method. Default 20: starts that are right to a few per cent
            need no more.
    """
    axis, last = problem.time_axis, len(problem.grid.axes) - 1
    require(axis == last, "time_axis", axis, f"{last}, the last one")

    def wrong(u: jax.Array, inputs: Inputs) -> jax.Array:
        return problem.error_of(problem.residual(u, inputs), u, inputs)

    def step(u: jax.Array, inputs: Inputs) -> jax.Array:
        slope = jax.jacfwd(wrong)(u, inputs).reshape(u.size, u.size)
        change = jnp.linalg.solve(slope, wrong(u, inputs).ravel()).reshape(u.shape)
        change = jnp.where(jnp.isfinite(change), change, 0)
        share = share_taken(change, TRUSTED * problem.scale(inputs))
        return u - jnp.broadcast_to(share, u.shape) * change

    sizes = error_sizes(problem)

    @jax.jit
    def corrected(inputs: Inputs, start: jax.Array) -> jax.Array:
        def onwards(_: Any, state: tuple) -> tuple:
            u, best, least = state
            u = jax.vmap(step)(u, inputs)
            size = sizes(inputs, u)
            better = size < least
            return u, choose(better, u, best), jnp.where(better, size, least)

        first = start, start, sizes(inputs, start)
        return jax.lax.fori_loop(0, steps, onwards, first)[1]

    def correct(inputs: Inputs, start: Any) -> np.ndarray:
        with jax.enable_x64(True), jax.numpy_dtype_promotion("standard"):
            double = jax.tree.map(lambda x: np.asarray(x, np.float64), (inputs, start))
            return np.asarray(corrected(*double))

    return correct


def share_taken(
    change: Float[Array, "*space times"], trusted: Float[Array, ""]
) -> Float[Array, " times"]:
    """1 up to the time at which a step grows larger than is trusted, then less.

    Args:
        change: the step.
        trusted: its largest size that is taken whole.
    """
    largest = jnp.max(jnp.abs(change), axis=tuple(range(change.ndim - 1)))
    return trusted / jnp.maximum(jax.lax.cummax(largest), trusted)
