"""Reaction-diffusion with a quadratic source (paper, Eq. reaction_diffusion):

    u_t = D u_xx + k u^2 - f(x),   x in [0, 1],  t in [0, T].

Task "ic" (the paper's A): u0 -> u, f = 0, periodic; smooth fields fade slowly.
Task "forcing" (the paper's B): f -> u, zero initial and boundary values. u grows from
rest like -f t, and where f(0) or f(1) is not zero a boundary layer of width sqrt(D t)
opens at the ends: that layer, thinner than a cell at first, is the hard part.
Both tasks live on a closed grid; in Task A its last node repeats the first.
"""

import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from pilno_jax.checks import (
    require,
    require_choice,
    require_fields,
    require_positive,
)
from pilno_jax.numerics.derivatives import along, derivative, interpolation, stencil
from pilno_jax.numerics.grids import Axis, Grid
from pilno_jax.numerics.time_stepping import diffusion_step, snapshots
from pilno_jax.numerics.variable_diffusion import spectral_flux, staggered_flux
from pilno_jax.problems.base import InputField, Inputs, Problem
from pilno_jax.problems.coefficients import (
    Coefficient,
    FieldLaw,
    Law,
    coefficient,
    with_coefficients,
)
from pilno_jax.problems.factories import labels_ignore, resizable
from pilno_jax.problems.initial_value import (
    InitialLaw,
    LengthScales,
    initial_value_problem,
)
from pilno_jax.problems.reaction_diffusion.boundary_slopes import BoundarySlopes
from pilno_jax.problems.reaction_diffusion.boundary_values import (
    BoundaryValues,
    FreePart,
)
from pilno_jax.problems.reaction_diffusion.mollifiers import (
    MOLLIFIERS,
    product_of_sines,
    start_from_rest,
)
from pilno_jax.problems.statement import Statement

__all__ = ["MOLLIFIERS", "product_of_sines", "reaction_diffusion", "start_from_rest"]

REFERENCE_POINTS = 151
REFERENCE_STEP = 1e-4
TASKS = ("ic", "forcing")
BOUNDARIES = {"dirichlet": BoundaryValues, "neumann": BoundarySlopes}


@labels_ignore("virtual_length_scales", "hard_constraints", "mollifier")
@resizable("num_x", "num_t")
def reaction_diffusion(
    *,
    task: str = "forcing",
    diffusivity: FieldLaw = 0.01,
    reaction: Law = 0.01,
    length_scale: float = 0.5,
    virtual_length_scales: LengthScales = (0.5, 5.0),
    sigma: float = 0.2,
    num_x: int = 51,
    num_t: int = 51,
    final_time: float = 1.0,
    hard_constraints: bool = True,
    mollifier: str = "start_from_rest",
    boundary_sigma: float = 0.0,
    boundary: str = "dirichlet",
    clustering: float = 0.0,
) -> Problem:
    """Either task on a (num_x, num_t) grid; see the module for the equation.

    Args:
        task: "forcing" (the default, f -> u) or "ic" (u0 -> u).
        diffusivity: D. Default 0.01, the paper's. A pair (lowest, highest) makes it an
            input, drawn log-uniformly; in Task "ic", with a length scale as third
            number, a function of x.
        reaction: k >= 0. Default 0.01, the paper's; u may blow up where k u0 T > 1. A
            pair makes it an input too, drawn uniformly if its lowest value is 0.
        length_scale: of the labelled inputs. Default 0.5; 0.5 is oscillatory, 5 nearly
            constant.
        virtual_length_scales: (shortest, longest) of the virtual inputs, drawn
            log-uniformly. Default (0.5, 5).
        sigma: standard deviation of the input. Default 0.2.
        num_x: points in x, both ends included. Default 51; at least 8.
        num_t: points in t, both ends included. Default 51; at least 7.
        final_time: T. Default 1.
        hard_constraints: True (the default) builds initial and boundary values into u,
            False leaves them to the penalties "ic" and "bc".
        mollifier: what Task "forcing" multiplies the network with, one of `MOLLIFIERS`:
            "start_from_rest" (the default) or "sines" (the paper's). Neumann's ends
            need none.
        boundary_sigma: standard deviation of the data at the two ends, which then are
            inputs of Task "forcing"; u starts from the line between its values, or
            from the parabola of its slopes. Default 0: they are zero. sigma is a good
            value.
        boundary: which data the ends of Task "forcing" have: "dirichlet" (the default),
            the values of u, or "neumann", those of u_x.
        clustering: how much denser the nodes of x are at the ends in Task "forcing",
            see `Axis`. Default 0: not at all; 0.9 resolves the layers there with half
            the nodes where diffusivity is small.
    """
    require_choice("task", task, TASKS)
    require_choice("mollifier", mollifier, MOLLIFIERS)
    require_positive(final_time=final_time)
    d = coefficient("diffusivity", diffusivity, "$D$", may_vary=task == "ic")
    k = coefficient("reaction", reaction, "$k$", may_be_zero=True)
    x = Axis("x", 0.0, 1.0, num_x, clustering=clustering)
    grid = Grid((x, Axis("t", 0.0, final_time, num_t)))
    law = InitialLaw(length_scale, virtual_length_scales, sigma)
    require_choice("boundary", boundary, BOUNDARIES)
    ends = BOUNDARIES[boundary](boundary_sigma, unit=sigma)
    in_ic = "Task 'ic', which is periodic"
    fits = task == "forcing" or not boundary_sigma
    require(fits, "boundary_sigma", boundary_sigma, f"0 in {in_ic}")
    fits = task == "forcing" or boundary == "dirichlet"
    require(fits, "boundary", boundary, f"'dirichlet' in {in_ic}")
    fits = task == "forcing" or not clustering
    require(fits, "clustering", clustering, f"0 in {in_ic}")
    if task == "ic":
        problem = _initial_condition_task(grid, d, k, law, hard_constraints)
    else:
        free = ends.free_part(grid, mollifier, d) if hard_constraints else None
        problem = ends.imposed_on(_forcing_task(grid, d, k, law, free, ends))
    return with_coefficients(problem, d, k)


