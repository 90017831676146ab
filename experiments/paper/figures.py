"""Fields, slices and histories of trained runs, side by side."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from experiments.paper.artifact import Claim, Predictions, Report, Row, verdict
from experiments.paper.tables import factor
from pilno_jax import plotting


def fields_figure(
    found: Mapping[str, Predictions], cases: Mapping[str, int], title: str
) -> tuple[Figure, list[Row]]:
    """Per case a row: reference, then prediction and error of every model."""
    figure, axes = plotting.panels(
        (1 + 2 * len(found)) * len(cases), 1 + 2 * len(found)
    )
    panels = iter(axes)
    rows: list[Row] = []
    for name, index in cases.items():
        first = next(iter(found.values()))
        grid, truth = first.problem.grid, first.truths[index]
        guesses = [p.found[index] for p in found.values()]
        limits = float(np.min([truth, *guesses])), float(np.max([truth, *guesses]))
        plotting.field(next(panels), grid, truth, f"{name}: reference", limits)
        row: Row = {"case": f"{name} (test case {index})"}
        for model, predicted in found.items():
            error = float(predicted.errors[index])
            row[model] = error
            label = f"{model}: {100 * error:.2g} %"
            plotting.field(next(panels), grid, predicted.found[index], label, limits)
            difference = predicted.found[index] - truth
            plotting.signed_field(next(panels), grid, difference, f"{model}: error")
        rows.append(row)
    figure.suptitle(title)
    return figure, rows


def typical_field(
    found: Mapping[str, Predictions],
    title: str,
    sentence: str,
    paper: tuple[float, float],
) -> Report:
    """The median case of the last model, and whether it beats the first by far.

    paper: the errors it prints for the two.
    """
    first, last = found
    order = np.argsort(found[last].errors)
    cases = {"median case": int(order[len(order) // 2])}
    figure, rows = fields_figure(found, cases, f"{title}, the median case of {last}")
    without, with_physics = rows[0][first], rows[0][last]
    told = (
        f"{factor(without, with_physics)} (paper, as means, {paper[0]:.1e} "
        f"against {paper[1]:.1e})"
    )
    better = with_physics < paper[1]
    claim = Claim(sentence, told, verdict(without > 3 * with_physics, better))
    return Report(rows, [claim], {"": figure})


def slices_figure(
    found: Mapping[str, Predictions], cases: Sequence[int], title: str
) -> tuple[Figure, list[Row]]:
    """Per case a panel per time: the reference and every model's line."""
    first = next(iter(found.values()))
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
            functions |= {name: p.found[index][:, place] for name, p in found.items()}
            time = float(t.coordinates[place])
            plotting.lines(
                next(panels), x, functions, f"case {index}, {t.name} = {time:.2g}", "u"
            )
        row: Row = {"case": f"test case {index}"}
        rows.append(row | {name: float(p.errors[index]) for name, p in found.items()})
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
