"""Explicit time stepping: a scheme builds a step, `repeat`/`rollout` own the scan."""

import math
from collections.abc import Callable

import jax
import jax.numpy as jnp

from pilno_jax.numerics.grids import Axis

Step = Callable[[jax.Array], jax.Array]


def rk4(slope: Callable[[jax.Array], jax.Array], dt: float) -> Step:
    """One step of the classical Runge-Kutta method of order 4 for u' = slope(u)."""

    def step(u):
        k1 = slope(u)
        k2 = slope(u + (dt / 2) * k1)
        k3 = slope(u + (dt / 2) * k2)
        k4 = slope(u + dt * k3)
        return u + (dt / 6) * (k1 + 2 * k2 + 2 * k3 + k4)

    return step


def repeat(step: Step, count: int) -> Step:
    """`count` steps as one."""

    def many(u):
        return jax.lax.scan(lambda u, _: (step(u), None), u, length=count)[0]

    return many


def rollout(step: Step, count: int) -> Step:
    """The trajectory u_0, ..., u_count, stacked along a new last axis."""

    def trajectory(u):
        def advance(u, _):
            u = step(u)
            return u, u

        _, later = jax.lax.scan(advance, u, length=count)
        return jnp.moveaxis(jnp.concatenate([u[None], later]), 0, -1)

    return trajectory


def snapshots(slope: Step, times: Axis, largest_step: float) -> Step:
    """u at the nodes of `times`, by RK4 with equal steps of at most `largest_step`."""
    count = math.ceil(times.spacing / largest_step - 1e-9)
    between = repeat(rk4(slope, times.spacing / count), count)
    return rollout(between, times.num_points - 1)


def diffusion_step(x: Axis, diffusivity: float) -> float:
    """A stable step of RK4 for u' = diffusivity u_xx in 4th-order differences.

    RK4 is stable on the negative axis down to -2.785; there the spectrum reaches
    -16/3 diffusivity / dx^2, a little farther with one-sided ends.
    """
    return 0.4 * x.spacing**2 / diffusivity
