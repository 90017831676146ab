"""Correct until the operator's own estimate of its error is small enough."""

import functools
from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from pilno_jax.operators.error_sizes import Sizes, choose
from pilno_jax.operators.predictor import Params
from pilno_jax.operators.stages import Correct, Fields
from pilno_jax.problems.base import Inputs

Tolerance = float | Float[Array, ""]

# Where corrections still shrink after so many, they no longer pay.
MOST_APPLICATIONS = 10


class Corrected(NamedTuple):
    """Fields after some corrections, and what is known of their errors.

    Attributes:
        u: the fields, (batch, *grid).
        size: what the residual tells of each one's relative error.
        applications: how often the corrector was applied.
    """

    u: Fields
    size: Float[Array, " batch"]
    applications: Int[Array, " batch"]


def correct_until(
    correct: Correct, sizes: Sizes, most_applications: int = MOST_APPLICATIONS
) -> Callable[[Params, Inputs, Fields, Tolerance], Corrected]:
    """(params, inputs, u, tolerance) -> fields corrected until they are good enough.

    A sample is left alone once its size is below the tolerance, or no longer falls:
    then the field before the last correction was the better one, and is returned.

    Args:
        correct: the last corrector of an operator, `operators.corrector`.
        sizes: of errors, `error_sizes`.
        most_applications: where to stop in any case. Default 10; corrections that work
            at all are done after 2 to 5.
    """

    def until(
        params: Params, inputs: Inputs, u: Fields, tolerance: Tolerance
    ) -> Corrected:
        def goes_on(state: tuple[Corrected, jax.Array]) -> jax.Array:
            best, active = state
            return jnp.any(active & (best.applications < most_applications))

        def apply_once(state: tuple) -> tuple[Corrected, jax.Array]:
            best, active = state
            better = correct(params, inputs, best.u)
            size = sizes(inputs, better)
            falls = active & (size < best.size)
            following = Corrected(better, size, best.applications + 1)
            best = Corrected(*map(functools.partial(choose, falls), following, best))
            return best, falls & (size > tolerance)

        size = sizes(inputs, u)
        start = Corrected(u, size, jnp.zeros(len(u), jnp.int32))
        return jax.lax.while_loop(goes_on, apply_once, (start, size > tolerance))[0]

    return until
