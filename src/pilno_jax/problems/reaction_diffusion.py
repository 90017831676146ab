"""Reaction-diffusion with a quadratic source (paper, Eq. reaction_diffusion):

    u_t = D u_xx + k u^2 - f(x),   x in [0, 1],  t in [0, T].

Task "ic" (the paper's A): u0 -> u, f = 0, periodic; smooth fields fade slowly.
Task "forcing" (the paper's B): f -> u, zero initial and boundary values. u grows from
rest like -f t, and where f(0) or f(1) is not zero a boundary layer of width sqrt(D t)
opens at the ends: that layer, thinner than a cell at first, is the hard part.
Both tasks live on a closed grid; in Task A its last node repeats the first.
"""

import math

import jax
import jax.numpy as jnp
import numpy as np

from pilno_jax.checks import (
    require,
    require_choice,
    require_fields,
    require_positive,
)
from pilno_jax.numerics.derivatives import along, derivative, interpolation, stencil
from pilno_jax.numerics.grids import Axis, Grid
from pilno_jax.numerics.time_stepping import diffusion_step, snapshots
from pilno_jax.problems.base import Inputs, Problem, resizable
from pilno_jax.problems.initial_value import (
    LengthScales,
    initial_value_problem,
    length_scale_law,
)

REFERENCE_POINTS = 151
REFERENCE_STEP = 1e-4
TASKS = ("ic", "forcing")


@resizable("num_x", "num_t")
def reaction_diffusion(
    *,
    task: str = "forcing",
    diffusivity: float = 0.01,
    reaction: float = 0.01,
    length_scale: float = 0.5,
    virtual_length_scales: LengthScales = (0.5, 5.0),
    sigma: float = 0.2,
    num_x: int = 51,
    num_t: int = 51,
    final_time: float = 1.0,
    hard_constraints: bool = True,
    mollifier: str = "start_from_rest",
) -> Problem:
    """Either task on a (num_x, num_t) grid; see the module for the equation.

    mollifier: what Task B multiplies the network with, one of MOLLIFIERS
    """
    require_choice("task", task, TASKS)
    require_choice("mollifier", mollifier, MOLLIFIERS)
    require_positive(diffusivity=diffusivity, final_time=final_time)
    require(reaction >= 0, "reaction", reaction, "a number >= 0")
    grid = Grid((Axis("x", 0.0, 1.0, num_x), Axis("t", 0.0, final_time, num_t)))
    law = dict(
        sigma=sigma,
        length_scale=length_scale,
        virtual_length_scales=virtual_length_scales,
    )
    if task == "ic":
        return _initial_condition_task(
            grid, diffusivity, reaction, law, hard_constraints
        )
    factor = MOLLIFIERS[mollifier](grid, diffusivity) if hard_constraints else None
    return _forcing_task(grid, diffusivity, reaction, law, factor)


def _initial_condition_task(
    grid: Grid, diffusivity: float, reaction: float, law: dict, hard_constraints: bool
) -> Problem:
    x, t = grid.axes
    circle = Axis("x", x.low, x.high, x.num_points - 1, periodic=True)
    d_xx, d_t = derivative(circle, 2), derivative(t, 1, accuracy=6)
    factor = _refinement(x)
    fine = circle.refined(factor)
    fine_d_xx = stencil(fine, 2, 4)
    step = min(REFERENCE_STEP, diffusion_step(fine, diffusivity))

    def slope(u: jax.Array) -> jax.Array:
        return diffusivity * fine_d_xx(u) + reaction * u**2

    evolve = snapshots(slope, t, step)

    def close(u: jax.Array) -> jax.Array:
        """From the circle's nodes to the closed grid's."""
        return jnp.concatenate([u, u[:1]])

    def solve(u0: jax.Array) -> jax.Array:
        refined = along(interpolation(circle, fine), u0[:-1], 0)
        return close(evolve(refined)[::factor])

    def residual(u: jax.Array, inputs: Inputs) -> jax.Array:
        del inputs
        v = u[:-1]
        source = diffusivity * along(d_xx, v, 0) + reaction * v**2
        return close(along(d_t, v, 1) - source)

    return initial_value_problem(
        name="reaction_diffusion",
        grid=grid,
        solve=solve,
        residual=residual,
        hard_constraints=hard_constraints,
        boundary=lambda u, inputs: u[-1] - u[0],
        impose_boundary=lambda raw: close(raw[:-1]),
        **law,
    )


