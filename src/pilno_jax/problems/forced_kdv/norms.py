"""Norms for the forced KdV residual, made to resemble the norm of the error.

The equation's error e and residual r obey, to first order,

    e_t + (u e)_x + beta e_xxx = r,   e = 0 at t = 0 and x = -L, L,   e_x(L) = 0.

Small ripples of e are loud in r (beta xi^3 e), so least squares on r alone is badly
conditioned; a preconditioner P should make |P r| / |e| the same for all e. How nearly
each norm does is measured by `python -m experiments.residual_norms`
(results/residual_norms.json): "smoothed" quiets the ripples, "dispersive" quiets them
more, and gradient descent on it leaves the least of a smooth error.

Every norm is built for a grid and its differences by an entry of `MEASURES` and then
called with (residual, u, inputs).
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from pilno_jax.numerics.derivatives import along
from pilno_jax.numerics.grids import Axis, Grid
from pilno_jax.numerics.linear_response import eigenmodes
from pilno_jax.numerics.norms import mean_square
from pilno_jax.problems.base import Inputs, Measure
from pilno_jax.problems.forced_kdv.differences import Differences

DAMPING_TIME = 1.0
IMPLICITNESS = 0.55
SMOOTHING_LENGTH = 0.5
MEMORY = 0.5


def dispersive_measure(grid: Grid, differences: Differences) -> Measure:
    """Mean square of the `dispersive_response` to the residual."""
    response = dispersive_response(grid, differences)

    def measure(
        residual: jax.Array, u: jax.Array | None = None, inputs: Inputs | None = None
    ) -> jax.Array:
        del u
        return jnp.sum(response(residual, inputs) ** 2) / residual.size

    return measure


def dispersive_response(
    grid: Grid, differences: Differences
) -> Callable[[jax.Array, Inputs | None], Float[Array, "later inner"]]:
    """w, the answer of the linear equation to a residual:

        w_t + w / tau + beta w_xxx = r,   w = 0 at t = 0 and x = -L, L,   w_x(L) = 0.

    w has the units of an error. The damping 1 / tau (tau = 1) keeps late times from
    outweighing early ones. Theta-scheme in t with theta = 0.55: nearly second order,
    and stiff ripples decay.

    Every beta shares the eigenvectors of d_xxx, so there is no system to solve: two
    constant matrices and a scalar recurrence for each mode. The eigenvectors'
    condition number grows like n^3, which single precision bears at 100 points and
    feels at 400.
    """
    rates, analysis, synthesis = eigenmodes(differences.error_third)
    theta, dt = IMPLICITNESS, grid.axes[1].spacing

    def response(residual: jax.Array, inputs: Inputs | None) -> jax.Array:
        if inputs is None or "beta" not in inputs:
            names = None if inputs is None else sorted(inputs)
            allowed = "the inputs of the residual, with 'beta'"
            raise ValueError(f"inputs = {names!r} is not allowed: expected {allowed}")
        inner = residual[1:-1]
        parts = (along(part, inner, 0) for part in (analysis.real, analysis.imag))
        modes = jax.lax.complex(*parts)
        beta = jnp.asarray(inputs["beta"], modes.dtype)
        z = dt * (1.0 / DAMPING_TIME + beta * jnp.asarray(rates, modes.dtype))
        step = (1.0 - (1.0 - theta) * z) / (1.0 + theta * z)
        push = (1.0 - theta) * modes[:, :-1] + theta * modes[:, 1:]
        push = push * (dt / (1.0 + theta * z))[:, None]

        def advance(mode, push):
            mode = step * mode + push
            return mode, mode

        _, modes = jax.lax.scan(advance, jnp.zeros_like(step), push.T)
        real = along(synthesis.real, modes.real, 1)
        return real - along(synthesis.imag, modes.imag, 1)

    return response


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


def smoothing_matrix(axis: Axis) -> Float[np.ndarray, "n n"]:
    """(1 - l^2 d_xx)^-1 for functions that are even at both ends."""
    n = axis.num_points
    second = np.eye(n, k=1) - 2.0 * np.eye(n) + np.eye(n, k=-1)
    second[0, 0] = second[-1, -1] = -1.0
    return np.linalg.inv(np.eye(n) - (SMOOTHING_LENGTH / axis.spacing) ** 2 * second)


def memory_matrix(axis: Axis) -> Float[np.ndarray, "n n"]:
    """Means over the past, a time's weight falling by e every `MEMORY`."""
    age = axis.spacing * np.subtract.outer(*2 * [np.arange(axis.num_points)])
    weights = np.where(age >= 0, np.exp(-np.maximum(age, 0) / MEMORY), 0.0)
    return weights / weights.sum(1, keepdims=True)


MEASURES = {
    "dispersive": dispersive_measure,
    "smoothed": lambda grid, differences: smoothed_measure(grid),
    "l2": lambda grid, differences: mean_square,
}
