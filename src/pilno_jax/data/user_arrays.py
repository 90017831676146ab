"""Your own labelled arrays: read, checked, and held against the equation.

    arrays = read("mine.mat")
    mine = labelled(problem, {"u0": arrays["u0"]}, arrays["u"])
    print(mine)                  # the residual of your truth: is it small?
    training.fit(step, state, mine.data, ...)

Shapes tell most slips of orientation; two axes of one length, a reversed axis or pairs
out of order have the right shape, and show in the numbers.
"""

import dataclasses
import itertools
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from pilno_jax.checks import ArgumentError, require, require_choice, require_finite
from pilno_jax.data.labelled import Data
from pilno_jax.evaluation import error_estimate
from pilno_jax.problems.base import Inputs, Problem

# Outputs of a network that are tried to see which nodes none of them can change.
NUM_PROBES = 4


@dataclasses.dataclass(frozen=True)
class Labelled:
    """Checked data and what the physics says of it, a number for every sample.

    data: what `training.fit` and `batches` take.
    residuals: see `error_estimate.residuals`; None where labels are on part of the
        grid, since nothing can be differentiated there.
    mismatches: relative distance of the labels from the values that hard constraints
        prescribe (u at t = 0, say); None where they prescribe nothing.
    """

    data: Data
    residuals: np.ndarray | None
    mismatches: np.ndarray | None

    def __str__(self) -> str:
        lines = [f"{len(self.data['labels'])} labelled samples"]
        for name, found in (
            ("residual per size of u", self.residuals),
            ("distance from the prescribed values", self.mismatches),
        ):
            if found is not None:
                middle, worst = np.median(found), int(np.argmax(found))
                text = f"median {middle:.1e}, largest {found[worst]:.1e}"
                lines.append(f"{name}: {text} (sample {worst})")
        return "\n".join(lines)


def read(path: str | Path) -> dict[str, np.ndarray]:
    """The arrays of an .npz, .mat, .h5 or .hdf5 file, by name."""
    path = Path(path)
    suffixes = {".npz": _npz, ".mat": _mat, ".h5": _hdf5, ".hdf5": _hdf5}
    require_choice("suffix of the file", path.suffix, sorted(suffixes))
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    try:
        return suffixes[path.suffix](path)
    except (OSError, ValueError, TypeError, zipfile.BadZipFile) as error:
        reason = " ".join(str(error).split())
        raise ArgumentError(f"{path} cannot be read: {reason}") from error


def _npz(path: Path) -> dict[str, np.ndarray]:
    with np.load(path, allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}


def _mat(path: Path) -> dict[str, np.ndarray]:
    try:
        from scipy import io
    except ImportError as error:
        raise _missing("scipy", path) from error
    try:
        found = io.loadmat(path)
    except NotImplementedError:
        # Since version 7.3 a .mat file is HDF5, which holds arrays in the order of
        # MATLAB's memory: their axes come back reversed.
        return {name: array.T for name, array in _hdf5(path).items()}
    return {k: np.asarray(v) for k, v in found.items() if not k.startswith("__")}


def _hdf5(path: Path) -> dict[str, np.ndarray]:
    try:
        import h5py
    except ImportError as error:
        raise _missing("h5py", path) from error
    found = {}

    def keep(name: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset):
            found[name] = np.asarray(item[()])

    with h5py.File(path) as file:
        file.visititems(keep)
    return found


def _missing(package: str, path: Path) -> ImportError:
    text = f'reading {path.name} needs {package}: pip install "pilno-jax[data]"'
    return ImportError(text)


