"""The paper's recipes at their own length: what is trained, what is printed of it.

An epoch is a pass over the virtual inputs, or, where there are none, over the labels;
every training has 1000 of them, a rate that is halved every 100, and stops after 500
without a better validation error.

The paper writes squared norms. Beside Adam's weight decay it matters whether they are
sums over the nodes or means, see `printed_reasons`; they are sums here unless a name
says so.
"""

import dataclasses
import math
from collections.abc import Iterator, Mapping

from experiments.paper import printed
from experiments.paper.baselines import EVEN_IN_TIME, LABELS_ONLY
from experiments.paper.printed_reasons import (
    FEW_LABELS,
    FNO,
    FORCED,
    MANY_LABELS,
    MEANS,
    RATE,
    SMALL,
    SMALL_START,
    UNDECAYED,
)
from experiments.suite.protocols import PROTOCOLS, Changes
from experiments.suite.registry import TestLaw, fields_of
from experiments.suite.run_spec import RunSpec

EPOCHS = 1000
SHORT = 150  # epochs that tell why an error is missed
ROUGH = TestLaw("length_scale", 0.5)
SMOOTH_LABELS: Changes = {"problem.length_scale": 5.0}
NETWORKS: Mapping[str, Changes] = {
    "ALNO": {},
    "FNO": FNO,
    "LNO": {"model.name": "lno"},
}
# What the paper prints an error of 25 labels alone for, at their own length scale.
FEW = {"Burgers": "burgers", "Reaction-diffusion, forcing": "rd_forcing"}
NODES = "problem.num_x", "problem.num_t"
ONE_BATCH_SMALL = f"one batch, {SMALL}"


@dataclasses.dataclass(frozen=True)
class Training:
    """A training of the paper.

    Args:
        name: the row of the table.
        run: the command and its changes.
        error: that the paper prints; None where it prints none.
        epoch: steps of an epoch.
        law: of the test inputs; None for the run's own.
        epochs: of the whole training. Default: the paper's.
    """

    name: str
    run: RunSpec
    error: float | None
    epoch: int
    law: TestLaw | None = None
    epochs: int = EPOCHS


def trainings() -> list[Training]:
    """All of them, those that tell most for their time first."""
    summed = [*_first(), *_with_equation(), *_other_readings(), *_further()]
    return [*_reasons(), *map(_summed, summed), *_means()]


def _summed(training: Training) -> Training:
    """The same with norms that are sums over the nodes of the grid."""
    recipe = fields_of(training.run.config, training.run.recipe)
    fields = recipe | dict(training.run.changes)
    nodes = math.prod(fields[axis] for axis in NODES)
    weights = [f"weights.{term}" for term in ("data", "pde", "ic", "bc")]
    changes = {name: nodes * fields[name] for name in weights if fields[name]}
    return dataclasses.replace(training, run=training.run.but(changes))


def _means() -> Iterator[Training]:
    """What was trained on means, for comparison."""
    alone = next(_first())
    with_equation = next(_with_equation())
    for training, changes, name in (
        (alone, {}, MEANS),
        (alone, UNDECAYED, f"{MEANS}, no weight decay"),
        (with_equation, UNDECAYED, f"{MEANS}, no weight decay"),
    ):
        yield dataclasses.replace(
            training,
            name=f"{training.name}, {name}",
            run=training.run.but(changes),
        )


def _first() -> Iterator[Training]:
    alone = printed.FEW_LABELS["burgers"].baseline
    yield _labels_alone("Burgers, 25 labels alone", "burgers", 25, 3, {}, alone)
    yield from _backbones(0, batch=20)


def _reasons() -> Iterator[Training]:
    """The beginning of ALNO's training on labels alone, with one thing changed."""
    many = _backbone("ALNO", {}, 0, 20, None)
    few, forced = (
        _summed(_labels_alone(f"{title}, 25 labels alone", config, 25, 3, {}, None))
        for title, config in FEW.items()
    )
    for base, title, reasons in (
        (many, "Burgers, 200 labels alone, ALNO", MANY_LABELS),
        (few, few.name, FEW_LABELS),
        (forced, forced.name, FORCED),
    ):
        for reason, changes in reasons.items():
            run = base.run.but({**changes, "train.steps": SHORT * base.epoch})
            name = f"{title}, {SHORT} epochs: {reason}"
            yield dataclasses.replace(base, name=name, run=run, epochs=SHORT)


