"""The objective of a corrector: what it leaves of what the stages before it left.

    total = w_data mean(data / data_before) + mean(physics / physics_before)
            + w_virtual mean(physics_virtual / physics_virtual_before)

where physics is the weighted sum of a sample's residual and soft constraints. Relative
to what was there, hard and easy samples count alike, and the loss of every stage starts
at about one. A batch of a stage carries the fields that it corrects, `before` of the
labelled inputs and `virtual_before`: no gradient reaches the stages that made them.
"""

import jax
import jax.numpy as jnp

from pilno_jax.operators import Apply, Params, corrector
from pilno_jax.problems.base import Problem
from pilno_jax.training import causality
from pilno_jax.training.objective import (
    Batch,
    DataLoss,
    Loss,
    PhysicsLoss,
    Scalar,
    Terms,
    Weights,
    all_inputs,
    means,
    sample_terms,
    weighted_sum,
)


def stage_objective(
    problem: Problem,
    apply: Apply,
    weights: Weights | None = None,
    rule: causality.Rule | None = None,
    data_loss: str | DataLoss = "relative",
    physics_loss: str | PhysicsLoss = "root",
) -> Loss:
    """The pure function (params, batch) -> (total, terms) that a corrector minimises.

    Terms are those of the corrected field, unweighted and not relative, so that they
    can be compared from stage to stage.

    Args:
        problem: the PDE family.
        apply: the corrector's network, see `operators.corrector`.
        weights: of the terms; None takes the defaults of `Weights`.
        rule: weights in time of the residual, see `causality`; None: all times alike.
        data_loss: distance of a field from its label, see `objective`.
        physics_loss: see `objective.physics`. "root" (the default) makes ratios of
            norms, not of squares.
    """
    weights = weights or Weights()
    correct = corrector(problem, apply)
    measure = sample_terms(problem, weights, rule, data_loss, physics_loss)

    def loss(params: Params, batch: Batch) -> tuple[Scalar, Terms]:
        inputs, before = all_inputs(batch, weights), _fields_before(batch, weights)
        left = jax.lax.stop_gradient(measure(before, inputs, batch))
        values = measure(correct(params, inputs, before), inputs, batch)
        before_that = _grouped(left, weights)
        ratios = {
            name: one / jnp.maximum(before_that[name], jnp.finfo(one.dtype).tiny)
            for name, one in _grouped(values, weights).items()
        }
        return _total(means(ratios, batch), weights), means(values, batch)

    return loss


def _fields_before(batch: Batch, weights: Weights) -> jax.Array:
    """In the order of `all_inputs`."""
    parts = [batch["before"]] if "labels" in batch else []
    if "virtual" in batch and weights.physics:
        parts.append(batch["virtual_before"])
    return jnp.concatenate(parts)


def _grouped(values: dict[str, jax.Array], weights: Weights) -> dict[str, jax.Array]:
    """Each sample's data term, and the weighted sum of its physics."""
    physics = {k: v for k, v in values.items() if k != "data"}
    virtual = {k: v for k, v in physics.items() if k.endswith("_virtual")}
    labelled = {k: v for k, v in physics.items() if k not in virtual}
    groups = {"physics": labelled, "physics_virtual": virtual}
    summed = {k: weighted_sum(v, weights) for k, v in groups.items() if v}
    return {k: v for k, v in values.items() if k == "data"} | summed


def _total(ratios: Terms, weights: Weights) -> Scalar:
    factors = {"data": weights.data, "physics": 1.0, "physics_virtual": weights.virtual}
    first, *others = (factors[name] * value for name, value in ratios.items())
    return sum(others, first)
