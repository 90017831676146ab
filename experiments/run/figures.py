"""The figures of a run: how it trained, how well it predicts, what it learned."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from pilno_jax import plotting
from pilno_jax.problems import Problem

Rows = list[dict[str, Any]]
NOT_TERMS = {"step", "skipped", "step_ms", "validation", "elapsed", "gradient_norm"}


def draw_all(
    folder: Path,
    problem: Problem,
    params: Any,
    rows: Rows,
    truths: np.ndarray,
    predictions: np.ndarray,
    errors: np.ndarray,
) -> tuple[list[Path], list[str]]:
    """The files drawn, and a line for every figure that could not be."""
    order = [int(i) for i in np.argsort(errors)]
    median, worst = order[len(order) // 2], order[::-1][:2]

    def comparison(index: int, name: str) -> Figure:
        title = f"{name} test case (number {index}), relative error {errors[index]:.1e}"
        pair = truths[index], predictions[index]
        return plotting.comparison_figure(problem.grid, *pair, title)

    def slices() -> Figure:
        cases = {
            f"case {i}, relative error {errors[i]:.1e}": (truths[i], predictions[i])
            for i in worst
        }
        return plotting.slices_figure(problem, cases, "the worst test cases")

    drawings: dict[str, Callable[[], Figure | None]] = {
        "loss_terms": lambda: loss_terms(rows),
        "validation_error": lambda: validation_error(rows),
        "slices_worst": slices,
        "field_worst": lambda: comparison(worst[0], "worst"),
        "field_median": lambda: comparison(median, "median"),
        "error_distribution": lambda: plotting.error_figure(errors),
        "poles": lambda: plotting.poles_figure(problem.grid, params),
    }
    drawn, failures = [], []
    for name, draw in drawings.items():
        path = folder / f"{name}.png"
        try:
            figure = draw()
            if figure is not None:
                plotting.save(figure, path)
                drawn.append(path)
        except Exception as error:  # a figure is never worth a run
            reason = " ".join(str(error).split())
            failures.append(f"no figure {name}: {type(error).__name__}: {reason}")
    return drawn, failures


def loss_terms(rows: Rows) -> Figure:
    names = sorted({name for row in rows for name in row} - NOT_TERMS)
    # null in the log: no step of that row was finite.
    terms = {name: [_number(row.get(name)) for row in rows] for name in names}
    return plotting.loss_figure([row["step"] for row in rows], terms)


def validation_error(rows: Rows) -> Figure:
    seen = [row for row in rows if row.get("validation") is not None]
    steps, errors = [r["step"] for r in seen], [r["validation"] for r in seen]
    return plotting.validation_figure(steps, [r["elapsed"] / 60 for r in seen], errors)


def _number(value: float | None) -> float:
    return float("nan") if value is None else value
