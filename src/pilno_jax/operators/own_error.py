"""A corrector knows how wrong a field is: its error is about what it would change.

    error of u  ~  |u - correct(u)| / |correct(u)|

No label and no solver goes into it, and where the corrector is applied anyway it costs
nothing. `correct_until` applies it as long as this error falls.
"""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from pilno_jax.numerics.norms import relative_l2
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
        error: the estimate of each one's relative L2 error.
        applications: how often the corrector was applied.
    """

    u: Fields
    error: Float[Array, " batch"]
    applications: Int[Array, " batch"]


def error_of_fields(correct: Correct) -> Callable[[Params, Inputs, Fields], jax.Array]:
    """(params, inputs, u) -> the relative size of one more correction, per sample.

    Args:
        correct: the last corrector of an operator, `operators.corrector`.
    """

    def error(params: Params, inputs: Inputs, u: Fields) -> Float[Array, " batch"]:
        return jax.vmap(relative_l2)(u, correct(params, inputs, u))

    return error


def correct_until(
    correct: Correct, most_applications: int = MOST_APPLICATIONS
) -> Callable[[Params, Inputs, Fields, Tolerance], Corrected]:
    """(params, inputs, u, tolerance) -> fields corrected until they are good enough.

    A sample is left alone once its error is below the tolerance, or no longer falls:
    then the field before the last correction was the better one, and is returned.

    Args:
        correct: the last corrector of an operator, `operators.corrector`.
        most_applications: where to stop in any case. Default 10; corrections that work
            at all are done after 2 to 5.
    """

    def until(
        params: Params, inputs: Inputs, u: Fields, tolerance: Tolerance
    ) -> Corrected:
        def measured(u: Fields) -> tuple[Fields, jax.Array]:
            better = correct(params, inputs, u)
            return better, jax.vmap(relative_l2)(u, better)

        def goes_on(state: tuple) -> jax.Array:
            _, _, active, count = state
            return jnp.any(active) & jnp.all(count < most_applications)

        def apply_once(state: tuple) -> tuple:
            best, candidate, active, count = state
            following, error = measured(candidate)
            falls = active & (error < best.error)
            chosen = _choose(falls, Corrected(candidate, error, count + 1), best)
            return chosen, following, falls & (error > tolerance), count + 1

        candidate, error = measured(u)
        count = jnp.zeros(len(u), jnp.int32)
        start = Corrected(u, error, count), candidate, error > tolerance, count
        return jax.lax.while_loop(goes_on, apply_once, start)[0]

    return until


def _choose(which: jax.Array, first: Corrected, second: Corrected) -> Corrected:
    """Sample by sample."""

    def choose(a: jax.Array, b: jax.Array) -> jax.Array:
        return jnp.where(which.reshape((-1,) + (1,) * (a.ndim - 1)), a, b)

    return Corrected(*(choose(a, b) for a, b in zip(first, second, strict=True)))
