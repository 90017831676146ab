"""PDEBench's files of one-dimensional problems, as they are downloaded.

Their HDF5 holds `tensor` of shape (samples, t, x), `x-coordinate` and `t-coordinate`,
which may have one time more than the tensor.
"""

from pathlib import Path
from typing import Any

import numpy as np

from pilno_jax.checks import require
from pilno_jax.problems.base import Problem

NAMES = ("tensor", "x-coordinate", "t-coordinate")
SUFFIXES = (".h5", ".hdf5")


def is_pdebench(path: Path) -> bool:
    """Whether a file has that layout. What is no HDF5 has not."""
    try:
        import h5py
    except ImportError:  # `user_arrays.read` says how to get it
        return False
    if path.suffix not in SUFFIXES or not h5py.is_hdf5(path):
        return False
    with h5py.File(path) as file:
        return file.keys() >= set(NAMES)


def read_pdebench(
    problem: Problem, path: Path, samples: slice
) -> tuple[dict[str, np.ndarray], int]:
    """Arrays by the problem's names, and how many samples the file has.

    Args:
        problem: of one field on (x, t), whose only input are its values at t = 0.
        path: of the file, some of which have gigabytes: no more is read than needed.
        samples: which of them.
    """
    import h5py

    x, t = _axes(problem)
    initial = _initial_value(problem, x)
    with h5py.File(path) as file:
        datasets: list[Any] = [file[name] for name in NAMES]
        tensor, *nodes = datasets
        x_nodes, t_nodes = (np.asarray(one) for one in nodes)
        shape, (num_x, num_t) = tensor.shape, (len(x_nodes), len(t_nodes))
        sizes = [(num_t, num_x), (num_t - 1, num_x)]
        allowed = f"(samples, t, x) = (samples, {num_t}, {num_x}), as its coordinates"
        fits = shape[1:] in sizes
        require(fits, f"shape of tensor in {path.name}", shape, allowed)
        u = np.asarray(tensor[samples])
    coordinates = {x: x_nodes, t: t_nodes[: shape[1]]}
    return {initial: u[:, 0], "u": np.moveaxis(u, 1, 2), **coordinates}, shape[0]


def _axes(problem: Problem) -> tuple[str, str]:
    names = tuple(axis.name for axis in problem.grid.axes)
    fits = len(names) == 2 and problem.time_axis == 1 and not problem.fields
    allowed = "one field of x and t, as PDEBench's one-dimensional files have"
    require(fits, f"grid of {problem.name!r}", str(problem.grid), allowed)
    return names[0], names[1]


def _initial_value(problem: Problem, x: str) -> str:
    inputs = {
        name: field.axes
        for name, field in problem.input_fields().items()
        if name not in problem.solver_inputs
    }
    allowed = "one function of x, its initial value: PDEBench's files have no other"
    fits = list(inputs.values()) == [(x,)]
    require(fits, f"inputs of {problem.name!r}", sorted(inputs), allowed)
    return next(iter(inputs))
