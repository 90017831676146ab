"""The columns of metrics.jsonl, and which of them are terms of the loss."""

from typing import Any

import numpy as np

from pilno_jax import training
from pilno_jax.problems import Problem
from pilno_jax.training import objective

Row = dict[str, Any]


def log_row(
    progress: training.Progress,
    elapsed: float,
    step_ms: float | None = None,
    validation: float | None = None,
) -> Row:
    """One row of metrics.jsonl; what was not measured has no column in it.

    Args:
        progress: means over the steps since the last row.
        elapsed: seconds the run has taken so far.
        step_ms: milliseconds of a step, callbacks not counted.
        validation: mean relative L2 error on the validation set.
    """
    row = {"step": progress.step, **progress.metrics, "skipped": progress.skipped}
    if step_ms is not None:
        row["step_ms"] = round(step_ms, 3)
    if validation is not None:
        row["validation"] = validation
    return row | {"elapsed": round(elapsed, 3)}


def loss_columns(problem: Problem) -> frozenset[str]:
    """The names of the total loss and of all terms it can have, unweighted."""
    return frozenset({"loss", *objective.term_names(problem)})


def median_step_ms(rows: list[Row]) -> float | None:
    """Median milliseconds per step, evaluation and checkpoints not counted."""
    times = [row["step_ms"] for row in rows if "step_ms" in row]
    return float(np.median(times)) if times else None
