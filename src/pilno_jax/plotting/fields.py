"""Figures of fields: a sample, a prediction beside its reference, cuts through both."""

from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pilno_jax.numerics.grids import Grid
from pilno_jax.plotting.panels import (
    FIELD_COLOURS,
    field,
    lines,
    panels,
    rule,
    signed_field,
)
from pilno_jax.problems.base import Inputs, Problem


def reference_figure(
    problem: Problem, inputs: Inputs, u: Any, title: str | None = None
) -> Figure:
    """The input functions of one sample and the reference solution they lead to."""
    grid = problem.grid
    on_grid = [name for name in inputs if np.shape(inputs[name]) == grid.shape]
    along_t = [name for name in ("u_left", "u_right", "ux_right") if name in inputs]
    along_x = [name for name in ("u0", "f") if name in inputs]
    figure, axes = panels(len(on_grid) + bool(along_x) + bool(along_t) + 1 + 1)
    remaining = iter(axes)
    for name in on_grid:
        signed = float(np.min(inputs[name])) < 0
        draw = signed_field if signed else field
        draw(next(remaining), grid, inputs[name], f"input {_symbol(name)}")
    if along_x:
        functions = {_symbol(name): inputs[name] for name in along_x}
        called = ", ".join(functions)
        lines(next(remaining), grid.axes[0], functions, f"input {called}", called)
    if along_t:
        functions = {_symbol(name): inputs[name] for name in along_t}
        lines(next(remaining), grid.axes[1], functions, "boundary values")
    field(next(remaining), grid, u, "reference solution $u$")
    sections(next(remaining), problem, u)
    numbers = [
        f"{_symbol(name)} = {float(inputs[name]):.3g}"
        for name in ("alpha", "beta")
        if name in inputs
    ]
    heading = title or problem.name.replace("_", " ")
    figure.suptitle(", ".join([heading, *numbers]), fontsize=12)
    return figure


def sections(ax: Axes, problem: Problem, u: Any, count: int = 4) -> None:
    """Cuts through u along its first axis, at equally spaced places of the second."""
    first, second = problem.grid.axes
    steady = problem.time_axis is None
    places = np.linspace(0, second.num_points - 1, count + 2 * steady).round()
    places = places.astype(int)[1:-1] if steady else places.astype(int)
    at = np.asarray(second.coordinates)[places]
    cuts = {
        f"{second.name} = {value:.2g}": np.asarray(u)[:, place]
        for place, value in zip(places, at, strict=True)
    }
    lines(ax, first, cuts, f"sections of $u$ at fixed {second.name}", "$u$")


def cut(grid: Grid, fields: Any, axis: int, place: int) -> tuple[Grid, np.ndarray]:
    """Fields of three axes at one place of one of them; those of two as they are.

    Axes in front of the grid's are left alone.
    """
    if len(grid.axes) == 2:
        return grid, np.asarray(fields)
    others = tuple(a for number, a in enumerate(grid.axes) if number != axis)
    return Grid(others), np.take(fields, place, axis=axis - len(grid.axes))


def comparison_figure(grid: Grid, truth: Any, prediction: Any, title: str) -> Figure:
    """Reference and prediction in one colour scale, their difference in its own.

    With two axes in space, at the final time.
    """
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


def slices_figure(
    problem: Problem, cases: dict[str, tuple[Any, Any]], title: str
) -> Figure:
    """u along x at five times, or, of a steady field, at mid y; a panel per case.

    cases: title -> (reference, prediction). With two axes in space, both: at mid y.
    """
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
            ax.plot(x, np.asarray(truth)[:, place], color=shade, label=label)
            ax.plot(x, np.asarray(prediction)[:, place], "--", color=shade)
        ax.set(title=name, xlabel=first.name, ylabel="$u$")
        ax.margins(x=0)
        rule(ax)
    axes[0].plot([], [], color="grey", label="reference")
    axes[0].plot([], [], "--", color="grey", label="prediction")
    named = axes[0].get_legend_handles_labels()
    figure.legend(*named, loc="outside right center", fontsize=7.5, edgecolor="none")
    figure.suptitle(title)
    return figure


def _symbol(name: str) -> str:
    symbols = {
        "u0": "$u_0$",
        "f": "$f$",
        "a": "$a$",
        "f_x": "$f_x$",
        "u_left": r"$u(-L, t)$",
        "u_right": r"$u(L, t)$",
        "ux_right": r"$u_x(L, t)$",
        "alpha": r"$\alpha$",
        "beta": r"$\beta$",
    }
    return symbols.get(name, name)
