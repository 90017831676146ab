"""Fields, slices and histories of trained runs, side by side."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from experiments.paper import printed
from experiments.paper.artifact import (
    Claim,
    Predictions,
    Report,
    Row,
    factor,
    verdict,
)
from pilno_jax import plotting


def fields_figure(
    models: Mapping[str, Predictions], cases: Mapping[str, int], title: str
) -> tuple[Figure, list[Row]]:
    """Per case a row: reference, then prediction and error of every model."""
    figure, axes = plotting.panels(
        (1 + 2 * len(models)) * len(cases), 1 + 2 * len(models)
    )
    panels = iter(axes)
    rows: list[Row] = []
    for name, index in cases.items():
        first = next(iter(models.values()))
        grid, truth = first.problem.grid, first.truths[index]
        guesses = [p.fields[index] for p in models.values()]
        limits = float(np.min([truth, *guesses])), float(np.max([truth, *guesses]))
        plotting.field(next(panels), grid, truth, f"{name}: reference", limits)
        row: Row = {"case": f"{name} (test case {index})"}
        for model, predicted in models.items():
            error = float(predicted.errors[index])
            row[model] = error
            label = f"{model}: {100 * error:.2g} %"
            plotting.field(next(panels), grid, predicted.fields[index], label, limits)
            difference = predicted.fields[index] - truth
            plotting.signed_field(next(panels), grid, difference, f"{model}: error")
        rows.append(row)
    figure.suptitle(title)
    return figure, rows


def typical_field(
    models: Mapping[str, Predictions],
    title: str,
    sentence: str,
    paper: printed.Errors,
) -> Report:
    """The median case of the last model, and whether it beats the first by far.

    Args:
        models: two, the baseline first.
        title: of the figure.
        sentence: the claim.
        paper: the errors it prints for the two.
    """
    first, last = models
    cases = {"median case": models[last].median_case()}
    figure, rows = fields_figure(models, cases, f"{title}, the median case of {last}")
    without, with_physics = rows[0][first], rows[0][last]
    comparison = (
        f"{factor(without, with_physics)} (paper, as means, {paper.baseline:.1e} "
        f"against {paper.pilno:.1e})"
    )
    holds, better = without > 3 * with_physics, with_physics < paper.pilno
    claim = Claim(sentence, comparison, verdict(holds, better))
    return Report(rows, [claim], {"": figure})


def slices_figure(
    models: Mapping[str, Predictions], cases: Sequence[int], title: str
) -> tuple[Figure, list[Row]]:
    """Per case a panel per time: the reference and every model's line."""
    first = next(iter(models.values()))
    x, t = first.problem.grid.axes
    # Without time both ends are boundary.
    inner = slice(1, None) if t.name == "t" else slice(1, -1)
    count = 5 if t.name == "t" else 6
    places = np.linspace(0, t.num_points - 1, count).round().astype(int)[inner]
    figure, axes = plotting.panels(len(places) * len(cases), len(places))
    panels = iter(axes)
    rows: list[Row] = []
    for index in cases:
        for place in places:
            functions = {"reference": first.truths[index][:, place]}
            functions |= {name: p.fields[index][:, place] for name, p in models.items()}
            time = float(t.coordinates[place])
            plotting.lines(
                next(panels), x, functions, f"case {index}, {t.name} = {time:.2g}", "u"
            )
        row: Row = {"case": f"test case {index}"}
        rows.append(row | {name: float(p.errors[index]) for name, p in models.items()})
    figure.suptitle(title)
    return figure, rows


def history_figure(
    histories: Mapping[str, list[dict[str, Any]]], over: str, label: str, title: str
) -> Figure:
    """Validation error over steps or seconds, a line per run."""
    figure, (ax,) = plotting.panels(1)
    figure.set_figwidth(2 * plotting.PANEL_INCHES[0])
    for name, rows in histories.items():
        places = [row[over] for row in rows]
        ax.plot(places, [row["validation"] for row in rows], marker=".", label=name)
    ax.set(yscale="log", xlabel=label, ylabel="validation error", title=title)
    ax.grid(alpha=0.25, linewidth=0.6)
    ax.legend(fontsize=7.5, framealpha=0.8, edgecolor="none")
    return figure
