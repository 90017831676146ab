"""Steady Darcy flow through a random two-phase medium (paper, Eq. darcy):

    -div(a grad u) = f  in (0, 1)^2,    u = 0 on the boundary,    f = 1.

The operator maps the permeability a to the pressure u. a takes the value 12 where a
Gaussian field N(0, (-Laplace + 9)^-2) is >= 0 and 3 elsewhere; the field is PINO's
(cosine basis, no mean mode). law="periodic" is the law the paper prints, whose mean
mode makes many media constant. One sees one smooth bump, about 0.013 high, steeper
where a is small and with kinks along the interfaces.

Everything is the 5-point flux form on nodes: fluxes a_face (u' - u) / h through the
faces halfway between neighbours. What a coarse grid needs of the fine medium are its
face coefficients, so `inputs` carries

    a_fine (N, N)         nodal values on the fine grid; only `solve` reads them
    a      (n, n)         nodal values on the training grid
    a_x    (n - 1, n - 2) faces between (i, j) and (i + 1, j), j an interior node
    a_y    (n - 2, n - 1) faces between (i, j) and (i, j + 1), i an interior node

and `inputs_from` makes that from any positive medium. With `boundary_sigma`, u = g on
the boundary, and g is an input too: see `boundary_values`. With boundary="neumann" it
is the flux through the side x = 0: see `boundary_flux`.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

from pilno_jax.checks import require, require_choice, require_fields, require_positive
from pilno_jax.numerics.grids import Axis, Grid
from pilno_jax.numerics.random_fields import PLANAR_LAWS, two_phase
from pilno_jax.problems.base import InputField, Inputs, Problem
from pilno_jax.problems.darcy.boundary_flux import BoundaryFlux
from pilno_jax.problems.darcy.boundary_law import constrain_by
from pilno_jax.problems.darcy.boundary_values import BoundaryPressure
from pilno_jax.problems.darcy.features import FEATURES, first_responses
from pilno_jax.problems.darcy.medium import (
    blocks_around_nodes,
    face_coefficients,
    face_shapes,
    inputs_from,
    require_divides,
)
from pilno_jax.problems.darcy.norms import MEASURES, poisson_error
from pilno_jax.problems.darcy.solver import flow, solve_flow
from pilno_jax.problems.factories import labels_ignore, resizable
from pilno_jax.problems.statement import Statement

__all__ = [
    "FEATURES",
    "MEASURES",
    "darcy",
    "face_coefficients",
    "first_responses",
    "flow",
    "inputs_from",
    "solve_flow",
]

BOUNDARIES = {"dirichlet": BoundaryPressure, "neumann": BoundaryFlux}
INPUTS = {
    "a": InputField(("x", "y"), "$a$", editable=True),
    "a_x": InputField(symbol="$a_x$"),
    "a_y": InputField(symbol="$a_y$"),
    "a_fine": InputField(symbol="$a$ on the fine grid"),
}


@labels_ignore(
    "label_points", "measure", "hard_constraints", "output_scale", "features"
)
@resizable("num_points", "num_points")
def darcy(
    *,
    num_points: int = 61,
    num_fine: int = 241,
    label_points: int = 11,
    values: tuple[float, float] = (3.0, 12.0),
    law: str = "neumann",
    tau: float = 3.0,
    source: float = 1.0,
    measure: str = "h-1",
    hard_constraints: bool = True,
    output_scale: float = 0.01,
    features: str = "rich",
    boundary_sigma: float = 0.0,
    boundary: str = "dirichlet",
) -> Problem:
    """Darcy flow on (num_points, num_points) nodes; see the module for the equation.

    Args:
        num_points: training nodes in each direction, boundary included. Default 61;
            num_points - 1 divides num_fine - 1.
        num_fine: nodes of the medium and of the reference. Default 241.
        label_points: labelled nodes in each direction. Default 11, the paper's;
            label_points - 1 divides num_points - 1.
        values: the two permeabilities. Default (3, 12), the paper's; the reference
            takes more steps the larger their ratio, and converges at 1e4 still.
        law: "neumann" (the default, PINO's) or "periodic" (the paper's print).
        tau: inverse length of the law. Default 3; larger makes smaller grains.
        source: f, a positive constant. Default 1.
        measure: norm of the residual, see `norms.MEASURES`: "h-1" (the default),
            "energy" (as good, needs the hard boundary condition) or "l2" (the paper's,
            and by far the slowest to train).
        hard_constraints: True (the default) builds u = 0 on the boundary into u, False
            leaves it to the penalty "bc".
        output_scale: u of a network output of 1. Default 0.01, the pressure's size.
        features: "rich" (the default) shows the network the face coefficients and the
            `first_responses` besides a, "paper" a alone.
        boundary_sigma: standard deviation of u on the boundary, which then is an input.
            Default 0: u is zero there. 0.01, the pressure's size, is a good value. Of
            a flux, 0.2.
        boundary: which data: "dirichlet" (the default), u all around, or "neumann", the
            flux through the side x = 0, and u = 0 on the others.
    """
    require_choice("law", law, PLANAR_LAWS)
    require_choice("measure", measure, MEASURES)
    require_choice("features", features, FEATURES)
    valid = len(values) == 2 and min(values) > 0 and values[0] != values[1]
    require(valid, "values", values, "two different positive numbers")
    require_positive(tau=tau, source=source, output_scale=output_scale)
    require_divides("num_points", num_points, "num_fine", num_fine)
    require_divides("label_points", label_points, "num_points", num_points)
    require_choice("boundary", boundary, BOUNDARIES)
    _require_minimum(measure, hard_constraints, boundary_sigma)
    fits = boundary == "dirichlet" or measure == "h-1"
    require(fits, "measure", measure, "'h-1' with boundary = 'neumann'")

    n = num_points
    grid = Grid((Axis("x", 0.0, 1.0, n), Axis("y", 0.0, 1.0, n)))
    bump = np.sin(np.pi * np.linspace(0.0, 1.0, n))
    bump[[0, -1]] = 0.0  # not 1e-16
    vanishing = np.outer(bump, bump)
    fine_nodes = np.linspace(0.0, 1.0, num_fine)
    label_stride = (n - 1) // (label_points - 1)
    data = BOUNDARIES[boundary](boundary_sigma, output_scale, n, num_fine)

    def sample(key: jax.Array) -> Inputs:
        return inputs_from(two_phase(key, fine_nodes, values, law, tau), n)

    def complete(edited: Inputs) -> Inputs:
        if "a_fine" in edited:
            require_fields(edited, {"a_fine": (num_fine, num_fine)})
            return inputs_from(edited["a_fine"], n)
        require_fields(edited, {"a": (n, n)})
        return inputs_from(blocks_around_nodes(edited["a"], num_fine), n)

    problem = Problem(
        name="darcy",
        grid=grid,
        sample=sample,
        # The paper draws its virtual inputs from the labelled law.
        sample_virtual=sample,
        solve=_reference(num_fine, n, source),
        features=FEATURES[features](grid, values, source / output_scale),
        residual=_residual(n, source),
        constrain=constrain_by(vanishing, output_scale, hard_constraints),
        measure=MEASURES[measure](grid, source),
        constraints={} if hard_constraints else {"bc": _boundary(output_scale)},
        scale=lambda inputs: output_scale,
        error_of=poisson_error,
        inputs=INPUTS,
        complete=complete,
        enough=("a_fine",),
        label_stride=(label_stride, label_stride),
        statement=_statement(values, source, data.stated),
    )
    return data.imposed_on(problem, source)


def _require_minimum(measure: str, hard: bool, boundary_sigma: float) -> None:
    """The energy is that of fields that vanish on the boundary."""
    allowed = "'h-1' or 'l2' with soft constraints: the energy has no minimum there"
    require(hard or measure != "energy", "measure", measure, allowed)
    allowed = "'h-1' or 'l2' with boundary_sigma: the energy is that of u = 0 there"
    require(not boundary_sigma or measure != "energy", "measure", measure, allowed)


def _statement(
    values: tuple[float, float], source: float, on_boundary: str
) -> Statement:
    low, high = values
    return Statement(
        title="Darcy flow",
        equation=rf"-\nabla \cdot (a\,\nabla u) = {source:g}",
        conditions=r"(x, y) \in {[0, 1]}^2,\quad " + on_boundary,
        learned=r"a \mapsto u(x, y)",
        law=f"media of two phases, $a = {high:g}$ where a random field is "
        f"positive and $a = {low:g}$ elsewhere",
    )


def _reference(
    num_fine: int, num_points: int, source: float
) -> Callable[[Inputs], jax.Array]:
    stride = (num_fine - 1) // (num_points - 1)

    def solve(inputs: Inputs) -> jax.Array:
        require_fields(inputs, {"a_fine": (num_fine, num_fine)})
        a_x, a_y = face_coefficients(inputs["a_fine"], num_fine)
        return source * solve_flow(a_x, a_y)[::stride, ::stride]

    return solve


def _residual(n: int, source: float) -> Callable[[jax.Array, Inputs], jax.Array]:
    def residual(u: jax.Array, inputs: Inputs) -> jax.Array:
        require(u.shape == (n, n), "shape of u", u.shape, f"{(n, n)}, one sample")
        require_fields(inputs, face_shapes(n))
        return flow(u, inputs["a_x"], inputs["a_y"]) - source

    return residual


def _boundary(output_scale: float) -> Callable[[jax.Array, Inputs], jax.Array]:
    def boundary(u: jax.Array, inputs: Inputs) -> jax.Array:
        del inputs
        sides = [u[0], u[-1], u[1:-1, 0], u[1:-1, -1]]
        return jnp.concatenate(sides) / output_scale

    return boundary
