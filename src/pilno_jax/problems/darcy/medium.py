"""The medium of Darcy flow: its values on nodes, and what its faces conduct."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float

from pilno_jax.checks import require, require_finite
from pilno_jax.problems.base import Inputs


def inputs_from(a_fine: Any, num_points: int = 61) -> Inputs:
    """The inputs of `darcy` for any medium of your own.

    Args:
        a_fine: positive permeabilities (N, N) on the nodes of a fine grid; `solve`
            expects N = num_fine of the problem.
        num_points: nodes a side of the problem's grid, whose intervals divide those of
            the fine one. Default 61, that of `darcy`.
    """
    shape = np.shape(a_fine)
    square = len(shape) == 2 and shape[0] == shape[1]
    require(square, "shape of a_fine", shape, "(N, N), one sample")
    require_divides("num_points", num_points, "points of a_fine", shape[0])
    require_finite("a_fine", a_fine)
    if not isinstance(a_fine, Tracer):
        lowest = np.min(a_fine)
        require(lowest > 0, "minimum of a_fine", lowest, "a positive number")
    a_fine = jnp.asarray(a_fine, jnp.result_type(float))
    stride = (shape[0] - 1) // (num_points - 1)
    a_x, a_y = _compiled_coefficients(a_fine, num_points)
    return {"a": a_fine[::stride, ::stride], "a_x": a_x, "a_y": a_y, "a_fine": a_fine}


def blocks_around_nodes(a: Any, num_fine: int) -> np.ndarray | jax.Array:
    """The fine medium that has, in a block around each coarse node, the node's value.

    Args:
        a: values (n, n) on the nodes of the coarse grid.
        num_fine: nodes a side of the fine grid.
    """
    coarse = a if isinstance(a, Tracer) else np.asarray(a)
    nearest = np.linspace(0, len(coarse) - 1, num_fine).round().astype(int)
    return coarse[nearest][:, nearest]


def face_shapes(num_points: int) -> dict[str, tuple[int, int]]:
    """Shapes of a_x and a_y on a grid of `num_points` nodes a side."""
    n = num_points
    return {"a_x": (n - 1, n - 2), "a_y": (n - 2, n - 1)}


def face_coefficients(
    a_fine: Float[np.ndarray | Array, "fine fine"], num_points: int
) -> tuple[Float[Array, "edges inner"], Float[Array, "inner edges"]]:
    """a_x (n - 1, n - 2) and a_y (n - 2, n - 1) of the coarse grid's faces.

    Between two coarse nodes the fine faces conduct in series, so their mean is
    harmonic; across the width of a coarse face (one coarse cell, centred on the node)
    they conduct in parallel, so it is arithmetic. The exact solution of the coarse
    equations is then far closer to the fine one than with faces averaged from coarse
    nodal values. A fine face is the mean of its two nodes, as in the reference solver
    of PINO; on num_points = len(a_fine) it is the coarse face too.

    Args:
        a_fine: values on the nodes of the fine grid.
        num_points: n, nodes a side of the coarse grid.
    """
    return _x_faces(a_fine, num_points), _x_faces(a_fine.T, num_points).T


def side_coefficients(
    a_fine: Float[np.ndarray | Array, "fine fine"], num_points: int
) -> Float[Array, " edges"]:
    """Of the faces along the side x = 0, (n - 1,), as if the medium had a mirror there.

    Args:
        a_fine: values on the nodes of the fine grid.
        num_points: n, nodes a side of the coarse grid.
    """
    series = _in_series(a_fine.T, num_points)
    distances = np.arange(a_fine.shape[0])
    ratio = (len(distances) - 1) // (num_points - 1)
    once = np.clip((ratio + 1) / 2 - distances, 0.0, 1.0) / ratio
    both_sides = np.where(distances == 0, once, 2 * once)
    weights = jnp.asarray(both_sides, a_fine.dtype)
    return jnp.matmul(series, weights, precision="highest")


_compiled_coefficients = jax.jit(face_coefficients, static_argnums=1)


def _x_faces(a_fine: np.ndarray | jax.Array, num_points: int) -> jax.Array:
    parallel = _dual_average(a_fine.shape[0], num_points)
    parallel = jnp.asarray(parallel, a_fine.dtype)
    series = _in_series(a_fine, num_points)
    return jnp.matmul(series, parallel.T, precision="highest")


def _in_series(a_fine: np.ndarray | jax.Array, num_points: int) -> Any:
    """Of the fine faces between coarse nodes in x, on every fine line, (n - 1, N)."""
    fine = a_fine.shape[0]
    ratio = (fine - 1) // (num_points - 1)
    resistances = 2.0 / (a_fine[1:] + a_fine[:-1])
    return 1.0 / resistances.reshape(num_points - 1, ratio, fine).mean(axis=1)


def _dual_average(fine: int, num_points: int) -> np.ndarray:
    """Means over the dual cell of each interior coarse node, (n - 2, N).

    The cell is `ratio` fine cells wide; when that is even its two ends cut a fine cell
    in half.
    """
    ratio = (fine - 1) // (num_points - 1)
    centres = ratio * np.arange(1, num_points - 1)
    distances = np.abs(np.arange(fine) - centres[:, None])
    return np.clip((ratio + 1) / 2 - distances, 0.0, 1.0) / ratio


def require_divides(name: str, points: int, finer_name: str, finer: int) -> None:
    """Every node of a grid of `points` nodes is one of the grid of `finer` nodes."""
    intervals = finer - 1
    allowed = f">= 3 with {name} - 1 dividing {finer_name} - 1 = {intervals}"
    require(points >= 3 and intervals % (points - 1) == 0, name, points, allowed)