def _with_equation() -> Iterator[Training]:
    few, ic = printed.FEW_LABELS, printed.RD_IC_5_TO_HALF
    yield _pilno("Burgers", "burgers", {}, few["burgers"].pilno)
    yield _pilno("Burgers, no TCW", "burgers", EVEN_IN_TIME, None)
    name = "Reaction-diffusion, initial condition, 5 to 0.5"
    yield _pilno(name, "rd_ic", {}, ic.pilno, ROUGH)
    name = f"{name}, 25 labels alone"
    yield _labels_alone(name, "rd_ic", 25, 3, {}, ic.baseline, ROUGH)
    # Two corners of Appendix B's maps, which print no number.
    for name, changes in {
        "Diffusion": {},
        "Diffusion, 5 to 0.5": SMOOTH_LABELS,
    }.items():
        yield _pilno(name, "diffusion", changes, None, ROUGH)
        name = f"{name}, 25 labels alone"
        yield _labels_alone(name, "diffusion", 25, 3, changes, None, ROUGH)
    forcing = "Reaction-diffusion, forcing"
    yield _pilno(forcing, "rd_forcing", {}, few["rd_forcing"].pilno)
    without = printed.NO_TCW_MEAN
    yield _pilno(f"{forcing}, no TCW", "rd_forcing", EVEN_IN_TIME, without)
    alone = few["rd_forcing"].baseline
    yield _labels_alone(f"{forcing}, 25 labels alone", "rd_forcing", 25, 3, {}, alone)


def _other_readings() -> Iterator[Training]:
    """Of labels alone. Appendix E has a batch for training with the equation, and
    "Glorot-normal" may mean torch's function, which takes all modes for one layer."""
    few = printed.FEW_LABELS
    for title, config in FEW.items():
        name = f"{title}, 25 labels alone, {ONE_BATCH_SMALL}"
        yield _labels_alone(name, config, 25, 25, SMALL_START, few[config].baseline)
    for name, changes in NETWORKS.items():
        small = {**changes, **SMALL_START}
        title = f"{name}, {SMALL}"
        yield _backbone(title, small, 0, 20, printed.BACKBONES[name])
    # What took most of ALNO's error, see `printed_reasons`.
    for name in ("ALNO", "FNO"):
        both = {**NETWORKS[name], **RATE, **SMALL_START}
        title = f"{name}, a tenth of the rate, {SMALL}"
        yield _backbone(title, both, 0, 20, printed.BACKBONES[name])


def _further() -> Iterator[Training]:
    yield from _backbones(0, batch=3)
    for seed in (1, 2):
        yield from _backbones(seed, batch=20)


def _backbones(seed: int, batch: int) -> Iterator[Training]:
    for name, changes in NETWORKS.items():
        yield _backbone(name, changes, seed, batch, printed.BACKBONES[name])


def _backbone(
    name: str, changes: Changes, seed: int, batch: int, error: float | None
) -> Training:
    """Appendix A: 200 labels of Burgers, in batches whose size it does not say."""
    title = f"Burgers, 200 labels alone, {name}, batches of {batch}"
    seeded = {**changes, "seed": seed} if seed else changes
    title += f", seed {seed}" if seed else ""
    return _labels_alone(title, "burgers", 200, batch, seeded, error)


def _pilno(
    name: str,
    config: str,
    changes: Changes,
    error: float | None,
    law: TestLaw | None = None,
) -> Training:
    run = PROTOCOLS["paper"].run(config, changes)
    return Training(
        name, run, error, fields_of(config, "paper")["train.steps"] // EPOCHS, law
    )


def _labels_alone(
    name: str,
    config: str,
    labels: int,
    batch: int,
    changes: Changes,
    error: float | None,
    law: TestLaw | None = None,
) -> Training:
    epoch = math.ceil(labels / batch)
    schedule = {
        "train.num_train": labels,
        "train.batch_data": batch,
        "train.batch_physics": 0,
        "train.steps": EPOCHS * epoch,
        "train.decay_every": EPOCHS // 10 * epoch,
        "train.patience": EPOCHS // 2 * epoch,
    }
    own = {**LABELS_ONLY, **EVEN_IN_TIME, **schedule, **changes}
    return Training(name, PROTOCOLS["paper"].run(config, own), error, epoch, law)


def is_main(training: Training) -> bool:
    """Whether it is a recipe as it is printed, but for norms that are sums."""
    changes = dict(training.run.changes)
    summed = all(field.startswith("weights.") for field in changes)
    return training.epochs == EPOCHS and summed and changes.get("weights.pde", 0) > 0
