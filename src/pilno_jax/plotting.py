"""Figures: the only module that knows matplotlib.

Every helper draws into axes it is given, and figures are made without pyplot, so that
nothing global is touched, no window opens and threads do not meet. One look for all:
viridis for fields, a red-blue map centred at zero for errors and other signed ones
(both readable without colour vision), and the Okabe-Ito colours for lines.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

from pilno_jax.error_estimate import Law, rank_correlation
from pilno_jax.grids import Axis, Grid
from pilno_jax.models import poles
from pilno_jax.problems.base import Inputs, Problem

FIELD_COLOURS = "viridis"
SIGNED_COLOURS = "RdBu_r"
LINE_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
LOOK: Any = {
    "font.size": 9.0,
    "axes.titlesize": 10.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.prop_cycle": cycler(color=LINE_COLOURS),
    "lines.linewidth": 1.6,
    "savefig.dpi": 150,
}
PANEL_INCHES = 3.4, 3.0


def panels(count: int, columns: int = 3) -> tuple[Figure, list[Axes]]:
    """A figure of `count` equal panels, in rows of at most `columns`."""
    columns = min(count, columns)
    rows = -(-count // columns)
    width, height = PANEL_INCHES
    with matplotlib.rc_context(LOOK):
        figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
        return figure, [figure.add_subplot(rows, columns, 1 + i) for i in range(count)]


def save(figure: Figure, path: Path) -> None:
    """Write the figure; the suffix of the path is the format."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with matplotlib.rc_context(LOOK):
        figure.savefig(path, bbox_inches="tight", pad_inches=0.08)


def field(
    ax: Axes,
    grid: Grid,
    u: Any,
    title: str,
    limits: tuple[float, float] | None = None,
    colours: str = FIELD_COLOURS,
) -> None:
    """A field on a grid of two axes, time across or, without time, x across."""
    image = np.asarray(u, float)
    across, up = grid.axes
    if up.name == "t":
        across, up = up, across
    else:
        image = image.T
    low, high = limits or (float(image.min()), float(image.max()))
    drawn = ax.imshow(
        image,
        origin="lower",
        aspect="equal" if across.extent == up.extent and up.name != "x" else "auto",
        extent=(*_edges(across), *_edges(up)),
        cmap=colours,
        vmin=low,
        vmax=high,
        interpolation="nearest",
    )
    ax.set(title=title, xlabel=across.name, ylabel=up.name)
    bar = ax.figure.colorbar(drawn, ax=ax, shrink=0.9)
    bar.formatter.set_powerlimits((-2, 3))  # type: ignore[attr-defined]


def signed_field(ax: Axes, grid: Grid, values: Any, title: str) -> None:
    """A field with a meaningful zero, an error say: zero amid the colours."""
    largest = float(np.abs(np.asarray(values)).max()) or 1.0
    field(ax, grid, values, title, (-largest, largest), SIGNED_COLOURS)


def lines(
    ax: Axes, axis: Axis, functions: dict[str, Any], title: str, value: str = ""
) -> None:
    """Functions of one axis, named in a legend if there are several.

    One named "reference" is broad and grey: a line that coincides with it is seen too.
    """
    broad: dict[str, Any] = {"color": "0.75", "linewidth": 5.0}
    for name, values in functions.items():
        style = broad if name == "reference" else {}
        x, y = np.asarray(axis.coordinates), np.asarray(values)
        ax.plot(x, y, label=name, **style)
    ax.set(title=title, xlabel=axis.name, ylabel=value)
    ax.margins(x=0)
    ax.grid(alpha=0.25, linewidth=0.6)
    if len(functions) > 1:
        ax.legend(fontsize=7.5, framealpha=0.8, edgecolor="none", handlelength=1.2)


def paired_bars(
    ax: Axes, names: Sequence[str], values: Mapping[str, Sequence[float]], title: str
) -> None:
    """For each name a bar of every kind, on a logarithmic scale."""
    places, width = np.arange(len(names)), 0.8 / len(values)
    for number, (kind, heights) in enumerate(values.items()):
        ax.bar(places + (number + 0.5) * width - 0.4, heights, width, label=kind)
    ax.set(title=title, yscale="log")
    ax.set_xticks(places, names, rotation=40, ha="right", fontsize=7.0)
    ax.legend(fontsize=7.5, framealpha=0.8, edgecolor="none", handlelength=1.2)


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
        _rule(ax)
    axes[0].plot([], [], color="grey", label="reference")
    axes[0].plot([], [], "--", color="grey", label="prediction")
    named = axes[0].get_legend_handles_labels()
    figure.legend(*named, loc="outside right center", fontsize=7.5, edgecolor="none")
    figure.suptitle(title)
    return figure


def loss_figure(steps: Any, terms: dict[str, Any]) -> Figure:
    """The loss, in black, and its unweighted terms over the steps."""
    figure, (ax,) = panels(1)
    figure.set_figwidth(2 * PANEL_INCHES[0])
    for name, values in terms.items():
        total = {"color": "black", "linewidth": 2.2} if name == "loss" else {}
        # One row is a point, which a line without markers would not show.
        marker = "." if len(steps) == 1 else ""
        ax.plot(steps, np.asarray(values, float), marker=marker, label=name, **total)
    ax.set(xlabel="step", ylabel="mean since the last row", yscale="log")
    ax.set(title="loss and its unweighted terms")
    ax.legend(fontsize=7.5, framealpha=0.8, edgecolor="none")
    _rule(ax)
    return figure


