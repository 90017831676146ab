"""Figures of fields: a sample, a prediction beside its reference, cuts through both."""

from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pilno_jax.numerics.grids import Grid
from pilno_jax.plotting import series
from pilno_jax.plotting.panels import (
    FIELD_COLOURS,
    field,
    grid_lines,
    lines,
    panels,
    signed_field,
)
from pilno_jax.problems.base import Inputs, Problem


def reference_figure(
    problem: Problem, inputs: Inputs, u: Any, title: str | None = None
) -> Figure:
    """The input functions of one sample and the reference solution they lead to.

    With two axes in space, the solution at the final time and its sections at mid y;
    of a function of time alone, its course and its spectrum.

    Args:
        problem: whose `input_fields` say what each input is a function of.
        inputs: of the sample; what does not live on the grid's nodes is not drawn.
        u: the solution on the grid.
        title: over all panels; numbers among the inputs follow it. Default: the
            problem's name.
    """
    axes = {axis.name: axis for axis in problem.grid.axes}
    described = problem.input_fields()
    symbols = {name: field.symbol or name for name, field in described.items()}
    numbers, planes, functions = [], [], {}
    for name, described_field in described.items():
        match described_field.axes:
            case ():
                numbers.append(f"{symbols[name]} = {float(inputs[name]):.3g}")
            case (along,):
                functions.setdefault(along, []).append(name)
            case (first, second):
                planes.append((name, Grid((axes[first], axes[second]))))
    figure, drawn = panels(len(planes) + len(functions) + 1 + 1)
    remaining = iter(drawn)
    for name, plane in planes:
        signed = float(np.min(inputs[name])) < 0
        draw = signed_field if signed else field
        draw(next(remaining), plane, inputs[name], f"input {symbols[name]}")
    for along, names in functions.items():
        curves = {symbols[name]: inputs[name] for name in names}
        one = len(names) == 1
        heading = f"input {symbols[names[0]]}" if one else f"inputs along {along}"
        value = symbols[names[0]] if one else "value"
        lines(next(remaining), axes[along], curves, heading, value)
    if len(axes) == 1:
        (only,) = problem.grid.axes
        lines(next(remaining), only, {"u": u}, "reference solution $u$", "$u$")
        series.spectra(next(remaining), only, {"u": u})
    else:
        final, at_the_end = cut(problem.grid, u, axis=2, place=-1)
        field(next(remaining), final, at_the_end, "reference solution $u$")
        sections(next(remaining), problem, u)
    heading = title or problem.name.replace("_", " ")
    figure.suptitle(", ".join([heading, *numbers]), fontsize=12)
    return figure


def sections(ax: Axes, problem: Problem, u: Any, count: int = 4) -> None:
    """Cuts through u along its first axis, at equally spaced places of the last.

    Args:
        ax: the panel.
        problem: whose grid u lives on; of three axes the second is cut at its middle.
        u: the field.
        count: how many cuts. Default 4; more run into each other.
    """
    middle = problem.grid.axes[1].num_points // 2
    grid, plane = cut(problem.grid, u, axis=1, place=middle)
    first, second = grid.axes
    steady = problem.time_axis is None
    places = np.linspace(0, second.num_points - 1, count + 2 * steady).round()
    places = places.astype(int)[1:-1] if steady else places.astype(int)
    at = np.asarray(second.coordinates)[places]
    cuts = {
        f"{second.name} = {value:.2g}": plane[:, place]
        for place, value in zip(places, at, strict=True)
    }
    lines(ax, first, cuts, f"sections of $u$ at fixed {second.name}", "$u$")


def cut(grid: Grid, fields: Any, axis: int, place: int) -> tuple[Grid, np.ndarray]:
    """Fields of three axes at one place of one of them; those of two as they are.

    Args:
        grid: of the fields.
        fields: one, or several along axes in front of the grid's.
        axis: of the grid, that is cut.
        place: index of the node where it is cut.

    Returns:
        The grid of the two other axes, and the fields on it.
    """
    if len(grid.axes) == 2:
        return grid, np.asarray(fields)
    others = tuple(a for number, a in enumerate(grid.axes) if number != axis)
    return Grid(others), np.take(fields, place, axis=axis - len(grid.axes))


