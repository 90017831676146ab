"""Levenberg and Marquardt's method, for networks of a few hundred parameters.

A step solves the least-squares problem that the misfits r(p) pose where they are
straight,

    (J^T J + d diag(J^T J)) step = -J^T r,    J = dr/dp,

on all parameters at once. The damping d falls after a step that helps and grows after
one that does not, which is not taken. What a gradient would need tens of thousands of
steps for, a valley that is bent and narrow, takes it a few hundred; but J has a column
for every parameter.

Systems that march through time are learned from the start on: of a trajectory that
went astray early the later misfit tells nothing. Only times before a horizon count, and
it moves on whenever the misfit before it is small.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Float

# (params, batch) -> differences from the labels, each sample's of size one where the
# network answers 0.
Misfits = Callable[[Any, Mapping[str, Any]], Float[Array, "samples times nodes"]]

DAMPING = 1.0  # of the first step; the order of one, since it is relative
LEAST, MOST = 1e-7, 1e4
AFTER_HELP, AFTER_HARM = 1 / 3, 4.0
# Of the mean diagonal, for parameters that change nothing yet.
FLOOR = 1e-7
# Shares of the time axis: what counts at first, and what is added in a step.
FIRST_HORIZON, PACE = 0.1, 0.02
KNOWN = 0.1  # misfit before the horizon at which it moves on


class Trust(NamedTuple):
    """How careful a step is, and up to which share of the times misfits count."""

    damping: Float[Array, ""]
    horizon: Float[Array, ""]


def levenberg_marquardt(misfits: Misfits) -> optax.GradientTransformationExtraArgs:
    """An optimiser for `training.training_step`, which hands it the batch.

    Args:
        misfits: see `objective.label_misfits`. The loss itself is not looked at.
    """

    def init(params: Any) -> Trust:
        del params
        return Trust(jnp.asarray(DAMPING), jnp.asarray(FIRST_HORIZON))

    def update(
        updates: Any, state: Any, params: Any = None, **told: Any
    ) -> tuple[Any, Trust]:
        del updates
        batch = told["batch"]
        flat, unravel = ravel_pytree(params)

        def rows(x: jax.Array) -> jax.Array:
            found = misfits(unravel(x), batch)
            samples, times, _ = found.shape
            shares = jnp.arange(times, dtype=state.horizon.dtype) / times
            counts = (shares < state.horizon)[:, None]
            return jnp.where(counts, found, 0).ravel() / math.sqrt(samples)

        here, along = jax.linearize(rows, flat)
        jacobian = jax.vmap(along)(jnp.eye(flat.size, dtype=flat.dtype))
        step = _damped(jacobian, here, state.damping)
        before, after = jnp.sum(here**2), jnp.sum(rows(flat + step) ** 2)
        helps = after < before  # and so neither is NaN
        factor = jnp.where(helps, AFTER_HELP, AFTER_HARM)
        farther = jnp.where(before < KNOWN**2, PACE, 0.0)
        state = Trust(
            jnp.clip(state.damping * factor, LEAST, MOST),
            jnp.minimum(state.horizon + farther, 1.0),
        )
        return unravel(jnp.where(helps, step, 0)), state

    return optax.GradientTransformationExtraArgs(init, update)


def _damped(
    jacobian: Float[Array, "params rows"],
    misfit: Float[Array, " rows"],
    damping: Float[Array, ""],
) -> Float[Array, " params"]:
    """The damped step, NaN where rounding leaves no solution."""
    product = jax.lax.Precision.HIGHEST  # squares what is badly conditioned
    normal = jnp.matmul(jacobian, jacobian.T, precision=product)
    slope = jnp.matmul(jacobian, misfit, precision=product)
    own = jnp.diag(normal)
    damped = normal + jnp.diag(damping * own + FLOOR * jnp.mean(own))
    return -jax.scipy.linalg.cho_solve((jnp.linalg.cholesky(damped), True), slope)
