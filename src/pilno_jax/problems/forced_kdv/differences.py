"""Differences in x of the forced KdV equation, and how they end at the boundary.

What a residual tells of the error is the answer of the linearised equation to it. It
tells the truth only if that equation has the differences of the residual, and it has
an answer only if these are stable: no mode of d_xxx may grow. Differences of order 6
that are one-sided at the ends have modes that grow by orders of magnitude a step, so
there is a choice:

- "one_sided": the residual is of order 6 up to the ends. Errors are answered for by
  other differences, of order 2, which are stable; of an error that is small already,
  and fine, they miss most.
- "stable": orders fall from 6 to 2 towards the ends, and the given slope makes a ghost
  node beyond the right one. Residual and error have the same differences.
"""

import dataclasses
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from pilno_jax.checks import require
from pilno_jax.numerics.derivatives import along, finite_difference, fornberg
from pilno_jax.numerics.grids import Axis

# 8 gains little over 6 on the mean and doubles the float32 rounding.
ACCURACY = 6


@dataclasses.dataclass(frozen=True)
class Differences:
    """d_x and d_xxx of u, and of errors, which vanish where u is given.

    Args:
        first: the matrix of u_x.
        third: (u, u_x at the right end) -> u_xxx on all nodes.
        error_first: the matrix of e_x on the inner nodes, where e is free.
        error_third: that of e_xxx; its eigenvalues have positive real parts.
    """

    first: Float[np.ndarray, "n n"]
    third: Callable[[Float[Array, "n t"], Float[Array, " t"]], Float[Array, "n t"]]
    error_first: Float[np.ndarray, "inner inner"]
    error_third: Float[np.ndarray, "inner inner"]


def one_sided(axis: Axis) -> Differences:
    """Order 6 for u, order 2 for errors."""
    third = finite_difference(axis, 3, ACCURACY)
    return Differences(
        first=finite_difference(axis, 1, ACCURACY),
        third=lambda u, slope: along(third, u, 0),
        error_first=finite_difference(axis, 1, 2)[1:-1, 1:-1],
        error_third=_mirrored(_up_to_the_ends(axis, 2)) / axis.spacing**3,
    )


def stable(axis: Axis) -> Differences:
    """Order 6 inside and 2 at the ends, for u and errors alike."""
    weights, unit = _up_to_the_ends(axis, ACCURACY), axis.spacing**3
    first = finite_difference(axis, 1, ACCURACY)

    def u_xxx(u: Float[Array, "n t"], slope: Float[Array, " t"]) -> jax.Array:
        beyond = u[-2] + 2.0 * axis.spacing * slope
        return along(weights / unit, jnp.concatenate([u, beyond[None]]), 0)

    return Differences(
        first=first,
        third=u_xxx,
        error_first=first[1:-1, 1:-1],
        error_third=_mirrored(weights) / unit,
    )


ENDS = {"one_sided": one_sided, "stable": stable}


def _up_to_the_ends(axis: Axis, accuracy: int) -> Float[np.ndarray, "n n+1"]:
    """d^3/dx^3 on nodes 1 apart, from them and a ghost node beyond the right end.

    Centred wherever there is room, of the highest order that the room allows.

    Args:
        axis: the nodes.
        accuracy: the order far from the ends.
    """
    n = axis.num_points
    require(n >= 6, f"num_points of axis {axis.name!r}", n, "at least 6")
    matrix = np.zeros((n, n + 1))
    for row in range(n):
        room = min(row, n - row)
        half = min(max(room, 2), accuracy // 2 + 1)  # order 2 takes two on each side
        nodes = np.arange(2 * half + 1) + np.clip(row - half, 0, n - 2 * half)
        matrix[row, nodes] = fornberg(nodes - row, 3)
    return np.round(matrix, 12)  # weights are fractions like 1/2 and 7/240


def _mirrored(matrix: Float[np.ndarray, "n n+1"]) -> Float[np.ndarray, "inner inner"]:
    """On the inner nodes, where the ghost node mirrors the last of them: e_x = 0."""
    n = len(matrix)
    folded = matrix[:, :n].copy()
    folded[:, n - 2] += matrix[:, n]
    return folded[1:-1, 1:-1]