def comparison_figure(grid: Grid, truth: Any, prediction: Any, title: str) -> Figure:
    """Reference and prediction in one colour scale, their difference in its own.

    With two axes in space, at the final time.

    Args:
        grid: of both fields.
        truth: the reference.
        prediction: the network's.
        title: over all panels.
    """
    if len(grid.axes) == 1:
        return series.compared(grid.axes[0], truth, prediction, title)
    both = np.stack([np.asarray(truth), np.asarray(prediction)])
    grid, both = cut(grid, both, axis=2, place=-1)
    truth, prediction = both
    limits = float(both.min()), float(both.max())
    figure, axes = panels(3)
    field(axes[0], grid, truth, "reference $u$", limits)
    field(axes[1], grid, prediction, "prediction", limits)
    signed_field(axes[2], grid, prediction - truth, "prediction - reference")
    figure.suptitle(title)
    return figure


def stages_figure(grid: Grid, truth: Any, fields: dict[str, Any], title: str) -> Figure:
    """The reference, and what is wrong after each correction in a scale of its own.

    With two axes in space, at the final time.

    Args:
        grid: of all fields.
        truth: the reference.
        fields: what the operator has after each correction, by name.
        title: over all panels.
    """
    if len(grid.axes) == 1:
        return series.errors_of_stages(grid.axes[0], truth, fields, title)
    size = float(np.linalg.norm(truth))
    plane, reference = cut(grid, truth, axis=2, place=-1)
    figure, (first, *others) = panels(1 + len(fields))
    field(first, plane, reference, "reference $u$")
    for ax, (name, u) in zip(others, fields.items(), strict=True):
        error = np.asarray(u) - np.asarray(truth)
        relative = f"{name}: {float(np.linalg.norm(error)) / size:.1e}"
        signed_field(ax, *cut(grid, error, axis=2, place=-1), relative)
    figure.suptitle(title)
    return figure


def slices_figure(
    problem: Problem, cases: dict[str, tuple[Any, Any]], title: str
) -> Figure:
    """u along x at five times, or, of a steady field, at mid y; a panel per case.

    With two axes in space, both: at five times and at mid y.

    Args:
        problem: whose grid the fields live on.
        cases: title of a panel -> (reference, prediction).
        title: over all panels.
    """
    if len(problem.grid.axes) == 1:
        return series.side_by_side(problem.grid.axes[0], cases, title)
    grid, middle = problem.grid, problem.grid.axes[1].num_points // 2
    cases = {name: tuple(cut(grid, pair, 1, middle)[1]) for name, pair in cases.items()}
    first, second = cut(grid, np.zeros(grid.shape), 1, middle)[0].axes
    parts = (0.5,) if problem.time_axis is None else (0.0, 0.25, 0.5, 0.75, 1.0)
    places = [round(part * (second.num_points - 1)) for part in parts]
    # Ordered colours for ordered curves; the pale end would vanish on white.
    shades = matplotlib.colormaps[FIELD_COLOURS](np.linspace(0.0, 0.85, len(places)))
    x, at = np.asarray(first.coordinates), np.asarray(second.coordinates)
    figure, axes = panels(len(cases))
    for ax, (name, (truth, prediction)) in zip(axes, cases.items(), strict=True):
        for place, shade in zip(places, shades, strict=True):
            label = f"{second.name} = {at[place]:.2g}"
            broad = {"linewidth": 5.0, "alpha": 0.35, "solid_capstyle": "butt"}
            ax.plot(x, np.asarray(truth)[:, place], color=shade, **broad)
            ax.plot(x, np.asarray(prediction)[:, place], color=shade, label=label)
        ax.set(title=name, xlabel=first.name, ylabel="$u$")
        ax.margins(x=0)
        grid_lines(ax)
    axes[0].plot([], [], color="grey", linewidth=5.0, alpha=0.35, label="reference")
    axes[0].plot([], [], color="grey", label="prediction")
    named = axes[0].get_legend_handles_labels()
    figure.legend(*named, loc="outside right center", fontsize=7.5, edgecolor="none")
    figure.suptitle(title)
    return figure
