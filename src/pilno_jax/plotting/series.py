"""Figures of functions of one axis, a time series say: as curves, not as colours."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pilno_jax.numerics.grids import Axis
from pilno_jax.plotting.panels import lines, panels
from pilno_jax.readable_numbers import percent


def compared(axis: Axis, truth: Any, prediction: Any, title: str) -> Figure:
    """Reference and prediction, their difference, and the spectra of all three.

    Args:
        axis: what they are functions of.
        truth: the reference.
        prediction: the network's.
        title: over all panels.
    """
    error = np.asarray(prediction) - np.asarray(truth)
    figure, axes = panels(3)
    pair = {"reference": truth, "prediction": prediction}
    lines(axes[0], axis, pair, "reference and prediction", "$u$")
    lines(axes[1], axis, {"difference": error}, "prediction - reference", "error")
    spectra(axes[2], axis, {**pair, "difference": error})
    figure.suptitle(title)
    return figure


def spectra(ax: Axes, axis: Axis, functions: dict[str, Any]) -> None:
    """Size of each frequency, on a logarithmic scale.

    Args:
        ax: the panel.
        axis: what the functions are functions of; ends that do not meet are faded out.
        functions: name -> values on its nodes; "reference" is broad and grey.
    """
    fade = np.hanning(axis.num_points)
    fade *= 2 / fade.sum()
    frequencies = 2 * np.pi * np.fft.rfftfreq(axis.num_points, axis.spacing)
    broad: dict[str, Any] = {"color": "0.75", "linewidth": 5.0}
    top = 0.0
    for name, values in functions.items():
        size = np.abs(np.fft.rfft(fade * np.asarray(values, float)))
        style: dict[str, Any] = broad if name == "reference" else {"linewidth": 1.0}
        ax.plot(frequencies, size, label=name, **style)
        top = max(top, float(size.max()))
    ax.set(title="spectra", xlabel="angular frequency", ylabel="size", yscale="log")
    ax.set_ylim(1e-6 * (top or 1.0), 3 * (top or 1.0))
    ax.margins(x=0)
    ax.grid(alpha=0.25, linewidth=0.6)
    ax.legend(fontsize=7.5, framealpha=0.8, edgecolor="none", handlelength=1.2)


def errors_of_stages(
    axis: Axis, truth: Any, fields: dict[str, Any], title: str
) -> Figure:
    """The reference, and how far off it is after each correction, in decades.

    Args:
        axis: what they are functions of.
        truth: the reference.
        fields: what the operator has after each correction, by name.
        title: over all panels.
    """
    figure, (first, second) = panels(2)
    lines(first, axis, {"reference": truth}, "reference $u$", "$u$")
    size = float(np.linalg.norm(truth))
    errors = {}
    for name, u in fields.items():
        error = np.asarray(u) - np.asarray(truth)
        relative = percent(float(np.linalg.norm(error)) / size)
        errors[f"{name}: {relative}"] = np.maximum(np.abs(error), 1e-12)
    lines(second, axis, errors, "after each correction", "size of the error")
    second.set_yscale("log")
    figure.suptitle(title)
    return figure


def rivals(axis: Axis, rows: dict[str, dict[str, dict[str, Any]]]) -> Figure:
    """What networks predict beside the reference, and spectra of the last case.

    Args:
        axis: what they are functions of.
        rows: name -> case, "median" say -> "reference" or network -> values.
    """
    count = 1 + max(len(cases) for cases in rows.values())
    figure, axes = panels(count * len(rows), columns=count)
    for row, (name, cases) in enumerate(rows.items()):
        own = axes[row * count : (row + 1) * count]
        for ax, (case, functions) in zip(own, cases.items(), strict=False):
            lines(ax, axis, functions, f"{name}: {case}", "$u$")
            truth = np.asarray(functions["reference"])
            middle, half = truth.mean(), np.abs(truth - truth.mean()).max()
            ax.set_ylim(middle - 1.5 * half, middle + 1.5 * half)
        spectra(own[-1], axis, functions)
        own[-1].set_title(f"spectra, {case}")
    return figure


def side_by_side(axis: Axis, cases: dict[str, tuple[Any, Any]], title: str) -> Figure:
    """Reference and prediction of several cases, a panel each.

    Args:
        axis: what they are functions of.
        cases: title of a panel -> (reference, prediction).
        title: over all panels.
    """
    figure, axes = panels(len(cases))
    for ax, (name, (truth, prediction)) in zip(axes, cases.items(), strict=True):
        lines(ax, axis, {"reference": truth, "prediction": prediction}, name, "$u$")
    figure.suptitle(title)
    return figure
