"""From a config to the objects of a run."""

import dataclasses
import inspect
from typing import Any

import optax

from experiments.config.schema import Causality, RunConfig
from pilno_jax import models, operators, problems
from pilno_jax.checks import ArgumentError
from pilno_jax.numerics.precision import in_precision
from pilno_jax.training import batches, causality, objective, optimizers


@dataclasses.dataclass(frozen=True)
class BuiltRun:
    """Everything a training run is made of, built from its config."""

    config: RunConfig
    problem: problems.Problem
    model: Any
    loss: objective.Loss
    predict: operators.Predict
    batches: batches.BatchFunction
    optimizer: optax.GradientTransformationExtraArgs


def build(config: RunConfig) -> BuiltRun:
    """The run a config describes, or an ArgumentError that names the section.

    The config has checked its own fields; problem and model check theirs here.
    """
    problem = _section("problem", problems.make, config.problem.to_dict())
    model = _section("model", models.make, config.model.to_dict())
    weights = objective.Weights(**config.weights.to_dict())
    rule = causality_rule(config.causality)
    apply = in_precision(model.apply, config.matmul_precision)
    train = config.train
    rate = optimizers.schedule(
        train.schedule,
        train.learning_rate,
        train.steps,
        warmup=train.warmup,
        decay_every=train.decay_every,
        decay_factor=train.decay_factor,
    )
    return BuiltRun(
        config=config,
        problem=problem,
        model=model,
        loss=objective.objective(
            problem,
            apply,
            weights,
            rule,
            data_loss=train.data_loss,
            physics_loss=train.physics_loss,
        ),
        predict=operators.predictor(problem, apply),
        batches=batches.batches(
            problem,
            num_train=train.num_train,
            batch_data=train.batch_data,
            batch_physics=train.batch_physics if weights.physics else 0,
            num_virtual=train.num_virtual,
        ),
        optimizer=optimizers.optimizer(
            train.optimizer,
            rate,
            weight_decay=train.weight_decay,
            clip_norm=train.clip_norm,
        ),
    )


def causality_rule(section: Causality) -> causality.Rule:
    """The section holds the parameters of every rule; each takes its own."""
    taken = inspect.signature(causality.RULES[section.name]).parameters
    options = {name: getattr(section, name) for name in taken}
    return causality.make(section.name, **options)


def _section(section: str, make: Any, options: dict[str, Any]) -> Any:
    try:
        return make(**options)
    except ArgumentError as error:
        raise ArgumentError(f"{section}: {error}") from error
