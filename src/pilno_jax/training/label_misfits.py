"""What least squares see of a network: its misfits at the labels, node by node."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from pilno_jax.numerics.marching import Guide
from pilno_jax.operators import Apply, Params, predictor
from pilno_jax.problems.base import Inputs, Problem
from pilno_jax.training.levenberg_marquardt import Misfits
from pilno_jax.training.objective import Batch


def label_misfits(problem: Problem, apply: Apply, guided: bool = False) -> Misfits:
    """(params, batch, pull) -> u minus labels, over each label's norm, times second.

    For `levenberg_marquardt`, whose sum of squares is that of the relative errors.

    Args:
        problem: the PDE family.
        apply: see `objective`; if guided, with a `Guide` as a fourth argument.
        guided: whether labels pull a network that marches. Default False: the pull
            changes nothing.
    """

    def misfits(
        params: Params, batch: Batch, pull: Any
    ) -> Float[Array, "samples times nodes"]:
        labels, inputs = batch["labels"], batch["inputs"]
        called = apply
        if guided:
            guide = Guide(jax.vmap(_asked_for(problem))(labels, inputs), pull)
            called = lambda *arguments: apply(*arguments, guide)  # noqa: E731
        u = predictor(problem, called)(params, inputs)
        apart = jax.vmap(lambda a, b: (a - b) / jnp.linalg.norm(b))(
            problem.restrict(u), labels
        )
        axis = problem.time_axis
        times = 1 if axis is None else labels.shape[1 + axis]
        apart = apart if axis is None else jnp.moveaxis(apart, 1 + axis, 1)
        return apart.reshape(len(labels), times, -1)

    return misfits


def _asked_for(problem: Problem) -> Callable[[jax.Array, Inputs], jax.Array]:
    """(u, inputs) -> what a network has to answer for u to come out of `constrain`.

    Hard constraints are straight in it, node by node; where they leave it no choice it
    may answer anything, say 0.
    """

    def asked_for(u: jax.Array, inputs: Inputs) -> jax.Array:
        nothing = problem.constrain(jnp.zeros_like(u), inputs)
        slope = problem.constrain(jnp.ones_like(u), inputs) - nothing
        free = slope != 0
        raw = jnp.where(free, (u - nothing) / jnp.where(free, slope, 1), 0)
        return raw if problem.fields else raw[..., None]

    return asked_for
