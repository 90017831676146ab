"""Refine at test time: the equation alone improves a trained operator on given inputs.

    refined, record = refine(run, {"u0": u0}, steps=200)
    u = refined.predict({"u0": u0})

For inputs unlike those of the training. No label is used; the operator that comes back
is good for these inputs and may be worse for others. Adam on the root of the residual
with a cosine schedule: on four Burgers inputs far out of distribution, 400 of its
steps ended more than ten times below 200 of L-BFGS, in less than half the time.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import optax

from pilno_jax import operators
from pilno_jax.checks import require_positive
from pilno_jax.problems.base import Inputs, Problem
from pilno_jax.training import causality, objective

Refine = Callable[[operators.Params, Inputs], tuple[operators.Params, jax.Array]]


def refiner(
    problem: Problem,
    apply: operators.Apply,
    steps: int = 200,
    *,
    learning_rate: float = 3e-3,
    weights: objective.Weights | None = None,
    physics_loss: str = "root",
) -> Refine:
    """(params, batch of inputs) -> (params, losses), compiled once for many inputs.

    The parameters returned are those of the smallest loss, so never worse by it than
    those given.
    """
    require_positive(steps=steps, learning_rate=learning_rate)
    weights = weights or objective.Weights()
    predict = operators.predictor(problem, apply)
    terms = jax.vmap(objective.physics(problem, causality.uniform(), physics_loss))
    optimizer = optax.adam(optax.cosine_decay_schedule(learning_rate, steps))

    def refine(params: operators.Params, inputs: Inputs):
        def loss(params: operators.Params) -> jax.Array:
            found = terms(predict(params, inputs), inputs)
            return sum(
                (getattr(weights, name) * jnp.mean(found[name]) for name in found),
                jnp.zeros(()),
            )

        def keep(best: Any, params: operators.Params, value: jax.Array) -> Any:
            better = value < best[1]
            return jax.tree.map(
                lambda new, old: jnp.where(better, new, old), (params, value), best
            )

        def step(carry: Any, _: None):
            params, state, best = carry
            value, gradient = jax.value_and_grad(loss)(params)
            best = keep(best, params, value)
            updates, state = optimizer.update(gradient, state, params)
            return (optax.apply_updates(params, updates), state, best), value

        start = params, optimizer.init(params), (params, jnp.inf)
        (last, _, best), losses = jax.lax.scan(step, start, length=steps)
        return keep(best, last, loss(last))[0], losses

    return jax.jit(refine)
