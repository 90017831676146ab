"""From a config to the objects of a run, every field checked before anything runs."""

import dataclasses
import inspect
from typing import Any

import optax

from experiments.config.schema import Config
from pilno_jax import models, operators, problems
from pilno_jax.checks import require, require_choice
from pilno_jax.numerics.precision import in_precision
from pilno_jax.training import batches, causality, objective, optimizers


@dataclasses.dataclass(frozen=True)
class Run:
    """Everything a training run is made of, built from its config."""

    config: Config
    problem: problems.Problem
    model: Any
    loss: objective.Loss
    predict: operators.Predict
    batches: batches.BatchFunction
    optimizer: optax.GradientTransformationExtraArgs


def build(config: Config) -> Run:
    """The run a config describes, or a ValueError that names the offending field."""
    check(config)
    options = config.to_dict()
    problem = _section("problem", problems.make, options["problem"])
    model = _section("model", models.make, options["model"])
    weights = _section("weights", objective.Weights, options["weights"])
    rule = _section("causality", causality.make, _rule_options(options["causality"]))
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
    return Run(
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


def check(config: Config) -> None:
    """Ranges of the fields that no factory of the library checks by itself."""
    train, data = config.train, config.data
    positive = {
        "devices": config.devices,
        "weight_shards": config.weight_shards,
        "data.num_validation": data.num_validation,
        "data.num_test": data.num_test,
        "train.num_train": train.num_train,
        "train.batch_data": train.batch_data,
        "train.accumulate": train.accumulate,
        "train.steps": train.steps,
        "train.learning_rate": train.learning_rate,
        "train.decay_every": train.decay_every,
        "train.steps_per_call": train.steps_per_call,
        "train.max_skipped_in_a_row": train.max_skipped_in_a_row,
    }
    for field, value in positive.items():
        require(value > 0, field, value, "a number above 0")
    not_negative = {
        "seed": config.seed,
        "data.seed": data.seed,
        "train.batch_physics": train.batch_physics,
        "train.warmup": train.warmup,
        "train.weight_decay": train.weight_decay,
        "train.num_virtual": train.num_virtual or 0,
        "train.patience": train.patience or 0,
        "train.clip_norm": train.clip_norm or 0,
    }
    for field, value in not_negative.items():
        require(value >= 0, field, value, "a number >= 0")
    require(
        0 < train.decay_factor <= 1, "train.decay_factor", train.decay_factor, "(0, 1]"
    )
    require(0 <= train.averaging < 1, "train.averaging", train.averaging, "[0, 1)")
    # A run looks up between calls only, and saves only when it looks up.
    for field, unit in (
        ("log_every", "steps_per_call"),
        ("checkpoint_every", "log_every"),
    ):
        value = train[field]
        fits = value > 0 and value % train[unit] == 0
        multiple = f"a positive multiple of train.{unit} = {train[unit]}"
        require(fits, f"train.{field}", value, multiple)
    require_choice("train.optimizer", train.optimizer, optimizers.OPTIMIZERS)
    require_choice("train.schedule", train.schedule, optimizers.SCHEDULES)
    require_choice("train.data_loss", train.data_loss, sorted(objective.DATA_LOSSES))
    losses = sorted(objective.PHYSICS_LOSSES)
    require_choice("train.physics_loss", train.physics_loss, losses)
    if config.evaluation.vary:
        allowed = sorted(set(config.problem) - {"name"})
        require_choice("evaluation.vary", config.evaluation.vary, allowed)


def _section(section: str, make: Any, options: dict[str, Any]) -> Any:
    try:
        return make(**options)
    except ValueError as error:
        raise ValueError(f"{section}: {error}") from None


def _rule_options(options: dict[str, Any]) -> dict[str, Any]:
    """The section holds the fields of every rule; each takes its own."""
    name = options["name"]
    require_choice("causality.name", name, sorted(causality.RULES))
    taken = inspect.signature(causality.RULES[name]).parameters
    return {"name": name, **{field: options[field] for field in taken}}
