"""From a config to the objects of a run."""

import dataclasses
import inspect
from collections.abc import Sequence
from typing import Any

import optax

from experiments.config.schema import Causality, RunConfig, Train
from pilno_jax import models, operators, problems
from pilno_jax.checks import ArgumentError, require
from pilno_jax.numerics.precision import in_precision
from pilno_jax.training import batches, causality, objective, optimizers
from pilno_jax.training.label_misfits import label_misfits
from pilno_jax.training.levenberg_marquardt import Misfits
from pilno_jax.training.stage_objective import stage_objective


@dataclasses.dataclass(frozen=True)
class BuiltRun:
    """What the training of one stage is made of, built from its config.

    Args:
        config: of the run, with the steps and the width of this stage.
        stage: 1 for the first network, 2 for its first corrector, and so on.
        problem: the PDE family.
        networks: of this stage and, in front, of the stages before.
        loss: what its training minimises.
        predict: the operator up to this stage: (its parameters, inputs) -> u. Of one
            stage alone the parameters are the network's, of several a tuple of them.
        batches: what it is trained on.
        optimizer: with the schedule of this stage.
        predict_before: the operator up to the stage before; None for the first.
    """

    config: RunConfig
    stage: int
    problem: problems.Problem
    networks: tuple[Any, ...]
    loss: objective.Loss
    predict: operators.Predict
    batches: batches.BatchFunction
    optimizer: optax.GradientTransformationExtraArgs
    predict_before: operators.Predict | None = None

    @property
    def applies(self) -> list[operators.Apply]:
        """The networks in the config's precision."""
        return _applies(self.config, self.networks)

    @property
    def model(self) -> Any:
        """The network of this stage."""
        return self.networks[-1]


def build(config: RunConfig) -> BuiltRun:
    """The first stage that a config describes, for those who train it themselves."""
    return build_stages(config)[0]


def build_stages(config: RunConfig) -> tuple[BuiltRun, ...]:
    """The stages that a config describes, or an ArgumentError that names the section.

    The config has checked its own fields; problem and model check theirs here.
    """
    problem = _section("problem", problems.make, config.problem.to_dict())
    stages: list[BuiltRun] = []
    for number in range(1, config.stages.count + 1):
        stages.append(_stage(_config_of(config, number), problem, stages))
    return tuple(stages)


def _config_of(config: RunConfig, number: int) -> RunConfig:
    """The config with the steps, and the width, of one stage."""
    if number == 1:
        return config
    changes: dict[str, Any] = {"train.steps": config.stages.steps[number - 2]}
    if config.stages.width:
        changes["model.width"] = config.stages.width[number - 2]
    return config.changed(changes)


def _stage(
    config: RunConfig, problem: problems.Problem, before: Sequence[BuiltRun]
) -> BuiltRun:
    model = _section("model", models.make, config.model.to_dict())
    channels, fields = getattr(model, "out_channels", 1), problem.fields
    allowed = "1: u is one field, which no other channel would reach"
    if fields:
        allowed = f"{len(fields)}, a channel for each of {', '.join(fields)}"
    fits = channels == max(len(fields), 1)
    require(fits, "model.out_channels", channels, allowed)
    weights = objective.Weights(**config.weights.to_dict())
    _require_objective(problem, weights, config.train)
    _require_least_squares(config, problem, weights)
    networks = (*(one.model for one in before), model)
    apply = in_precision(model.apply, config.matmul_precision)
    train = config.train
    guided = isinstance(model, models.LoopedLNO)
    make_loss = stage_objective if before else objective.objective
    return BuiltRun(
        config=config,
        stage=len(before) + 1,
        problem=problem,
        networks=networks,
        loss=make_loss(
            problem,
            apply,
            weights,
            causality_rule(config.causality),
            data_loss=train.data_loss,
            physics_loss=train.physics_loss,
        ),
        predict=_operator(config, problem, networks),
        batches=batches.batches(
            problem,
            num_train=train.num_train,
            batch_data=train.batch_data,
            batch_physics=train.batch_physics if weights.physics else 0,
            num_virtual=train.num_virtual,
        ),
        optimizer=_optimizer(train, label_misfits(problem, apply, guided)),
        predict_before=_with_tuple(before) if before else None,
    )


def _require_objective(
    problem: problems.Problem, weights: objective.Weights, train: Train
) -> None:
    """Some term of the loss weighs more than 0, or nothing would be learnt."""
    labelled, virtual = train.num_train > 0, train.batch_physics > 0
    terms = {
        name: weights.of(name)
        for name in objective.term_names(problem)
        if (virtual if objective.is_virtual(name) else labelled)
    }
    allowed = "one above 0 at least"
    require(any(terms.values()), "weights of all terms of the loss", terms, allowed)


def _require_least_squares(
    config: RunConfig, problem: problems.Problem, weights: objective.Weights
) -> None:
    """Levenberg and Marquardt's method sees the labels of one network, nothing else."""
    train, field = config.train, "train.optimizer"
    if train.optimizer == "levenberg-marquardt":
        allowed = (
            "another one where there are correctors, no labels or physics to learn"
        )
        alone = config.stages.count == 1 and train.num_train > 0
        physics = any(weights.of(name) for name in ("pde", *problem.constraints))
        require(alone and not physics, field, train.optimizer, allowed)


def _operator(
    config: RunConfig, problem: problems.Problem, networks: Sequence[Any]
) -> operators.Predict:
    """The stages so far; the last corrector of all is applied as the config says."""
    applies = _applies(config, networks)
    if len(applies) == 1:
        return operators.predictor(problem, applies[0])
    is_last = len(applies) == config.stages.count
    repeats = config.stages.last_applied if is_last else 1
    return operators.staged_predictor(problem, applies, repeats)


def _applies(config: RunConfig, networks: Sequence[Any]) -> list[operators.Apply]:
    precision = config.matmul_precision
    return [in_precision(network.apply, precision) for network in networks]


def _with_tuple(before: Sequence[BuiltRun]) -> operators.Predict:
    """The operator before a stage, always of a tuple of parameters."""
    last = before[-1]
    if last.stage > 1:
        return last.predict
    return lambda params, inputs: last.predict(params[0], inputs)


def _optimizer(train: Train, misfits: Misfits) -> optax.GradientTransformationExtraArgs:
    rate = optimizers.schedule(
        train.schedule,
        train.learning_rate,
        train.steps,
        warmup=train.warmup,
        decay_every=train.decay_every,
        decay_factor=train.decay_factor,
    )
    return optimizers.optimizer(
        train.optimizer,
        rate,
        weight_decay=train.weight_decay,
        clip_norm=train.clip_norm,
        misfits=misfits,
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