def _initial_condition_task(
    grid: Grid,
    d: Coefficient,
    k: Coefficient,
    law: InitialLaw,
    hard_constraints: bool,
) -> Problem:
    x, t = grid.axes
    circle = Axis("x", x.low, x.high, x.num_points - 1, periodic=True)
    d_xx, d_t = derivative(circle, 2), derivative(t, 1, accuracy=6)
    factor = _refinement(x)
    fine, fine_d_xx, step = _reference_scheme(circle, factor, d.highest)
    flux, fine_flux = spectral_flux(circle), staggered_flux(circle, factor)

    def close(u: jax.Array) -> jax.Array:
        """From the circle's nodes to the closed grid's."""
        return jnp.concatenate([u, u[:1]])

    def solve(inputs: Inputs) -> jax.Array:
        varying = fine_flux(inputs[d.name][:-1]) if d.is_field else None

        def slope(u: jax.Array) -> jax.Array:
            spread = varying(u) if varying else d.of(inputs) * fine_d_xx(u)
            return spread + k.of(inputs) * u**2

        refined = along(interpolation(circle, fine), inputs["u0"][:-1], 0)
        return close(snapshots(slope, t, step)(refined)[::factor])

    def residual(u: jax.Array, inputs: Inputs) -> jax.Array:
        v = u[:-1]
        if d.is_field:
            spread = flux(v, inputs[d.name][:-1])
        else:
            spread = d.of(inputs) * along(d_xx, v, 0)
        return close(along(d_t, v, 1) - (spread + k.of(inputs) * v**2))

    on_circle = d.response_error(-d_xx, t)

    def error_of(residual: jax.Array, u: jax.Array, inputs: Inputs) -> jax.Array:
        return close(on_circle(residual[:-1], u[:-1], inputs))

    return initial_value_problem(
        name="reaction_diffusion",
        grid=grid,
        solve=solve,
        residual=residual,
        law=law,
        hard_constraints=hard_constraints,
        statement=Statement(
            title="Reaction-diffusion from an initial state",
            equation=("u_t = (D\\,u_x)_x" if d.is_field else "u_t = D\\,u_{xx}")
            + r" + k\,u^2",
            conditions=r"x \in [0, 1] \text{ periodic},\quad "
            rf"t \in [0, {t.high:g}],\quad u(x, 0) = u_0(x)",
        ),
        error_of=error_of,
        boundary=lambda u, inputs: u[-1] - u[0],
        impose_boundary=lambda raw: close(raw[:-1]),
    )


