"""What became of the paper's trainings: rows of the table, lines of the figure."""

import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pilno_jax
from experiments.config.schema import RunConfig
from experiments.paper.as_printed import EPOCHS, Training
from experiments.run.data_sets import labelled_set
from pilno_jax.runs import files, metrics_log
from pilno_jax.runs.run_folder import RunFolder

# What is cut off after so many is judged as it is: the page tells how little the rest
# moved the others. After 500, most had a quarter to a third of their error to lose.
SETTLED = 800
# Beginnings of names: those that share one are drawn together.
PANELS = (
    "Burgers, 200 labels alone",
    "Burgers",
    "Reaction-diffusion, initial condition, 5 to 0.5",
    "Reaction-diffusion, forcing",
    "Diffusion",
)


def how_far(training: Training, root: Path, cache: Path) -> dict[str, Any] | None:
    """What there is of a training, finished or not; None where nothing is.

    Args:
        training: which.
        root: where runs live.
        cache: where data sets are kept, to test what was cut off after `SETTLED`.
    """
    folder = RunFolder(training.run.workdir(root))
    rows = metrics_log.read_metrics(folder.metrics)
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
        "command": shlex.join(["python", *training.run.command(root, cache)[1:]]),
        "code": files.read_json(folder.config)["code"],
        "seed": dict(training.run.changes).get("seed", 0),
    }


def curves(rows: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """For `plotting.epochs_figure`: of whole trainings, as far as they came.

    Seeds beyond the first are left out, so that a panel can be read.

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
