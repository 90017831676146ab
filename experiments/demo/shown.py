"""Fields as the page draws them: finer than the grid, with the digits one can see."""

import math
from typing import Any

import matplotlib
import numpy as np

from pilno_jax.numerics.derivatives import interpolation
from pilno_jax.numerics.grids import Axis, Grid

FINE = 64  # points of an axis that look smooth
DEGREE = 3  # of the polynomials between nodes; higher ones swing beside a shock


class FinerGrid:
    """A grid with more points between its nodes, for the eye alone.

    Args:
        grid: of the fields that are drawn. Fields of three axes stay as they are: they
            are large enough.
    """

    def __init__(self, grid: Grid):
        flat = len(grid.axes) == 2
        factors = [
            math.ceil(FINE / axis.num_points) if flat else 1 for axis in grid.axes
        ]
        self.axes = [
            axis.refined(factor)
            for axis, factor in zip(grid.axes, factors, strict=True)
        ]
        self.matrices = [
            interpolation(coarse, fine, DEGREE) if coarse != fine else None
            for coarse, fine in zip(grid.axes, self.axes, strict=True)
        ]

    def numbers(self, field: Any) -> Any:
        """Nested lists of the field between the nodes."""
        values = np.asarray(field, float)
        for number, matrix in enumerate(self.matrices):
            if matrix is not None:
                moved = np.tensordot(matrix, values, axes=(1, number))
                values = np.moveaxis(moved, 0, number)
        return numbers(values)


def numbers(field: Any) -> Any:
    """Nested lists with the five digits that a picture can show."""
    values = np.asarray(field, float)
    size = np.where(values == 0, 1.0, np.abs(values))
    unit = 10.0 ** (np.floor(np.log10(size)) - 4)
    return (np.round(values / unit) * unit).tolist()


def about_axis(axis: Axis) -> dict[str, Any]:
    return {
        "name": axis.name,
        "periodic": axis.periodic,
        "coordinates": numbers(axis.coordinates),
    }


def colours(name: str) -> list[list[int]]:
    """A colour map of matplotlib's as a table of 64 colours."""
    table = matplotlib.colormaps[name](np.linspace(0.0, 1.0, 64))
    return (255 * np.asarray(table)[:, :3]).round().astype(int).tolist()
