"""Refine at test time: the equation alone improves a trained operator on given inputs.

    refine = refiner(problem, predictor(problem, model.apply), steps=200)
    refined, losses = refine(params, {"u0": u0})

For inputs unlike those of the training. No label is used; the operator that comes back
is good for these inputs and may be worse for others. Adam on the root of the residual
with a cosine schedule.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float

from pilno_jax import operators
from pilno_jax.checks import require_positive
from pilno_jax.problems.base import Inputs, Problem
from pilno_jax.training import causality, objective

Refine = Callable[
    [operators.Params, Inputs], tuple[operators.Params, Float[Array, " steps"]]
]


def refiner(
    problem: Problem,
    predict: operators.Predict,
    steps: int = 200,
    *,
    learning_rate: float = 3e-3,
    weights: objective.Weights | None = None,
    physics_loss: str | objective.PhysicsLoss = "root",
) -> Refine:
    """(params, batch of inputs) -> (params, losses), compiled once for many inputs.

    The parameters that come back are those of the smallest loss, which is never above
    that of the parameters given; `losses` are those before each step.

    Args:
        problem: its residual, measure and soft constraints.
        predict: (params, inputs) -> u, `operators.predictor(problem, apply)` say.
        steps: of Adam; a few hundred.
        learning_rate: of the first step; a cosine takes it to zero.
        weights: of the physics terms; None takes the defaults of `objective.Weights`.
            `data` and `virtual` do not matter here.
        physics_loss: see `objective.physics`.
    """
    require_positive(steps=steps, learning_rate=learning_rate)
    weights = weights or objective.Weights()
    physics_terms = jax.vmap(
        objective.physics(problem, causality.uniform(), physics_loss)
    )
    optimizer = optax.adam(optax.cosine_decay_schedule(learning_rate, steps))

    def refine(params: operators.Params, inputs: Inputs):
        def loss(params: operators.Params) -> jax.Array:
            terms = physics_terms(predict(params, inputs), inputs)
            return objective.weighted_sum(jax.tree.map(jnp.mean, terms), weights)

        def better(best: Any, params: operators.Params, value: jax.Array) -> Any:
            improves = value < best[1]
            return jax.tree.map(
                lambda new, old: jnp.where(improves, new, old), (params, value), best
            )

        def step(carry: Any, _: None):
            params, state, best = carry
            value, gradient = jax.value_and_grad(loss)(params)
            best = better(best, params, value)
            updates, state = optimizer.update(gradient, state, params)
            return (optax.apply_updates(params, updates), state, best), value

        start = params, optimizer.init(params), (params, jnp.inf)
        (last, _, best), losses = jax.lax.scan(step, start, length=steps)
        return better(best, last, loss(last))[0], losses

    return jax.jit(refine)
