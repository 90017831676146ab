"""What a run can be told: every field with its default, meaning and range.

`RunConfig` is the whole; it cannot be changed, only copied with changes
(`config.changed({"train.steps": 100})`), and a copy is checked like the original.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any, ClassVar

from experiments.config.problem_and_model import ModelSection, ProblemSection
from experiments.config.settings import (
    ABOVE_ONE,
    ABOVE_ZERO,
    BELOW_ONE,
    FRACTION,
    NOT_NEGATIVE,
    PART_OF_A_PATH,
    SEED,
    Section,
    of_kind,
    one_of,
    require_known,
    section,
    setting,
)
from pilno_jax.checks import require, require_choice
from pilno_jax.numerics.precision import PRECISIONS
from pilno_jax.training import causality, objective, optimizers


@dataclasses.dataclass(frozen=True, kw_only=True)
class Data(Section):
    """The labelled sets that judge a run."""

    section_name: ClassVar[str] = "data"

    num_validation: int = setting(
        50, "Solved inputs that choose the best checkpoint.", ABOVE_ZERO
    )
    num_test: int = setting(
        100, "Solved inputs that the reported error is measured on.", ABOVE_ZERO
    )
    seed: int = setting(
        2026,
        "Seed of these sets, which are the same for every training seed.",
        SEED,
    )
    train_file: str | None = setting(
        None, "File with the inputs and labels to learn from; not set: solved ones."
    )
    validation_file: str | None = setting(
        None, "File with those that choose the best checkpoint; not set: solved ones."
    )
    test_file: str | None = setting(
        None, "File with those that the error is measured on; not set: solved ones."
    )


@dataclasses.dataclass(frozen=True, kw_only=True)
class Train(Section):
    """What the network learns from, and how."""

    section_name: ClassVar[str] = "train"

    num_train: int = setting(
        25, "Labelled inputs to learn from; 0: the equation alone.", NOT_NEGATIVE
    )
    batch_data: int = setting(4, "Labelled inputs in a batch.", ABOVE_ZERO)
    batch_physics: int = setting(
        12, "Virtual inputs in a batch, which have no labels.", NOT_NEGATIVE
    )
    accumulate: int = setting(
        1, "Pieces a batch is cut into, one in memory at a time.", ABOVE_ZERO
    )
    num_virtual: int | None = setting(
        None,
        "Size of a fixed set of virtual inputs; not set: fresh ones every step.",
        NOT_NEGATIVE,
    )
    steps: int = setting(4000, "Optimiser steps in all.", ABOVE_ZERO)
    data_loss: str = setting(
        "relative",
        "Error on labels: relative L2 norm, or squared L2 norm.",
        one_of(sorted(objective.DATA_LOSSES)),
    )
    physics_loss: str = setting(
        "root",
        "The residual's squared norm, or its root.",
        one_of(sorted(objective.PHYSICS_LOSSES)),
    )
    optimizer: str = setting(
        "adam", "What turns gradients into steps.", one_of(optimizers.OPTIMIZERS)
    )
    learning_rate: float = setting(1e-2, "The schedule's highest rate.", ABOVE_ZERO)
    schedule: str = setting(
        "cosine", "How the learning rate falls.", one_of(optimizers.SCHEDULES)
    )
    warmup: int = setting(
        100, "Steps in which the cosine schedule's rate rises from 0.", NOT_NEGATIVE
    )
    decay_every: int = setting(
        2000, "Steps between two falls of the step schedule.", ABOVE_ZERO
    )
    decay_factor: float = setting(
        0.5, "What each fall multiplies the step schedule's rate by.", FRACTION
    )
    weight_decay: float = setting(
        0.0, "Pull of parameters towards 0; with adam as an L2 penalty.", NOT_NEGATIVE
    )
    clip_norm: float | None = setting(
        None,
        "Gradients longer than this are shortened to it; not set: none are.",
        NOT_NEGATIVE,
    )
    averaging: float = setting(
        0.0,
        "Decay of the running mean of parameters that is evaluated; 0: no mean.",
        BELOW_ONE,
    )
    patience: int | None = setting(
        None,
        "Steps without a better validation error that end the run; not set: never.",
        NOT_NEGATIVE,
    )
    start_from: str = setting(
        "", "Workdir of a run whose best parameters come first; empty: random ones."
    )
    steps_per_call: int = setting(
        10, "Steps in one compiled call; results do not depend on it.", ABOVE_ZERO
    )
    log_every: int = setting(50, "Steps between two rows of metrics.jsonl.", ABOVE_ZERO)
    checkpoint_every: int = setting(
        500, "Steps between two checkpoints, each with a validation.", ABOVE_ZERO
    )
    max_skipped_in_a_row: int = setting(
        50,
        "Steps in a row without a finite gradient that end the run.",
        ABOVE_ZERO,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        # Metrics are read between compiled calls, checkpoints written with metrics.
        for field, unit in (
            ("log_every", "steps_per_call"),
            ("checkpoint_every", "log_every"),
        ):
            value, step = getattr(self, field), getattr(self, unit)
            multiple = f"a positive multiple of {self.path(unit)} = {step}"
            require(value % step == 0, self.path(field), value, multiple)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Stages(Section):
    """Correctors of what the first network leaves, see `pilno_jax.operators.stages`."""

    section_name: ClassVar[str] = "stages"

    steps: tuple[int, ...] = setting(
        (), "Optimiser steps of each corrector; empty: the first network alone."
    )
    width: tuple[int, ...] = setting(
        (), "Width of each corrector's network; empty: that of the first network."
    )
    last_applied: int = setting(
        1, "How often a prediction applies the last corrector.", ABOVE_ZERO
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        for field in ("steps", "width"):
            values = getattr(self, field)
            allowed = "numbers above 0"
            require(all(n > 0 for n in values), self.path(field), values, allowed)
        fits = len(self.width) in (0, len(self.steps))
        allowed = f"one number for each of the {len(self.steps)} correctors, or none"
        require(fits, self.path("width"), self.width, allowed)

    @property
    def count(self) -> int:
        """Of the networks, the first one included."""
        return 1 + len(self.steps)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Weights(Section):
    """How much each term of the loss counts.

    A handful of labels is soon known by heart, fresh virtual inputs never are: hence
    little weight on the former.
    """

    section_name: ClassVar[str] = "weights"

    data: float = setting(0.2, "Weight of the error on labels.", NOT_NEGATIVE)
    pde: float = setting(1.0, "Weight of the equation's residual.", NOT_NEGATIVE)
    ic: float = setting(10.0, "Weight of a soft initial condition.", NOT_NEGATIVE)
    bc: float = setting(1.0, "Weight of a soft boundary condition.", NOT_NEGATIVE)
    virtual: float = setting(
        3.0,
        "Further factor on the physics terms of virtual inputs.",
        NOT_NEGATIVE,
    )


@dataclasses.dataclass(frozen=True, kw_only=True)
class Causality(Section):
    """Weights in time, see `pilno_jax.training.causality`."""

    section_name: ClassVar[str] = "causality"

    name: str = setting(
        "uniform",
        "The rule that weighs times; the other fields are parameters of rules.",
        one_of(sorted(causality.RULES)),
    )
    rate: float = setting(
        5.0, "Decay per unit of time, exponential and inverse rule.", ABOVE_ZERO
    )
    cutoff: float = setting(0.5, "Where early times end, piecewise rule.", ABOVE_ZERO)
    ratio: float = setting(
        10.0, "Early weight over late weight, piecewise rule.", ABOVE_ONE
    )
    epsilon: float = setting(
        1.0, "How strictly early times come first, adaptive rule.", ABOVE_ZERO
    )


@dataclasses.dataclass(frozen=True, kw_only=True)
class Evaluation(Section):
    """Further laws that the trained operator is tested on."""

    section_name: ClassVar[str] = "evaluation"

    vary: str = setting(
        "", "The field of `problem` that these laws change; empty: no such laws."
    )
    over: tuple[int | float | str, ...] = setting(
        (), "The values of that field, one law each."
    )


@dataclasses.dataclass(frozen=True, kw_only=True)
class RunConfig(Section):
    """Everything that decides what a run computes."""

    recipe: str = setting(
        "fast",
        "Name of the recipe, which reports carry.",
        PART_OF_A_PATH,
    )
    seed: int = setting(0, "Seed of training set, parameters and batches.", SEED)
    devices: int = setting(
        1, "Devices of each process, which share every batch.", ABOVE_ZERO
    )
    weight_shards: int = setting(
        1, "How many of the devices share the mixing weights.", ABOVE_ZERO
    )
    matmul_precision: str = setting(
        "default",
        "Precision of the network's matrix products; residuals are float32.",
        one_of(PRECISIONS),
    )
    problem: ProblemSection = dataclasses.field(
        metadata={"meaning": "The equation: arguments of its factory in `problems`."}
    )
    model: ModelSection = dataclasses.field(
        metadata={"meaning": "The network: fields of its module in `models`."}
    )
    data: Data = section(Data, "The labelled sets that judge a run.")
    train: Train = section(Train, "What the network learns from, and how.")
    stages: Stages = section(Stages, "Correctors of what the first network leaves.")
    weights: Weights = section(Weights, "How much each term of the loss counts.")
    causality: Causality = section(Causality, "Weights in time.")
    evaluation: Evaluation = section(Evaluation, "Further laws to be tested on.")

    def __post_init__(self) -> None:
        super().__post_init__()
        weights = self.weights
        learns = weights.pde > 0 or weights.ic > 0 or weights.bc > 0
        learns = learns and self.train.batch_physics > 0
        allowed = "a number above 0 where no virtual input teaches the equation"
        labels = self.train.num_train
        require(learns or labels > 0, "train.num_train", labels, allowed)
        if self.data.train_file is not None:
            allowed = "a number above 0, how many samples data.train_file gives"
            require(labels > 0, "train.num_train", labels, allowed)
        if vary := self.evaluation.vary:
            require_choice("evaluation.vary", vary, sorted(self.problem.options))
            # Tested last, these laws would otherwise fail when all is trained.
            kind = self.problem.arguments(self.problem.name)[vary].kind
            for value in self.evaluation.over:
                of_kind("evaluation.over", value, kind)

    def changed(self, changes: Mapping[str, Any]) -> "RunConfig":
        """A copy with `{"section.field": value}` set, checked as a whole.

        Another `model.name` keeps the values of the fields that both models have.
        """
        sections = self.to_dict()
        for path, value in changes.items():
            value_at(sections, path)
            *section, field = path.split(".")
            fields = value_at(sections, section[0]) if section else sections
            fields[field] = value
        return settled(sections)


def value_at(sections: Mapping[str, Any], path: str) -> Any:
    """What `path`, "section.field" or "field", holds; an error if there is no such."""
    value: Any = sections
    for name in path.split("."):
        require_known(path, name, value if isinstance(value, Mapping) else ())
        value = value[name]
    return value


def settled(sections: Mapping[str, Any]) -> RunConfig:
    """The config of sections whose `model.name` may be another's than the fields."""
    model = ModelSection.settled(sections["model"])
    return RunConfig.from_dict({**sections, "model": model.to_dict()})
