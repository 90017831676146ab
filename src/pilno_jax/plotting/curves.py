"""Figures of a run: how it trained, how large its errors are, the poles it learned."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import (
    FuncFormatter,
    LogLocator,
    MaxNLocator,
    NullFormatter,
)

from pilno_jax.evaluation.error_estimate import PowerLaw, rank_correlation
from pilno_jax.models import poles
from pilno_jax.numerics.grids import Grid
from pilno_jax.plotting.panels import LINE_COLOURS, PANEL_INCHES, grid_lines, panels
from pilno_jax.readable_numbers import rounded


def loss_figure(
    steps: Any, terms: dict[str, Any], stage_starts: Sequence[float] = ()
) -> Figure:
    """The loss, in black, and its unweighted terms over the steps.

    Args:
        steps: of the rows of a log.
        terms: name -> value in each row, NaN where there is none; "loss" is the total.
        stage_starts: steps at which correctors began, marked by lines. Default: none.
    """
    figure, (ax,) = panels(1)
    figure.set_figwidth(2 * PANEL_INCHES[0])
    for name, values in terms.items():
        total = {"color": "black", "linewidth": 2.2} if name == "loss" else {}
        # One row is a point, which a line without markers would not show.
        marker = "." if len(steps) == 1 else ""
        ax.plot(steps, np.asarray(values, float), marker=marker, label=name, **total)
    ax.set(xlabel="step", ylabel="mean over logged steps", yscale="log")
    ax.set(title="loss and its unweighted terms")
    _mark_stages(ax, stage_starts)
    ax.legend(fontsize=7.5, framealpha=0.8, edgecolor="none")
    grid_lines(ax)
    return figure


def validation_figure(
    steps: Any, minutes: Any, errors: Any, stages: Sequence[int] = ()
) -> Figure:
    """The error of the validation set over steps and over wall-clock time.

    Args:
        steps: at which it was measured.
        minutes: since the start, at the same moments.
        errors: mean relative errors.
        stages: which stage was trained then, from 1 on. Default: one and the same.
    """
    figure, axes = panels(2)
    later = np.flatnonzero(np.diff(stages)) if len(stages) else ()
    for ax, places, name in zip(
        axes, (steps, minutes), ("step", "wall-clock time [min]"), strict=True
    ):
        ax.plot(places, errors, marker=".")
        _mark_stages(ax, [places[row] for row in later])
        ax.set(xlabel=name, ylabel="mean relative $L^2$ error", yscale="log")
        grid_lines(ax)
    figure.suptitle("validation error")
    return figure


def time_figure(
    problems: Mapping[str, tuple[Mapping[str, tuple[Any, Any]], float | None]],
) -> Figure:
    """Errors over seconds of training, a panel for each problem.

    Args:
        problems: title -> (name of a curve -> its seconds and errors, the error of the
            paper or None).
    """
    figure, axes = panels(len(problems))
    for ax, (title, (curves, paper)) in zip(axes, problems.items(), strict=True):
        errors_over_seconds(ax, curves, paper, title)
    return figure


def errors_over_seconds(
    ax: Axes,
    curves: Mapping[str, tuple[Any, Any]],
    paper: float | None,
    title: str,
) -> None:
    """How good a training is how soon.

    Args:
        ax: the panel.
        curves: name -> seconds and errors.
        paper: the error of the paper; None for none.
        title: of the panel.
    """
    for name, (seconds, errors) in curves.items():
        ax.plot(seconds, errors, marker=".", label=name)
    if paper is not None:
        ax.axhline(paper, color="black", linestyle="--", label="the paper's error")
    ax.set(xlabel="seconds", ylabel="mean relative $L^2$ error", yscale="log")
    ax.set_title(title, fontsize=9)
    ax.set_xlim(left=0)
    lowest = min(float(np.min(errors)) for _, errors in curves.values())
    ax.set_ylim(bottom=lowest / 30)  # room for the legend
    ax.legend(fontsize=7.0, framealpha=0.8, edgecolor="none", loc="lower left")
    grid_lines(ax)


def epochs_figure(
    trainings: Mapping[str, Mapping[str, tuple[Any, Any, float | None]]],
) -> Figure:
    """Validation errors over epochs.

    Args:
        trainings: title of a panel -> label of a line -> epochs, errors, and the error
            that is printed of it, a dashed line of the same colour, or None. Of lines
            that share one the first has it.
    """
    figure, axes = panels(len(trainings), columns=2, inches=(4.6, 3.4))
    colours = len(LINE_COLOURS)
    for ax, (title, lines) in zip(axes, trainings.items(), strict=True):
        drawn: set[float] = set()
        for index, (label, (epochs, errors, printed)) in enumerate(lines.items()):
            colour = LINE_COLOURS[index % colours]
            style = "-" if index < colours else ":"
            ax.plot(epochs, errors, color=colour, linestyle=style, label=label)
            if printed is not None and printed not in drawn:
                ax.axhline(printed, color=colour, linestyle="--", linewidth=1.0)
                drawn.add(printed)
        ax.set(xlabel="epoch", ylabel="mean relative $L^2$ error", yscale="log")
        ax.set_title(title)
        # Two columns of long labels would reach into the next panel.
        columns = 2 if max(map(len, lines)) <= 36 else 1
        # Below the axis' label, however high the panel is: pads are in font sizes.
        below = {"loc": "upper center", "bbox_to_anchor": (0.5, 0.0)}
        pads = {"borderaxespad": 4.5, "edgecolor": "none"}
        ax.legend(fontsize=7.0, ncols=columns, **pads, **below)
        grid_lines(ax)
    return figure


def _mark_stages(ax: Axes, starts: Sequence[float]) -> None:
    """Where a stage ended and the next one, its corrector, began."""
    for number, start in enumerate(starts, 2):
        ax.axvline(start, color="grey", linestyle=":", linewidth=1.0)
        ax.text(
            start,
            1.0,
            f" stage {number}",
            transform=ax.get_xaxis_transform(),
            va="top",
            fontsize=7.5,
            color="grey",
        )


def error_figure(errors: Any) -> Figure:
    """How many test inputs have which relative error, in per cent.

    Args:
        errors: positive, one for each input.
    """
    errors = 100 * np.asarray(errors, float)
    figure, (ax,) = panels(1)
    figure.set_figwidth(2 * PANEL_INCHES[0])
    # Bins equal in the logarithm, and of some width even where all errors agree.
    edges = np.geomspace(0.99 * errors.min(), 1.01 * errors.max(), 21)
    ax.hist(errors, bins=edges.tolist(), color="lightgrey", edgecolor="white")
    marks = {"mean": errors.mean(), "median": np.median(errors), "max": errors.max()}
    for style, (name, value) in zip(("-", "--", ":"), marks.items(), strict=True):
        colour = LINE_COLOURS[list(marks).index(name)]
        label = f"{name} {rounded(value)} %"
        ax.axvline(float(value), color=colour, linestyle=style, label=label)
    ax.set(xscale="log", xlabel="relative $L^2$ error [%]", ylabel="test inputs")
    _sparse_ticks(ax.xaxis)
    ax.set(title=f"errors of {len(errors)} test inputs")
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    ax.legend(fontsize=7.5, framealpha=0.8, edgecolor="none")
    return figure


def _sparse_ticks(axis: Any) -> None:
    """1, 2 and 5 of each decade: all of them run into each other across a panel."""
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def calibration_figure(residuals: Any, errors: Any, law: PowerLaw) -> Figure:
    """True errors over those that a calibrated residual predicts; one dot a sample.

    Args:
        residuals: of the samples, as `error_estimate.residuals` measures them.
        errors: their true relative errors.
        law: from `error_estimate.calibrate`.
    """
    correlation = rank_correlation(residuals, errors)
    predicted, errors = 100 * law(residuals), 100 * np.asarray(errors, float)
    figure, (ax,) = panels(1)
    figure.set_figwidth(1.4 * PANEL_INCHES[0])
    ends = np.array([predicted.min(), predicted.max()])
    ax.fill_between(
        ends, ends / law.spread, ends * law.spread, color="lightgrey", linewidth=0
    )
    name = f"equal, and within a factor {law.spread:.2f}"
    ax.plot(ends, ends, color="grey", linewidth=1.0, label=name)
    ax.plot(predicted, errors, "o", markersize=3.5)
    ax.set(xscale="log", yscale="log", ylabel="true relative $L^2$ error [%]")
    ax.set(xlabel="error predicted from the residual [%]")
    _sparse_ticks(ax.xaxis)
    _sparse_ticks(ax.yaxis)
    ax.set(title=f"{len(errors)} samples, rank correlation {correlation:.2f}")
    ax.legend(fontsize=7.5, framealpha=0.8, edgecolor="none")
    grid_lines(ax)
    return figure


def error_bar_figure(errors: Any, expected: Any, bounds: Any) -> Figure:
    """True errors over those that an operator expects of itself; one dot a sample.

    Args:
        errors: relative errors of the samples.
        expected: what the operator's error bar says of each.
        bounds: what it says that most of them stay below.
    """
    errors, expected, bounds = (
        100 * np.asarray(values, float) for values in (errors, expected, bounds)
    )
    order = np.argsort(expected)
    figure, (ax,) = panels(1)
    figure.set_figwidth(1.6 * PANEL_INCHES[0])
    ends = expected[order[[0, -1]]]
    ax.plot(ends, ends, color="grey", linewidth=1.0, label="as expected")
    dashed = {"color": "grey", "linestyle": "--", "linewidth": 1.0}
    ax.plot(expected[order], bounds[order], label="its bound", **dashed)
    ax.plot(expected, errors, "o", markersize=3.5, alpha=0.8, label="test inputs")
    ax.set(xscale="log", yscale="log", ylabel="true relative $L^2$ error [%]")
    ax.set(xlabel="error that the operator expects [%]")
    _sparse_ticks(ax.xaxis)
    _sparse_ticks(ax.yaxis)
    ax.legend(fontsize=7.5, framealpha=0.8, edgecolor="none")
    grid_lines(ax)
    return figure


def poles_figure(grid: Grid, params: Any, unit: float = 1.0) -> Figure | None:
    """Learned decay rates and frequencies, in units of each axis; None without any.

    Args:
        grid: whose axes' lengths give the units.
        params: of a network.
        unit: the network's `pole_unit`. Default 1.
    """
    layers = poles(params, grid.extents, unit)
    if not layers:
        return None
    with_poles = [i for i, along in enumerate(layers[0]) if along.decay.size]
    figure, axes = panels(len(with_poles))
    for ax, number in zip(axes, with_poles, strict=True):
        axis = grid.axes[number]
        for index, layer in enumerate(layers):
            decay, frequency = np.ravel(layer[number].decay), layer[number].frequency
            marker, name = "os^Dv"[index % 5], f"layer {index + 1}"
            # Open markers: layers often start, and stay, on top of one another.
            ax.plot(decay, np.ravel(frequency), marker, fillstyle="none", label=name)
        ax.set(title=f"along {axis.name}", xlabel=f"decay rate [1/{axis.name}]")
        ax.set(ylabel=f"angular frequency [rad/{axis.name}]")
        grid_lines(ax)
    axes[0].legend(fontsize=7.5, framealpha=0.8, edgecolor="none")
    figure.suptitle(r"learned poles $\mu = -$decay $+\, i$ frequency")
    return figure


def pole_comparison(ax: Axes, true: Any, learned: Any, title: str) -> None:
    """True poles as crosses, learned ones as circles, in the complex plane.

    Args:
        ax: the panel.
        true: complex numbers.
        learned: complex numbers.
        title: of the panel.
    """
    ax.plot(np.real(true), np.imag(true), "x", markersize=9, label="true")
    learned = np.asarray(learned)
    ax.plot(learned.real, learned.imag, "o", fillstyle="none", label="learned")
    ax.set(title=title, xlabel=r"Re $\mu$ (minus the decay rate)")
    ax.set(ylabel=r"Im $\mu$ (angular frequency)")
    ax.margins(0.15)
    ax.legend(fontsize=7.5, framealpha=0.8, edgecolor="none")
    grid_lines(ax)
