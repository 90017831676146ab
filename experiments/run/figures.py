"""The figures of a run: how it trained, how well it predicts, what it learned."""

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from experiments.run.metrics import Row, loss_columns
from pilno_jax import plotting
from pilno_jax.problems import Problem
from pilno_jax.readable_numbers import percent


def draw_all(
    folder: Path,
    problem: Problem,
    params: Any,
    rows: list[Row],
    truths: np.ndarray,
    predictions: np.ndarray,
    errors: np.ndarray,
    fields_of_stages: Callable[[int], dict[str, np.ndarray]],
    expected_errors: Callable[[], tuple[np.ndarray, np.ndarray] | None],
    pole_unit: float = 1.0,
) -> tuple[list[Path], list[str]]:
    """Draw a finished run.

    Args:
        folder: where the files go.
        problem: what was trained.
        params: the best parameters.
        rows: all of metrics.jsonl.
        truths: labels of the test set.
        predictions: of the same samples.
        errors: relative L2 error of each.
        fields_of_stages: index of a sample -> its fields after each correction, by
            name; empty for one network.
        expected_errors: what the operator expects of the errors, and its bounds of
            them; None where it has no error bar.
        pole_unit: of a network with poles. Default 1.

    Returns:
        The files drawn, and a line for every figure that could not be.
    """
    order = [int(i) for i in np.argsort(errors)]
    median, worst = order[len(order) // 2], order[::-1][:2]

    def comparison(index: int, name: str) -> Figure:
        title = f"{name} test input (number {index}): error {percent(errors[index])}"
        pair = truths[index], predictions[index]
        return plotting.comparison_figure(problem.grid, *pair, title, problem.fields)

    def stages() -> Figure | None:
        fields = fields_of_stages(median)
        if not fields:
            return None
        title = f"the median test input (number {median}) and what is wrong with it"
        pair = problem.grid, truths[median]
        return plotting.stages_figure(*pair, fields, title, problem.fields)

    def slices() -> Figure:
        cases = {
            f"number {i}: error {percent(errors[i])}": (truths[i], predictions[i])
            for i in worst
        }
        return plotting.slices_figure(problem, cases, "the worst test inputs")

    def error_bar() -> Figure | None:
        expected = expected_errors()
        return plotting.error_bar_figure(errors, *expected) if expected else None

    drawings: dict[str, Callable[[], Figure | None]] = {
        "loss_terms": lambda: loss_terms(rows, loss_columns(problem)),
        "validation_error": lambda: validation_error(rows),
        "stages": stages,
        "slices_worst": slices,
        "field_worst": lambda: comparison(worst[0], "worst"),
        "field_median": lambda: comparison(median, "median"),
        "error_distribution": lambda: plotting.error_figure(errors),
        "error_bar": error_bar,
        "poles": lambda: plotting.poles_figure(problem.grid, params, pole_unit),
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


def stage_of(row: Row) -> int:
    """Which network was trained; logs of older versions have one alone."""
    return row.get("stage", 1)


def loss_terms(rows: list[Row], columns: frozenset[str]) -> Figure:
    names = sorted(columns & {name for row in rows for name in row})
    # null in the log: no step of that row was finite.
    terms = {name: [_number(row.get(name)) for row in rows] for name in names}
    last_rows = [
        row["step"]
        for row, following in itertools.pairwise(rows)
        if stage_of(following) > stage_of(row)
    ]
    return plotting.loss_figure([row["step"] for row in rows], terms, last_rows)


def validation_error(rows: list[Row]) -> Figure:
    rows = [row for row in rows if row.get("validation") is not None]
    return plotting.validation_figure(
        [row["step"] for row in rows],
        [row["elapsed"] / 60 for row in rows],
        [row["validation"] for row in rows],
        [stage_of(row) for row in rows],
    )


def _number(value: float | None) -> float:
    return float("nan") if value is None else value