def labelled(problem: Problem, inputs: Mapping[str, Any], labels: Any) -> Labelled:
    """Samples along the first axis of every array; u in the order of the grid's axes.

    labels: on the whole grid, or on the problem's label nodes.
    """
    labels = _real("labels", labels)
    axes = [axis.name for axis in problem.grid.axes]
    axes += ["fields"] if problem.fields else []
    whole = problem.shape
    nodes = problem.restrict(jnp.zeros(whole)).shape
    on_grid = labels.shape[1:] == whole
    if labels.ndim != len(whole) + 1 or labels.shape[1:] not in (whole, nodes):
        allowed = f"(samples, {', '.join(axes)}) = (samples, {_sizes(nodes)})"
        allowed += _turned(labels.shape, nodes, axes)
        require(False, "shape of labels", labels.shape, allowed)

    one = jax.eval_shape(problem.sample, jax.random.key(0))
    names = sorted(set(one) - set(problem.solver_inputs))
    require(sorted(inputs) == names, "names of inputs", sorted(inputs), f"{names}")
    # In the shape of drawn inputs, which they meet in a batch; nothing reads these.
    checked: dict[str, Any] = {
        name: np.zeros((len(labels), *one[name].shape), one[name].dtype)
        for name in problem.solver_inputs
    }
    for name in names:
        value = checked[name] = _real(name, inputs[name]).astype(one[name].dtype)
        shape = (len(labels), *one[name].shape)
        require(value.shape == shape, f"shape of {name}", value.shape, f"{shape}")

    residuals = mismatches = None
    if on_grid:
        found = jax.jit(error_estimate.residuals(problem))
        residuals = np.asarray(found(jnp.asarray(labels), checked))
        mismatches = _mismatches(problem, checked, labels)
        labels = np.asarray(problem.restrict(jnp.asarray(labels)))
    return Labelled({"inputs": checked, "labels": labels}, residuals, mismatches)


def _real(name: str, value: Any) -> np.ndarray:
    array = np.asarray(value)
    fits = array.dtype.kind in "fiu"
    require(fits, f"dtype of {name}", str(array.dtype), "real numbers")
    require(array.ndim > 0, f"shape of {name}", array.shape, "an axis of samples")
    require_finite(name, array)
    return array.astype(jnp.result_type(float))


def _turned(found: tuple[int, ...], grid: tuple[int, ...], axes: list[str]) -> str:
    """A hint, where another order of the axes would have been right."""
    if len(found) != len(grid) + 1:
        return ""
    for order in itertools.permutations(range(len(found))):
        if tuple(found[i] for i in order)[1:] == grid:
            named = dict(zip(order, ("samples", *axes), strict=True))
            given = ", ".join(named[i] for i in range(len(found)))
            return f"; yours looks like ({given}): np.transpose(labels, {order})"
    return ""


def _sizes(shape: tuple[int, ...]) -> str:
    return ", ".join(map(str, shape))


def _mismatches(problem: Problem, inputs: Inputs, labels: np.ndarray):
    """Labels against the nodes that no output of a network could change."""
    shape = problem.shape
    probes = jax.random.normal(jax.random.key(0), (NUM_PROBES, *shape))

    def mismatch(inputs: Inputs, u: jax.Array) -> tuple[jax.Array, jax.Array]:
        alone = problem.constrain(jnp.zeros(shape), inputs)
        changes = jax.vmap(lambda raw: problem.constrain(raw, inputs) - alone)(probes)
        # The tolerance of `np.linalg.matrix_rank`: what sums along an axis may round.
        # A node that the network does reach looks like a prescribed one only if every
        # probe happens to be as small as that there.
        largest = jnp.max(jnp.abs(alone)) + jnp.max(jnp.abs(changes))
        rounding = max(shape) * jnp.finfo(u.dtype).eps * largest
        prescribed = jnp.max(jnp.abs(changes), 0) <= rounding
        weights = prescribed.astype(u.dtype)
        distance = jnp.sum(weights * (u - alone) ** 2) / jnp.sum(weights)
        return jnp.sqrt(distance / jnp.mean(u**2)), jnp.any(prescribed)

    found, any_prescribed = jax.jit(jax.vmap(mismatch))(inputs, jnp.asarray(labels))
    return np.asarray(found) if bool(np.all(any_prescribed)) else None