def _forcing_task(
    grid: Grid,
    diffusivity: float,
    reaction: float,
    law: dict,
    mollifier: np.ndarray | None,
) -> Problem:
    x, t = grid.axes
    sigma = law["sigma"]
    d_xx, d_t = derivative(x, 2, accuracy=6), derivative(t, 1, accuracy=6)
    scaled_x, scaled_t = (
        grid.broadcast(axis.scaled, i) for i, axis in enumerate((x, t))
    )
    sample, sample_virtual = length_scale_law("f", x.coordinates, **law)
    expected = {"f": (x.num_points,)}

    factor = _refinement(x)
    fine = x.refined(factor)
    fine_d_xx = stencil(fine, 2, 4)
    step = min(REFERENCE_STEP, diffusion_step(fine, diffusivity))
    free = jnp.ones(fine.num_points).at[jnp.array([0, -1])].set(0.0)

    def solve(inputs: Inputs) -> jax.Array:
        require_fields(inputs, expected)
        forcing = along(interpolation(x, fine), inputs["f"], 0)

        def slope(u: jax.Array) -> jax.Array:
            # The end nodes stay where they start: at zero.
            return free * (diffusivity * fine_d_xx(u) + reaction * u**2 - forcing)

        evolve = snapshots(slope, t, step)
        return evolve(jnp.zeros_like(forcing))[::factor]

    def features(inputs: Inputs) -> jax.Array:
        require_fields(inputs, expected)
        forcing = grid.broadcast(inputs["f"] / sigma, 0)
        return jnp.stack([forcing, scaled_x, scaled_t], -1)

    def constrain(raw: jax.Array, inputs: Inputs) -> jax.Array:
        del inputs
        return sigma * (raw if mollifier is None else mollifier * raw)

    def residual(u: jax.Array, inputs: Inputs) -> jax.Array:
        # At the end nodes u is prescribed, so the equation is asked for inside only.
        source = diffusivity * along(d_xx, u, 0) + reaction * u**2
        balance = along(d_t, u, 1) - source + inputs["f"][:, None]
        return balance[1:-1]

    penalties = {
        "ic": lambda u, inputs: u[:, 0],
        "bc": lambda u, inputs: jnp.stack([u[0], u[-1]]),
    }
    return Problem(
        name="reaction_diffusion",
        grid=grid,
        sample=sample,
        sample_virtual=sample_virtual,
        solve=solve,
        features=features,
        residual=residual,
        constrain=constrain,
        constraints=penalties if mollifier is None else {},
        time_axis=1,
    )


def start_from_rest(grid: Grid, diffusivity: float) -> np.ndarray:
    """u(x, t) of u_t = D u_xx + 1 from rest, to leading order in time: t g g~ with

        g = 1 - 4 i^2 erfc(xi),   xi = x / sqrt(4 D t),   g~ the same from the far end,

    exact on the half-line. Zero at t = 0 and at both ends, it also carries the
    boundary layer that opens there, which leaves the network with a smooth factor.
    """
    x, t = (np.asarray(axis.coordinates, np.float64) for axis in grid.axes)
    depth = np.sqrt(4 * diffusivity * np.maximum(t, 1e-12))

    def layer(distance: np.ndarray) -> np.ndarray:
        xi = distance[:, None] / depth[None, :]
        tail = 2 / math.sqrt(math.pi) * xi * np.exp(-(xi**2))
        return 1 - (1 + 2 * xi**2) * np.vectorize(math.erfc)(xi) + tail

    return t * layer(x - x[0]) * layer(x[-1] - x)


def product_of_sines(grid: Grid, diffusivity: float) -> np.ndarray:
    """The paper's m = sin(pi x) sin(pi t / 2): zero there too, but smooth."""
    del diffusivity
    x, t = (np.asarray(scaled, np.float64) for scaled in grid.scaled)
    return np.outer(np.sin(np.pi * x), np.sin(np.pi / 2 * t))


MOLLIFIERS = {"start_from_rest": start_from_rest, "sines": product_of_sines}


def _refinement(x: Axis) -> int:
    """Cells of the reference grid per cell of this one: the paper's 151 or more."""
    return math.ceil((REFERENCE_POINTS - 1) / (x.num_points - 1))
