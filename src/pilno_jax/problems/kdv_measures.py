"""Norms for the forced KdV residual, made to resemble the norm of the error.

The equation's error e and residual r obey, to first order,

    e_t + (u e)_x + beta e_xxx = r,   e = 0 at t = 0 and x = -L, L,   e_x(L) = 0.

Small ripples of e are loud in r (beta xi^3 e), and an error r cannot see at once adds
up in time, so least squares on r alone is badly conditioned: over errors in a space of
smooth functions that vanish where they must, the norms of r and e differ by factors
that spread over 4 decades. A preconditioner P narrows the spread of |P r| / |e|. Ratio
of its largest to its smallest value (median over six draws, 16 x 16 functions), and
the part of a smooth error that 1000 steps of gradient descent leave:

    l2          4300   96 %
    smoothed    4400   98 %
    dispersive    53   16 %    (without the damping: 140, 32 %)

Adding the advection by u to the solve, at 20 times the cost, gives 46 and 12 %.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

from pilno_jax.checks import require
from pilno_jax.derivatives import along
from pilno_jax.grids import Axis, Grid
from pilno_jax.problems.base import Inputs

Measure = Callable[..., jax.Array]

DAMPING_RATE = 1.0
IMPLICITNESS = 0.55
SMOOTHING_LENGTH = 0.5
MEMORY = 0.5


def dispersive_measure(grid: Grid) -> Measure:
    """Mean square of w, the answer of the linear equation to the residual:

        w_t + w / tau + beta w_xxx = r,   w = 0 at t = 0 and x = -L, L,   w_x(L) = 0.

    w has the units of an error. The damping 1 / tau (tau = 1) keeps late times from
    outweighing early ones, which no amplitude of u disturbs. Second order in x,
    theta-scheme in t with theta = 0.55: nearly second order, and stiff ripples decay.
    """
    x_axis, t_axis = grid.axes
    d_xxx = dispersion_matrix(x_axis)
    identity = np.eye(len(d_xxx))
    theta, dt = IMPLICITNESS, t_axis.spacing

    def measure(
        residual: jax.Array, u: jax.Array | None = None, inputs: Inputs | None = None
    ) -> jax.Array:
        del u
        found = None if inputs is None else sorted(inputs)
        known = inputs is not None and "beta" in inputs
        require(known, "inputs", found, "the inputs of the residual, with 'beta'")
        rate = DAMPING_RATE * identity + inputs["beta"] * d_xxx  # type: ignore[index]
        implicit = jnp.linalg.inv(identity + theta * dt * rate).astype(residual.dtype)
        # (1 + theta z)^-1 (1 - (1 - theta) z) in terms of the inverse alone.
        step = (implicit - (1.0 - theta) * identity) / theta
        r = residual[1:-1].T
        pushes = dt * ((1.0 - theta) * r[:-1] + theta * r[1:]) @ implicit.T

        def advance(w, push):
            w = step @ w + push
            return w, w

        _, w = jax.lax.scan(advance, jnp.zeros_like(pushes[0]), pushes)
        return jnp.sum(w**2) / residual.size

    return measure


def dispersion_matrix(axis: Axis) -> np.ndarray:
    """d^3/dx^3 on the inner nodes for e = 0 at both ends and e_x = 0 at the right one.

    Second order; its eigenvalues have positive real parts, as those of the continuous
    operator. (Elimination in wider one-sided stencils loses that.)
    """
    n = axis.num_points
    allowed = "at least 6 for the dispersive measure"
    require(n >= 6, f"num_points of axis {axis.name!r}", n, allowed)
    matrix = np.zeros((n, n + 1))
    for row in range(2, n - 1):
        matrix[row, [row - 2, row - 1, row + 1, row + 2]] = -0.5, 1.0, -1.0, 0.5
    matrix[1, :5] = -1.5, 5.0, -6.0, 3.0, -0.5
    # The ghost node beyond the right end mirrors the last inner one: e_x = 0.
    matrix[:, n - 2] += matrix[:, n]
    return matrix[1:-1, 1 : n - 1] / axis.spacing**3


def smoothed_measure(grid: Grid) -> Measure:
    """Mean square of (1 - l^2 d_xx)^-1 r (even at the ends, l = 0.5), averaged over
    the past with weights exp(-age / 0.5): a cheap filter of ripples in x and t.
    """
    x_axis, t_axis = grid.axes
    smooth, remember = smoothing_matrix(x_axis), memory_matrix(t_axis)

    def measure(residual: jax.Array, u=None, inputs=None) -> jax.Array:
        del u, inputs
        return jnp.mean(along(remember, along(smooth, residual, 0), 1) ** 2)

    return measure


def smoothing_matrix(axis: Axis) -> np.ndarray:
    n = axis.num_points
    second = np.eye(n, k=1) - 2.0 * np.eye(n) + np.eye(n, k=-1)
    second[0, 0] = second[-1, -1] = -1.0
    return np.linalg.inv(np.eye(n) - (SMOOTHING_LENGTH / axis.spacing) ** 2 * second)


def memory_matrix(axis: Axis) -> np.ndarray:
    age = axis.spacing * np.subtract.outer(*2 * [np.arange(axis.num_points)])
    weights = np.where(age >= 0, np.exp(-np.maximum(age, 0) / MEMORY), 0.0)
    return weights / weights.sum(1, keepdims=True)
