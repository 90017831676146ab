"""Panels and what is drawn into one: the look that all figures share.

Figures are made without pyplot, so that nothing global is touched, no window opens and
threads do not meet. Viridis for fields, a red-blue map centred at zero for errors and
other signed ones (both readable without colour vision), and the Okabe-Ito colours for
lines.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pilno_jax.numerics.derivatives import along, interpolation
from pilno_jax.numerics.grids import Axis, Grid

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


def panels(
    count: int, columns: int = 3, inches: tuple[float, float] = PANEL_INCHES
) -> tuple[Figure, list[Axes]]:
    """A figure of equal panels.

    Args:
        count: how many.
        columns: at most so many in a row. Default 3, which fits a page.
        inches: width and height of a panel. Letters keep their size: in smaller
            panels they are larger where a figure is shown in the width of a page.
    """
    columns = min(count, columns)
    rows = -(-count // columns)
    width, height = inches
    with matplotlib.rc_context(LOOK):
        figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
        return figure, [figure.add_subplot(rows, columns, 1 + i) for i in range(count)]


def save(figure: Figure, path: str | Path) -> None:
    """Write a figure.

    Args:
        figure: which.
        path: where to; its suffix is the format, folders are created.
    """
    path = Path(path)
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
    """A field on a grid of two axes, time across or, without time, x across.

    Args:
        ax: the panel.
        grid: of two axes.
        u: values on it.
        title: of the panel.
        limits: (lowest, highest) value of the colours. Default: those of u.
        colours: name of a colour map. Default viridis.
    """
    image = np.asarray(u, float)
    for number, axis in enumerate(grid.axes):
        if axis.clustering:  # pixels are equidistant
            image = np.asarray(along(interpolation(axis, axis.even), image, number))
    across, up = (axis.even for axis in grid.axes)
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
    bar.formatter.set_powerlimits((-3, 3))  # type: ignore[attr-defined]


def signed_field(ax: Axes, grid: Grid, values: Any, title: str) -> None:
    """A field with a meaningful zero, an error say: zero amid the colours.

    Args:
        ax: the panel.
        grid: of two axes.
        values: on it.
        title: of the panel.
    """
    largest = float(np.abs(np.asarray(values)).max()) or 1.0
    field(ax, grid, values, title, (-largest, largest), SIGNED_COLOURS)


def lines(
    ax: Axes, axis: Axis, functions: dict[str, Any], title: str, value: str = ""
) -> None:
    """Functions of one axis, named in a legend if there are several.

    One named "reference" is broad and grey: a line that coincides with it is seen too.

    Args:
        ax: the panel.
        axis: what they are functions of.
        functions: name -> values on its nodes.
        title: of the panel.
        value: name of the vertical axis. Default: none.
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
    """For each name a bar of every kind, on a logarithmic scale.

    Args:
        ax: the panel.
        names: along the horizontal axis.
        values: kind -> a positive number for each name.
        title: of the panel.
    """
    places, width = np.arange(len(names)), 0.8 / len(values)
    for number, (kind, heights) in enumerate(values.items()):
        ax.bar(places + (number + 0.5) * width - 0.4, heights, width, label=kind)
    highest = max(max(heights) for heights in values.values())
    ax.set(title=title, yscale="log")
    ax.set_ylim(top=8 * highest)  # room for the legend
    ax.set_xticks(places, names, rotation=40, ha="right", fontsize=7.0)
    tight = {"columnspacing": 0.7, "handlelength": 0.8, "handletextpad": 0.3}
    look = {"fontsize": 6.5, "edgecolor": "none", "framealpha": 0.0, **tight}
    ax.legend(ncols=len(values), loc="upper center", **look)


def grid_lines(ax: Axes) -> None:
    """Faint lines to read values by."""
    ax.grid(alpha=0.25, linewidth=0.6)


def _edges(axis: Axis) -> tuple[float, float]:
    """Where an image of the axis' nodes begins and ends: half a cell outside."""
    last = axis.low + axis.spacing * (axis.num_points - 1)
    return axis.low - axis.spacing / 2, last + axis.spacing / 2
