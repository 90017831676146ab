"""The paper's recipes at their own length: what is trained, what is printed of it.

An epoch is a pass over the virtual inputs, or, where there are none, over the labels;
every training has 1000 of them, a rate that is halved every 100, and stops after 500
without a better validation error.

The paper writes squared norms. Beside Adam's weight decay it matters whether they are
sums over the nodes or means, see `REASONS`; they are sums here unless a name says so.
"""

import dataclasses
import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pilno_jax
from experiments.config.schema import RunConfig
from experiments.paper import printed
from experiments.paper.baselines import EVEN_IN_TIME, LABELS_ONLY
from experiments.run.data_sets import labelled_set
from experiments.suite.protocols import PROTOCOLS, Changes
from experiments.suite.registry import TestLaw, fields_of
from experiments.suite.run_spec import RunSpec
from pilno_jax.runs import metrics_log

EPOCHS = 1000
# What is cut off after so many is judged as it is: the page tells how little the rest
# moved the others. After 500, most had a quarter to a third of their error to lose.
SETTLED = 800
SHORT = 150  # epochs that tell why an error is missed
RD_IC_LAW = TestLaw("length_scale", 0.5)
NETWORKS: Mapping[str, Changes] = {
    "ALNO": {},
    "FNO": {"model.name": "fno"},
    "LNO": {"model.name": "lno"},
}
# Beginnings of names: those that share one are drawn together.
PANELS = (
    "Burgers, 200 labels alone",
    "Burgers",
    "Reaction-diffusion, initial condition, 5 to 0.5",
    "Reaction-diffusion, forcing",
    "Diffusion",
)
NODES = "problem.num_x", "problem.num_t"
MEANS = "means over nodes"
UNDECAYED: Changes = {"train.weight_decay": 0.0}
# One change of the printed training at a time, where the paper leaves a choice; of
# means over nodes unless it says otherwise.
REASONS: Mapping[str, Changes] = {
    MEANS: {},
    "sums over nodes": {"weights.data": 832.0},
    "no weight decay": UNDECAYED,
    "no weight decay, FNO": {**UNDECAYED, "model.name": "fno"},
    "no weight decay, relative errors as loss": {
        **UNDECAYED,
        "train.data_loss": "relative",
    },
    "no weight decay, a tenth of the rate": {**UNDECAYED, "train.learning_rate": 1e-3},
    "no weight decay, period 1.5 in time": {**UNDECAYED, "model.period": (1.0, 1.5)},
    "no weight decay, the paper's DFT sum": {
        **UNDECAYED,
        "model.transient_analysis": "dft",
    },
}
RATE: Changes = {"train.learning_rate": 1e-3}
SMALL_START: Changes = {"model.kernel_start": "by tensor"}
# The same for 25 labels, of sums over nodes.
FEW_REASONS: Mapping[str, Changes] = {
    "as printed": {},
    "a tenth of the rate": RATE,
    "kernels start small": SMALL_START,
    "both": {**RATE, **SMALL_START},
    "poles in time alone": {"model.poles": (0, 14)},
    "FNO": {"model.name": "fno"},
    "FNO, kernels start small": {"model.name": "fno", **SMALL_START},
}


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
    summed = [*_first(), *_with_equation(), *_further()]
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
    few = dataclasses.replace(_summed(next(_first())), error=None)
    for base, title, reasons in (
        (many, "Burgers, 200 labels alone, ALNO", REASONS),
        (few, few.name, FEW_REASONS),
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
    yield _pilno(name, "rd_ic", {}, ic.pilno, RD_IC_LAW)
    name = f"{name}, 25 labels alone"
    yield _labels_alone(name, "rd_ic", 25, 3, {}, ic.baseline, RD_IC_LAW)
    yield _pilno("Diffusion", "diffusion", {}, None)
    forcing = "Reaction-diffusion, forcing"
    yield _pilno(forcing, "rd_forcing", {}, few["rd_forcing"].pilno)
    without = printed.NO_TCW_MEAN
    yield _pilno(f"{forcing}, no TCW", "rd_forcing", EVEN_IN_TIME, without)
    alone = few["rd_forcing"].baseline
    name = f"{forcing}, 25 labels alone"
    yield _labels_alone(name, "rd_forcing", 25, 3, {}, alone)


def _further() -> Iterator[Training]:
    yield from _backbones(0, batch=3)
    for seed in (1, 2):
        yield from _backbones(seed, batch=20)
    pairwise = {"model.pole_sharing": "pairwise", "model.width": 12}
    for name, changes in {
        "ALNO, the paper's DFT sum": {"model.transient_analysis": "dft"},
        "ALNO of 12 channels, own poles for each pair": pairwise,
    }.items():
        yield _backbone(name, changes, 0, 20, None)


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
    """Whether it is a main result: labels, equation and weights in time, from sums."""
    weights = {f"weights.{term}" for term in ("data", "pde", "ic", "bc")}
    changes = dict(training.run.changes)
    summed = weights <= changes.keys() and changes["weights.pde"] > 0
    own_weights_in_time = "causality.name" not in changes
    return training.epochs == EPOCHS and summed and own_weights_in_time


def how_far(training: Training, root: Path, cache: Path) -> dict[str, Any] | None:
    """What there is of a training, finished or not; None where nothing is.

    Args:
        training: which.
        root: where runs live.
        cache: where data sets are kept, to test what was cut off after `SETTLED`.
    """
    rows = metrics_log.read_metrics(training.run.workdir(root) / "metrics.jsonl")
    if not rows:
        return None
    curve = [
        [row["step"] / training.epoch, row["validation"]]
        for row in rows
        if row.get("validation") is not None
    ]
    result = training.run.result(root)
    epochs = rows[-1]["step"] / training.epoch
    reached = {"mean": None, "std": None}
    if result:
        by_law = result["relative_l2_by_law"]
        reached = by_law[training.law.key] if training.law else result["relative_l2"]
    elif curve and epochs >= SETTLED:
        reached = _error_so_far(training, root, cache)
    return {
        "name": training.name,
        "config": training.run.config,
        "printed": training.error,
        "error": reached["mean"],
        "deviation": reached["std"],
        "finished": result is not None,
        "length": training.epochs,
        "epochs": epochs,
        "steps": rows[-1]["step"],
        "lowest_validation": min((error for _, error in curve), default=None),
        "seconds": rows[-1]["elapsed"],
        "curve": curve,
        "command": result and result["command"],
        "seed": dict(training.run.changes).get("seed", 0),
    }


def curves(rows: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """For `plotting.epochs_figure`: of whole trainings, as far as they came.

    Seeds beyond the first are left out: their curves lie on each other.

    Args:
        rows: see `how_far`.
    """
    drawn: dict[str, dict[str, Any]] = {}
    for row in rows:
        if row["length"] < EPOCHS or row["seed"] or len(row["curve"]) < 2:
            continue
        panel = next(panel for panel in PANELS if row["name"].startswith(panel))
        line = row["name"].removeprefix(panel).removeprefix(", ") or "PILNO"
        epochs, errors = zip(*row["curve"], strict=True)
        drawn.setdefault(panel, {})[line] = epochs, errors, row["printed"]
    return drawn


def _error_so_far(training: Training, root: Path, cache: Path) -> dict[str, float]:
    """Of the best parameters of a training that was cut off, on its test set."""
    trained = pilno_jax.load(training.run.workdir(root))
    config = RunConfig.from_dict(trained.config)
    law = training.law.changes if training.law else {}
    test = labelled_set(config, "test", cache, **law)
    errors = trained.error(test["inputs"], test["labels"])
    return {"mean": float(errors.mean()), "std": float(errors.std())}