def _forcing_task(
    grid: Grid,
    d: Coefficient,
    k: Coefficient,
    law: InitialLaw,
    free_part: FreePart | None,
    ends: BoundaryValues,
) -> Problem:
    x, t = grid.axes
    sigma, expected = law.sigma, {"f": (x.num_points,)}
    d_xx, d_t = derivative(x, 2, accuracy=6), derivative(t, 1, accuracy=6)
    scaled_x, scaled_t = (
        grid.broadcast(axis.scaled, i) for i, axis in enumerate((x, t))
    )
    sample, sample_virtual = law.samplers("f", x.coordinates)

    def features(inputs: Inputs) -> jax.Array:
        require_fields(inputs, expected)
        forcing = grid.broadcast(inputs["f"] / sigma, 0)
        return jnp.stack([forcing, scaled_x, scaled_t], -1)

    def constrain(raw: jax.Array, inputs: Inputs) -> jax.Array:
        free: Any = raw if free_part is None else free_part(raw, inputs)
        return sigma * free

    def residual(u: jax.Array, inputs: Inputs) -> jax.Array:
        # At the end nodes data are prescribed: the equation is asked for inside only.
        source = d.of(inputs) * along(d_xx, u, 0) + k.of(inputs) * u**2
        balance = along(d_t, u, 1) - source + inputs["f"][:, None]
        return balance[1:-1]

    penalties = {
        "ic": lambda u, inputs: u[:, 0],
        "bc": ends.penalty(x),
    }
    return Problem(
        name="reaction_diffusion",
        grid=grid,
        sample=sample,
        sample_virtual=sample_virtual,
        solve=_forced_reference(grid, d, k, ends),
        features=features,
        residual=residual,
        constrain=constrain,
        constraints=penalties if free_part is None else {},
        inputs={"f": InputField(("x",), "$f$", editable=True)},
        scale=lambda inputs: sigma,
        error_of=ends.error_of(d, d_xx, grid),
        time_axis=1,
        statement=Statement(
            title="Reaction-diffusion with a source",
            equation=r"u_t = D\,u_{xx} + k\,u^2 - f(x)",
            conditions=rf"x \in [0, 1],\quad t \in [0, {t.high:g}],\quad {ends.stated}",
            learned=r"f \mapsto u(x, t)",
            law=law.described("f"),
        ),
    )


def _forced_reference(
    grid: Grid, d: Coefficient, k: Coefficient, ends: BoundaryValues
) -> Callable[[Inputs], jax.Array]:
    """inputs -> u from rest, or from the lifting of the data at both ends."""
    x, t = grid.axes
    factor = _refinement(x)
    fine, fine_d_xx, step = _reference_scheme(x.even, factor, d.highest)
    held = ends.held(fine)

    def at_nodes(u: jax.Array) -> jax.Array:
        """From the reference's nodes, of which equidistant ones are a part."""
        return along(interpolation(fine, x), u, 0) if x.clustering else u[::factor]

    def solve(inputs: Inputs) -> jax.Array:
        require_fields(inputs, {"f": (x.num_points,)})
        forcing = along(interpolation(x, fine), inputs["f"], 0)

        def slope(u: jax.Array) -> jax.Array:
            # The data at the ends stay what they are at the start.
            source = d.of(inputs) * fine_d_xx(u) + k.of(inputs) * u**2
            return held(source - forcing)

        evolve = snapshots(slope, t, step)
        if not ends.sigma:
            return at_nodes(evolve(jnp.zeros_like(forcing)))
        return at_nodes(evolve(ends.start(inputs, fine).astype(forcing.dtype)))

    return solve


def _reference_scheme(
    axis: Axis, factor: int, largest: float
) -> tuple[Axis, Callable[[jax.Array], jax.Array], float]:
    """The refined axis, 4th-order d_xx on it, a step stable at the largest D."""
    fine = axis.refined(factor)
    step = min(REFERENCE_STEP, diffusion_step(fine, largest))
    return fine, stencil(fine, 2, 4), step


def _refinement(x: Axis) -> int:
    """Cells of the reference grid per cell of this one: the paper's 151 or more."""
    return math.ceil((REFERENCE_POINTS - 1) / (x.num_points - 1))
