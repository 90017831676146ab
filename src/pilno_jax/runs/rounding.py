"""Parameters in as few bits as the answers of their operator need.

A weight becomes a whole number of steps. The weights of one mode share a step, which is
the coarser the less the answers depend on them. With the mean square s of

    d u / d weight, relative to the norm of u,

over a mode, and N weights in all, the steps sqrt(12 / (N s)) change give every weight
an equal part in a relative change of u of about `change`: errors of rounding are spread
evenly over a step and know nothing of each other. Small arrays are kept in half
precision.

On disk whole numbers are bytes, all lowest ones first, and LZMA finds out how many bits
they are worth.
"""

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from pilno_jax.operators import Params, Predict
from pilno_jax.problems.base import Inputs

SMALL = 8192  # entries, below which an array is not worth a rounding of its own
PROBES = 4  # random directions of u; each sees all weights at once
STEPS = ":steps"  # behind the name of an array: its steps


def squared_sensitivities(
    operator: Predict, params: Params, inputs: Inputs, key: jax.Array
) -> Params:
    """For every parameter the mean square of d u / d parameter, over the norm of u.

    Args:
        operator: (params, batch of inputs) -> u.
        params: where to differentiate.
        inputs: a batch like those that the operator will be asked for.
        key: of the directions in which u is looked at.
    """

    @jax.jit
    def squares(key: jax.Array) -> Params:
        u, back = jax.vjp(lambda params: operator(params, inputs), params)
        size = jnp.sqrt(jnp.sum(u**2, tuple(range(1, u.ndim)), keepdims=True))
        # A random sign per node: the expected square is the sum over the nodes.
        signs = jax.random.rademacher(key, u.shape, u.dtype)
        (slopes,) = back(signs / (size * jnp.sqrt(jnp.asarray(len(u), u.dtype))))
        return jax.tree.map(jnp.square, slopes)

    every = [squares(one) for one in jax.random.split(key, PROBES)]
    return jax.tree.map(lambda *squares: sum(squares) / PROBES, *every)


def rounded(
    weights: Mapping[str, Any], squares: Mapping[str, Any], change: float
) -> dict[str, np.ndarray]:
    """The weights as whole numbers with their steps, or in half precision.

    Args:
        weights: arrays by name.
        squares: their `squared_sensitivities`, by the same names.
        change: the relative change of an answer that rounding may make; an eighth of
            the operator's error adds a few per cent to it.
    """
    count = sum(np.size(array) for array in weights.values())
    arrays: dict[str, np.ndarray] = {}
    for name, weight in weights.items():
        weight = np.asarray(weight, np.float32)
        if weight.size < SMALL:
            arrays[name] = weight.astype(np.float16)
            continue
        of_mode = _mean_of_mode(np.asarray(squares[name], np.float64))
        steps = change * np.sqrt(12 / (count * of_mode + 1e-300))
        # No coarser than a mode's own size: other inputs may depend on it more.
        size = np.sqrt(_mean_of_mode(np.square(weight, dtype=np.float64)))
        steps = np.clip(steps, 1e-8 * size, size).astype(np.float32)
        arrays[name] = _as_bytes(np.round(weight / np.maximum(steps, 1e-30)))
        arrays[name + STEPS] = steps
    return arrays


def restored(arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The weights that `rounded` made these arrays of, in single precision.

    Arrays that it did not make are weights as they are.
    """
    weights = {}
    for name in arrays:
        if name.endswith(STEPS):
            continue
        stored = arrays[name]
        steps = arrays.get(name + STEPS)
        plain = stored if steps is None else _from_bytes(stored) * steps
        is_rounded = steps is not None or stored.dtype == np.float16
        weights[name] = plain.astype(np.float32) if is_rounded else plain
    return weights


def write_arrays(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """An .npz that `np.load` reads, by LZMA a tenth smaller than NumPy's own."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w") as file:
                np.lib.format.write_array(file, array, allow_pickle=False)


def read_arrays(path: Path) -> dict[str, np.ndarray]:
    with np.load(path, allow_pickle=False) as stored:
        return dict(stored)


def _mean_of_mode(x: np.ndarray) -> np.ndarray:
    """Over all axes but the first two, which number the modes of a kernel."""
    return x.mean(tuple(range(2 if x.ndim > 2 else 0, x.ndim)), keepdims=True)


def _as_bytes(numbers: np.ndarray) -> np.ndarray:
    """(bytes, *shape) of 0, -1, 1, -2, 2 ... -> 0, 1, 2, 3, 4 ..., lowest bytes first.

    Small numbers of either sign then leave the higher bytes zero.
    """
    numbers = numbers.astype(np.int32)
    folded = ((numbers << 1) ^ (numbers >> 31)).astype(np.uint32)
    planes = [(folded >> shift & 255).astype(np.uint8) for shift in (0, 8, 16, 24)]
    used = max([i for i, plane in enumerate(planes, 1) if plane.any()], default=1)
    return np.stack(planes[:used])


def _from_bytes(planes: np.ndarray) -> np.ndarray:
    shifts = 8 * np.arange(len(planes)).reshape(-1, *(1,) * (planes.ndim - 1))
    folded = np.sum(planes.astype(np.int64) << shifts, axis=0)
    return (folded >> 1) ^ -(folded & 1)
