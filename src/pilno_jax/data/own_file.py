"""A labelled set from a file of the user's, checked as far as the equation can.

The file has an array for every input of the problem, by its name, and `u`, the labels
on the whole grid; of a system, an array for every field. Arrays called like an axis of
the grid are its nodes in the file, of which those of the problem are taken.
"""

import dataclasses
from pathlib import Path

import numpy as np

from pilno_jax.checks import ArgumentError, require
from pilno_jax.data.against_equation import require_prescribed, require_this_way_round
from pilno_jax.data.pdebench import is_pdebench, read_pdebench
from pilno_jax.data.user_arrays import Labelled, labelled, read
from pilno_jax.numerics.grids import Axis
from pilno_jax.problems.base import Problem

# Nodes of two grids are the same if they are so near, in spacings: files have float32.
NEAR = 1e-3


def labelled_file(
    problem: Problem, path: str | Path, first: int = 0, count: int | None = None
) -> Labelled:
    """Some samples of a file, with labels on the whole grid.

    Args:
        problem: what they are samples of.
        path: of a file that `user_arrays.read` takes; HDF5 may have PDEBench's layout.
        first: number of the first sample. Default 0.
        count: how many. Default: all that follow.

    Raises:
        ArgumentError: The file does not fit, or the equation speaks against it: labels
            are far from the values that inputs prescribe, or have a much smaller
            residual the other way round. Its text is one line.
        FileNotFoundError: There is no such file.
        ImportError: A package that reads it is missing; `pilno-jax[data]` has it.
    """
    path = Path(path)
    stop = None if count is None else first + count
    if path.is_file() and is_pdebench(path):
        arrays, total = read_pdebench(problem, path, slice(first, stop))
    else:
        arrays, total = _plain(problem, path, slice(first, stop))
    allowed = f"at most {total}: {path.name} has no more"
    require((stop or first) <= total, "number of samples", stop or first, allowed)
    inputs, labels = _on_grid(problem, arrays, path)
    mine = labelled(problem, inputs, labels)
    allowed = f"{problem.shape} behind the samples, the whole grid"
    fits = labels.shape[1:] == problem.shape
    require(fits, f"shape of u in {path.name}", labels.shape, allowed)
    data = {**mine.data, "labels": labels.astype(mine.data["labels"].dtype)}
    mine = dataclasses.replace(mine, data=data)
    require_prescribed(mine)
    require_this_way_round(problem, mine)
    return mine


def _plain(
    problem: Problem, path: Path, samples: slice
) -> tuple[dict[str, np.ndarray], int]:
    """The samples of a file that calls its arrays as the problem does."""
    arrays = read(path)
    wanted = [*_input_names(problem), *(problem.fields or ("u",))]
    missing = [name for name in wanted if name not in arrays]
    if missing:
        raise ArgumentError(
            f"{path} has no {' and no '.join(map(repr, missing))}: expected arrays "
            f"{wanted}, found {sorted(arrays)}"
        )
    axes = {axis.name for axis in problem.grid.axes} - set(wanted)
    nodes = {name: np.ravel(arrays[name]) for name in axes & arrays.keys()}
    chosen = {name: np.atleast_1d(arrays[name])[samples] for name in wanted}
    return chosen | nodes, len(np.atleast_1d(arrays[wanted[-1]]))


def _input_names(problem: Problem) -> list[str]:
    names = problem.input_fields()
    return [name for name in names if name not in problem.solver_inputs]


def _on_grid(
    problem: Problem, arrays: dict[str, np.ndarray], path: Path
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Inputs and labels on the nodes of the problem, where the file names its own."""
    fields = problem.input_fields()
    chosen = {
        axis.name: (len(arrays[axis.name]), _chosen(axis, arrays[axis.name], path))
        for axis in problem.grid.axes
        if axis.name in arrays and axis.name not in fields
    }

    def taken(array: np.ndarray, axes: tuple[str, ...] | None) -> np.ndarray:
        for number, name in enumerate(axes or (), 1):
            size, nodes = chosen.get(name, (-1, np.empty(0, int)))
            # Of another length, it is left to `labelled`, which says what is wrong.
            if array.shape[number : number + 1] == (size,):
                array = np.take(array, nodes, number)
        return array

    inputs = {n: taken(arrays[n], fields[n].axes) for n in _input_names(problem)}
    axes = tuple(axis.name for axis in problem.grid.axes)
    labels = [taken(arrays[name], axes) for name in problem.fields or ("u",)]
    return inputs, np.stack(labels, -1) if problem.fields else labels[0]


def _chosen(axis: Axis, given: np.ndarray, path: Path) -> np.ndarray:
    """Which nodes of the file are those of the problem.

    On a circle it does not matter where the nodes begin, and cells have their centres
    half a spacing further on.
    """
    wanted, spacing = axis.nodes(), float(np.abs(np.diff(given)).max(initial=0.0))
    offset, period = 0.0, axis.extent
    if axis.periodic:
        offset = float(given[0] - axis.low)
        offset = offset if 0 <= offset < spacing else 0.0
        period = spacing * len(given)
    distances = np.abs(given[None] - offset - wanted[:, None])
    near = NEAR * axis.extent / axis.num_points
    fits = distances.min(1).max() <= near and abs(period - axis.extent) <= near
    text = f"{len(given)} nodes from {given[0]:g} to {given[-1]:g}"
    allowed = f"the nodes of the problem's axis among them, {axis}"
    require(bool(fits), f"{axis.name} in {path.name}", text, allowed)
    return distances.argmin(1)
