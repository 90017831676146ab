"""Levenberg and Marquardt's method, for networks of a few hundred parameters.

A step solves the least-squares problem that the misfits r(p) pose where they are
straight,

    (J^T J + d diag(J^T J)) step = -J^T r,    J = dr/dp,

on all parameters at once. Of a few dampings d around the last one the step that helps
most is taken, if any does: a trial costs next to nothing beside J, which has a column
for every parameter. What a gradient would need tens of thousands of steps for, a valley
that is bent and narrow, takes it a few hundred.

A network that marches through time is guided. A trajectory that went astray early tells
nothing later, and where small errors grow there is no way down at all. So the labels
pull it back at first, and the pull grows weaker whenever the misfit under it is small.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Float

# (params, batch, pull) -> differences from the labels, each sample's of size one where
# the network answers 0. Networks that cannot be guided do not look at the pull.
Misfits = Callable[[Any, Mapping[str, Any], Any], Float[Array, "samples times nodes"]]

DAMPING = 1.0  # of the first step; the order of one, since it is relative
LEAST, MOST = 1e-7, 1e4
TRIED = (1 / 9, 1 / 3, 1.0, 4.0)  # times the last damping
AFTER_HARM = 16.0
# Of the mean diagonal, for parameters that change nothing yet.
FLOOR = 1e-7
FIRST_PULL, WEAKER, NO_PULL = 1.0, 0.95, 1e-3  # below the last one it is let go
KNOWN = 0.06  # misfit at which the pull grows weaker


class Trust(NamedTuple):
    """How careful a step is, and how strongly labels pull."""

    damping: Float[Array, ""]
    pull: Float[Array, ""]


def levenberg_marquardt(misfits: Misfits) -> optax.GradientTransformationExtraArgs:
    """An optimiser for `training.training_step`, which hands it the batch.

    Args:
        misfits: see `label_misfits`. The loss itself is not looked at.
    """

    def init(params: Any) -> Trust:
        del params
        return Trust(jnp.asarray(DAMPING), jnp.asarray(FIRST_PULL))

    def update(
        updates: Any, state: Any, params: Any = None, **told: Any
    ) -> tuple[Any, Trust]:
        del updates
        batch = told["batch"]
        flat, unravel = ravel_pytree(params)

        def rows(x: jax.Array) -> jax.Array:
            found = misfits(unravel(x), batch, state.pull)
            return found.ravel() / math.sqrt(len(found))

        here, along = jax.linearize(rows, flat)
        jacobian = jax.vmap(along)(jnp.eye(flat.size, dtype=flat.dtype))
        dampings = jnp.clip(state.damping * jnp.array(TRIED), LEAST, MOST)
        step_of = _damped_steps(jacobian, here)
        steps = jax.lax.map(step_of, dampings)
        before = jnp.sum(here**2)
        after = jax.lax.map(lambda step: jnp.sum(rows(flat + step) ** 2), steps)
        after = jnp.where(jnp.isfinite(after), after, jnp.inf)
        best = jnp.argmin(after)
        helps = after[best] < before
        damping = jnp.where(helps, dampings[best], state.damping * AFTER_HARM)
        weaker = jnp.where(state.pull < NO_PULL, 0.0, WEAKER * state.pull)
        pull = jnp.where(before < KNOWN**2, weaker, state.pull)
        state = Trust(jnp.clip(damping, LEAST, MOST), pull)
        return unravel(jnp.where(helps, steps[best], 0)), state

    return optax.GradientTransformationExtraArgs(init, update)


def _damped_steps(
    jacobian: Float[Array, "params rows"], misfit: Float[Array, " rows"]
) -> Callable[[Float[Array, ""]], Float[Array, " params"]]:
    """Damping -> the step, NaN where rounding leaves no solution."""
    product = jax.lax.Precision.HIGHEST  # squares what is badly conditioned
    normal = jnp.matmul(jacobian, jacobian.T, precision=product)
    slope = jnp.matmul(jacobian, misfit, precision=product)
    own = jnp.diag(normal)

    def step(damping: Float[Array, ""]) -> Float[Array, " params"]:
        damped = normal + jnp.diag(damping * own + FLOOR * jnp.mean(own))
        return -jax.scipy.linalg.cho_solve((jnp.linalg.cholesky(damped), True), slope)

    return step
