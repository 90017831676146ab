"""Maps of errors: what operators were trained on across, what they are tested on up."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.ticker import StrMethodFormatter

from pilno_jax.plotting.panels import FIELD_COLOURS, PANEL_INCHES, panels

DARK = 0.6  # of the range of colours: letters are white below it


def error_maps(
    maps: Mapping[str, Any],
    trained: Sequence[str],
    tested: Sequence[str],
    name: str,
    title: str,
) -> Figure:
    """A panel for each way of training; colours, cells and the bar all in per cent.

    Args:
        maps: way of training -> array of relative errors, (trained, tested).
        trained: what the rows of the arrays were trained on.
        tested: what their columns are tested on.
        name: of what is varied, LaTeX between dollars.
        title: of the figure.
    """
    figure, axes = panels(len(maps))
    figure.set_figwidth(1.3 * len(maps) * PANEL_INCHES[0])
    maps = {way: 100 * np.asarray(errors) for way, errors in maps.items()}
    every = np.concatenate([errors.ravel() for errors in maps.values()])
    scale = LogNorm(every.min(), every.max())
    for ax, (way, errors) in zip(axes, maps.items(), strict=True):
        image = ax.imshow(errors.T, norm=scale, cmap=FIELD_COLOURS, origin="lower")
        ax.set_aspect("auto")
        ax.set_xticks(range(len(trained)), trained)
        ax.set_yticks(range(len(tested)), tested)
        ax.set(title=way, xlabel=f"{name} of training", ylabel=f"{name} of the test")
        for (column, row), error in np.ndenumerate(errors):
            colour = "white" if scale(error) < DARK else "black"
            style: Any = {"color": colour, "fontsize": 6, "ha": "center"}
            ax.text(column, row, f"{error:.2g}", va="center", **style)
    form = StrMethodFormatter("{x:g}")
    figure.colorbar(image, ax=axes, label="relative $L^2$ error [%]", format=form)
    figure.suptitle(title)
    return figure
