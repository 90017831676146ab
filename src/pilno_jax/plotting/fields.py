"""Figures of fields: a sample, a prediction beside its reference, cuts through both."""

from collections.abc import Sequence
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
from pilno_jax.readable_numbers import percent


def each_field(fields: Sequence[str], values: Any) -> dict[str, np.ndarray]:
    """The fields of a system one by one, by symbol; of one field, that one.

    Args:
        fields: names, see `Problem.fields`; none for a single field.
        values: with one channel for each along the last axis, if there are several.
    """
    values = np.asarray(values)
    if not fields:
        return {"$u$": values}
    return {f"${name}$": values[..., i] for i, name in enumerate(fields)}


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
    solutions = each_field(problem.fields, u)
    figure, drawn = panels(len(planes) + len(functions) + 2 * len(solutions))
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
        for symbol, solution in solutions.items():
            final, at_the_end = cut(problem.grid, solution, axis=2, place=-1)
            field(next(remaining), final, at_the_end, f"reference solution {symbol}")
            sections(next(remaining), problem, solution, symbol=symbol)
    heading = title or problem.name.replace("_", " ")
    figure.suptitle(", ".join([heading, *numbers]), fontsize=12)
    return figure


def sections(
    ax: Axes, problem: Problem, u: Any, count: int = 4, symbol: str = "$u$"
) -> None:
    """Cuts through u along its first axis, at equally spaced places of the last.

    Args:
        ax: the panel.
        problem: whose grid u lives on; of three axes the second is cut at its middle.
        u: the field, one of them if there are several.
        count: how many cuts. Default 4; more run into each other.
        symbol: of the field. Default u.
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
    lines(ax, first, cuts, f"sections of {symbol} at fixed {second.name}", symbol)


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


def comparison_figure(
    grid: Grid, truth: Any, prediction: Any, title: str, fields: Sequence[str] = ()
) -> Figure:
    """Reference and prediction in one colour scale, their difference in its own.

    With two axes in space, at the final time; with several fields, a row for each.

    Args:
        grid: of both fields.
        truth: the reference.
        prediction: the network's.
        title: over all panels.
        fields: names of the fields along the last axis. Default: one field.
    """
    if len(grid.axes) == 1:
        return series.compared(grid.axes[0], truth, prediction, title)
    pairs = each_field(fields, np.stack([np.asarray(truth), np.asarray(prediction)]))
    figure, axes = panels(3 * len(pairs))
    for row, (symbol, pair) in enumerate(pairs.items()):
        plane, both = cut(grid, pair, axis=2, place=-1)
        limits = float(both.min()), float(both.max())
        first, second, third = axes[3 * row : 3 * row + 3]
        field(first, plane, both[0], f"reference {symbol}", limits)
        field(second, plane, both[1], "prediction", limits)
        signed_field(third, plane, both[1] - both[0], "prediction - reference")
    figure.suptitle(title)
    return figure


def stages_figure(
    grid: Grid,
    truth: Any,
    fields: dict[str, Any],
    title: str,
    names: Sequence[str] = (),
) -> Figure:
    """The reference, and what is wrong after each correction in a scale of its own.

    With two axes in space, at the final time; with several fields, one after the other.

    Args:
        grid: of all fields.
        truth: the reference.
        fields: what the operator has after each correction, by name.
        title: over all panels.
        names: of the fields along the last axis. Default: one field.
    """
    if len(grid.axes) == 1:
        return series.errors_of_stages(grid.axes[0], truth, fields, title)
    truths = each_field(names, truth)
    every = {name: each_field(names, u) for name, u in fields.items()}
    figure, axes = panels(len(truths) * (1 + len(fields)))
    remaining = iter(axes)
    for symbol, reference in truths.items():
        size = float(np.linalg.norm(reference))
        plane, at_the_end = cut(grid, reference, axis=2, place=-1)
        field(next(remaining), plane, at_the_end, f"reference {symbol}")
        for name, by_symbol in every.items():
            error = by_symbol[symbol] - reference
            relative = percent(float(np.linalg.norm(error)) / size)
            title_of = f"{name}: {relative}"
            signed_field(next(remaining), *cut(grid, error, 2, -1), title_of)
    figure.suptitle(title)
    return figure


def slices_figure(
    problem: Problem, cases: dict[str, tuple[Any, Any]], title: str
) -> Figure:
    """u along x at five times, or, of a steady field, at mid y; a panel per case.

    With two axes in space, both: at five times and at mid y. With several fields, a
    panel for each of them.

    Args:
        problem: whose grid the fields live on.
        cases: title of a panel -> (reference, prediction).
        title: over all panels.
    """
    if len(problem.grid.axes) == 1:
        return series.side_by_side(problem.grid.axes[0], cases, title)
    grid, middle = problem.grid, problem.grid.axes[1].num_points // 2
    drawn = {
        (name, symbol): tuple(cut(grid, both, 1, middle)[1])
        for name, pair in cases.items()
        for symbol, both in each_field(problem.fields, np.stack(pair)).items()
    }
    first, second = cut(grid, np.zeros(grid.shape), 1, middle)[0].axes
    parts = (0.5,) if problem.time_axis is None else (0.0, 0.25, 0.5, 0.75, 1.0)
    places = [round(part * (second.num_points - 1)) for part in parts]
    # Ordered colours for ordered curves; the pale end would vanish on white.
    shades = matplotlib.colormaps[FIELD_COLOURS](np.linspace(0.0, 0.85, len(places)))
    x, at = np.asarray(first.coordinates), np.asarray(second.coordinates)
    figure, axes = panels(len(drawn))
    for ax, ((name, symbol), pair) in zip(axes, drawn.items(), strict=True):
        truth, prediction = pair
        for place, shade in zip(places, shades, strict=True):
            label = f"{second.name} = {at[place]:.2g}"
            broad = {"linewidth": 5.0, "alpha": 0.35, "solid_capstyle": "butt"}
            ax.plot(x, np.asarray(truth)[:, place], color=shade, **broad)
            ax.plot(x, np.asarray(prediction)[:, place], color=shade, label=label)
        ax.set(title=name, xlabel=first.name, ylabel=symbol)
        ax.margins(x=0)
        grid_lines(ax)
    axes[0].plot([], [], color="grey", linewidth=5.0, alpha=0.35, label="reference")
    axes[0].plot([], [], color="grey", label="prediction")
    named = axes[0].get_legend_handles_labels()
    figure.legend(*named, loc="outside right center", fontsize=7.5, edgecolor="none")
    figure.suptitle(title)
    return figure
