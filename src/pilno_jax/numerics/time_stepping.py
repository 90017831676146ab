"""Explicit time stepping: a scheme builds a step, `repeat`/`rollout` own the scan."""

import math
from collections.abc import Callable

import jax
import jax.numpy as jnp
from jaxtyping import Array, Inexact

from pilno_jax.numerics.grids import Axis

Step = Callable[[jax.Array], jax.Array]


def rk4(slope: Callable[[jax.Array], jax.Array], dt: float) -> Step:
    """One step of the classical Runge-Kutta method of order 4 for u' = slope(u).

    Args:
        slope: u -> u'.
        dt: the step.
    """

    def step(u: Inexact[Array, "*space"]) -> Inexact[Array, "*space"]:
        k1 = slope(u)
        k2 = slope(u + (dt / 2) * k1)
        k3 = slope(u + (dt / 2) * k2)
        k4 = slope(u + dt * k3)
        return u + (dt / 6) * (k1 + 2 * k2 + 2 * k3 + k4)

    return step


def repeat(step: Step, count: int) -> Step:
    """`count` steps as one.

    Args:
        step: u -> the next u.
        count: how many; 0 returns u.
    """

    def many(u: Inexact[Array, "*space"]) -> Inexact[Array, "*space"]:
        return jax.lax.scan(lambda u, _: (step(u), None), u, length=count)[0]

    return many


def rollout(step: Step, count: int) -> Step:
    """The trajectory u_0, ..., u_count, stacked along a new last axis.

    Args:
        step: u -> the next u.
        count: how many; the trajectory has one more entry.
    """

    def trajectory(u: Inexact[Array, "*space"]) -> Inexact[Array, "*space times"]:
        def advance(u, _):
            u = step(u)
            return u, u

        _, later = jax.lax.scan(advance, u, length=count)
        return jnp.moveaxis(jnp.concatenate([u[None], later]), 0, -1)

    return trajectory


def snapshots(slope: Step, times: Axis, largest_step: float) -> Step:
    """u(times[0]) -> u at all nodes of `times`, by RK4.

    Args:
        slope: u -> u'.
        times: the axis of time; the nodes are stacked along a new last axis.
        largest_step: between two nodes, equal steps of at most this length.
    """
    return steps_between(lambda dt: rk4(slope, dt), times, largest_step)


def steps_between(
    scheme: Callable[[float], Step], times: Axis, largest_step: float
) -> Step:
    """u(times[0]) -> u at all nodes of `times`, by equal steps of a scheme.

    Args:
        scheme: the length of a step -> the step.
        times: the axis of time; the nodes are stacked along a new last axis.
        largest_step: between two nodes, equal steps of at most this length.
    """
    count = math.ceil(times.spacing / largest_step - 1e-9)
    between = repeat(scheme(times.spacing / count), count)
    return rollout(between, times.num_points - 1)


def diffusion_step(x: Axis, diffusivity: float) -> float:
    """A stable step of RK4 for u' = diffusivity u_xx in 4th-order differences.

    RK4 is stable on the negative axis down to -2.785; there the spectrum reaches
    -16/3 diffusivity / dx^2, a little farther with one-sided ends.

    Args:
        x: the axis in space.
        diffusivity: positive.
    """
    return 0.4 * x.spacing**2 / diffusivity
