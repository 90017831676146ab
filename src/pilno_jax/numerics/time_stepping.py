"""Explicit time stepping: a scheme builds a step, `repeat`/`rollout` own the scan.

A step takes a state, a pytree of arrays, to the next one.
"""

import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Inexact

from pilno_jax.numerics.grids import Axis

Step = Callable[[Any], Any]


def rk4(slope: Callable[[jax.Array], jax.Array], dt: float) -> Step:
    """By how much u' = slope(u) changes u in dt: Runge and Kutta's method of order 4.

    Args:
        slope: u -> u'.
        dt: the step.
    """

    def change(u: Inexact[Array, "*space"]) -> Inexact[Array, "*space"]:
        k1 = slope(u)
        k2 = slope(u + (dt / 2) * k1)
        k3 = slope(u + (dt / 2) * k2)
        k4 = slope(u + dt * k3)
        return (dt / 6) * (k1 + 2 * k2 + 2 * k3 + k4)

    return change


def compensated(change: Step) -> Step:
    """The step u -> u + change(u) on pairs of u and what rounding has left out of it.

    Kahan's sum: ten thousand small changes of single precision would otherwise lose
    three of its seven digits.

    Args:
        change: u -> what is added to it.
    """

    def step(pair: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        u, left_out = pair
        due = change(u) + left_out
        later = u + due
        return later, due - (later - u)

    return step


def repeat(step: Step, count: int) -> Step:
    """`count` steps as one.

    Args:
        step: a state -> the next.
        count: how many; 0 returns the state.
    """

    def many(state: Any) -> Any:
        return jax.lax.scan(lambda one, _: (step(one), None), state, length=count)[0]

    return many


def rollout(step: Step, count: int) -> Step:
    """The states from the first to the `count`-th after it, along a new last axis.

    Args:
        step: a state -> the next.
        count: how many; the trajectory has one more entry.
    """

    def trajectory(state: Any) -> Any:
        def advance(state: Any, _: None) -> tuple[Any, Any]:
            state = step(state)
            return state, state

        def stacked(first: jax.Array, later: jax.Array) -> jax.Array:
            return jnp.moveaxis(jnp.concatenate([first[None], later]), 0, -1)

        _, later = jax.lax.scan(advance, state, length=count)
        return jax.tree.map(stacked, state, later)

    return trajectory


def snapshots(slope: Step, times: Axis, largest_step: float) -> Step:
    """u(times[0]) -> u at all nodes of `times`, by RK4.

    Args:
        slope: u -> u'.
        times: the axis of time; the nodes are stacked along a new last axis.
        largest_step: between two nodes, equal steps of at most this length.
    """

    def scheme(dt: float) -> Step:
        return compensated(rk4(slope, dt))

    pairs = steps_between(scheme, times, largest_step)
    return lambda u: pairs((u, jnp.zeros_like(u)))[0]


def steps_between(
    scheme: Callable[[float], Step], times: Axis, largest_step: float
) -> Step:
    """The state at times[0] -> those at all nodes of `times`, by equal steps.

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