def validation_figure(steps: Any, minutes: Any, errors: Any) -> Figure:
    """The error of the validation set over steps and over wall-clock time."""
    figure, axes = panels(2)
    for ax, places, name in zip(
        axes, (steps, minutes), ("step", "wall-clock time [min]"), strict=True
    ):
        ax.plot(places, errors, marker=".")
        ax.set(xlabel=name, ylabel="mean relative $L^2$ error", yscale="log")
        _rule(ax)
    figure.suptitle("validation error")
    return figure


def error_figure(errors: Any) -> Figure:
    """How many test cases have which relative error."""
    errors = np.asarray(errors, float)
    figure, (ax,) = panels(1)
    figure.set_figwidth(2 * PANEL_INCHES[0])
    # Bins equal in the logarithm, and of some width even where all errors agree.
    edges = np.geomspace(0.99 * errors.min(), 1.01 * errors.max(), 21)
    ax.hist(errors, bins=edges.tolist(), color="lightgrey", edgecolor="white")
    marks = {"mean": errors.mean(), "median": np.median(errors), "max": errors.max()}
    for style, (name, value) in zip(("-", "--", ":"), marks.items(), strict=True):
        colour = LINE_COLOURS[list(marks).index(name)]
        label = f"{name} {value:.2e}"
        ax.axvline(float(value), color=colour, linestyle=style, label=label)
    ax.set(xscale="log", xlabel="relative $L^2$ error", ylabel="test cases")
    _sparse_ticks(ax.xaxis)
    ax.set(title=f"error over {len(errors)} test cases")
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    ax.legend(fontsize=7.5, framealpha=0.8, edgecolor="none")
    return figure


def _sparse_ticks(axis: Any) -> None:
    """1, 2 and 5 of each decade: all of them run into each other across a panel."""
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.set_minor_formatter(NullFormatter())


def calibration_figure(residuals: Any, errors: Any, law: Law) -> Figure:
    """True errors over those that a calibrated residual predicts; one dot a sample."""
    predicted, errors = law(residuals), np.asarray(errors, float)
    figure, (ax,) = panels(1)
    figure.set_figwidth(1.4 * PANEL_INCHES[0])
    ends = np.array([predicted.min(), predicted.max()])
    ax.fill_between(
        ends, ends / law.spread, ends * law.spread, color="lightgrey", linewidth=0
    )
    name = f"equal, and within a factor {law.spread:.2f}"
    ax.plot(ends, ends, color="grey", linewidth=1.0, label=name)
    ax.plot(predicted, errors, "o", markersize=3.5)
    ax.set(xscale="log", yscale="log", ylabel="true relative $L^2$ error")
    ax.set(xlabel="error predicted from the residual")
    _sparse_ticks(ax.xaxis)
    correlation = rank_correlation(residuals, errors)
    ax.set(title=f"{len(errors)} samples, rank correlation {correlation:.2f}")
    ax.legend(fontsize=7.5, framealpha=0.8, edgecolor="none")
    _rule(ax)
    return figure


def poles_figure(grid: Grid, params: Any) -> Figure | None:
    """Learned decay rates and frequencies, in units of each axis; None without any."""
    layers = poles(params, grid.extents)
    if not layers:
        return None
    shown = [i for i, found in enumerate(layers[0]) if found.decay.size]
    figure, axes = panels(len(shown))
    for ax, number in zip(axes, shown, strict=True):
        axis = grid.axes[number]
        for index, layer in enumerate(layers):
            decay, frequency = np.ravel(layer[number].decay), layer[number].frequency
            marker, name = "os^Dv"[index % 5], f"layer {index + 1}"
            # Open markers: layers often start, and stay, on top of one another.
            ax.plot(decay, np.ravel(frequency), marker, fillstyle="none", label=name)
        ax.set(title=f"along {axis.name}", xlabel=f"decay rate [1/{axis.name}]")
        ax.set(ylabel=f"angular frequency [rad/{axis.name}]")
        _rule(ax)
    axes[0].legend(fontsize=7.5, framealpha=0.8, edgecolor="none")
    figure.suptitle(r"learned poles $\mu = -$decay $+\, i$ frequency")
    return figure


def pole_comparison(ax: Axes, true: Any, learned: Any, title: str) -> None:
    """True poles as crosses, learned ones as circles, in the complex plane."""
    ax.plot(np.real(true), np.imag(true), "x", markersize=9, label="true")
    learned = np.asarray(learned)
    ax.plot(learned.real, learned.imag, "o", fillstyle="none", label="learned")
    ax.set(title=title, xlabel=r"Re $\mu$ (minus the decay rate)")
    ax.set(ylabel=r"Im $\mu$ (angular frequency)")
    ax.margins(0.15)
    ax.legend(fontsize=7.5, framealpha=0.8, edgecolor="none")
    _rule(ax)


def _rule(ax: Axes) -> None:
    ax.grid(alpha=0.25, linewidth=0.6)


def _edges(axis: Axis) -> tuple[float, float]:
    """Where an image of the axis' nodes begins and ends: half a cell outside."""
    last = axis.low + axis.spacing * (axis.num_points - 1)
    return axis.low - axis.spacing / 2, last + axis.spacing / 2


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
