"""The forced Korteweg-de Vries equation on an interval (paper, Eq. fkdv):

    u_t + u u_x + beta u_xxx = alpha f_x,   x in [-L, L],  t in [0, T],
    u(x, 0), u(-L, t), u(L, t) and u_x(L, t) given: well-posed for beta > 0.

The operator maps (f_x, initial and boundary values, alpha, beta) to u(x, t). Inputs
come from three analytic families (`families`), drawn in equal shares: pulses of
height up to ~10 (C: 20) and width ~1 that the forcing drags across the interval, in
one or two time units when fast, or lets swell and fade in place. L = T = 5 and
100 x 100 nodes resolve all but the fastest pulses.

The reference is a closed form, so it exists only for sampled inputs: they carry
their `family` (index into "ABC") and its `constants` (order: `families.RANGES`).
Nothing but `solve` looks at these two entries; own inputs leave them out.

Scale: with u = 12 beta v the three families' v do not depend on beta, and alpha
enters the equation only through alpha f_x. The "rich" features speak these units.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

from pilno_jax.checks import require, require_choice, require_fields, require_positive
from pilno_jax.numerics.derivatives import along, finite_difference
from pilno_jax.numerics.grids import Axis, Grid
from pilno_jax.problems.base import InputField, Inputs, Problem
from pilno_jax.problems.factories import labels_ignore, resizable
from pilno_jax.problems.forced_kdv.differences import ENDS, Differences
from pilno_jax.problems.forced_kdv.families import FAMILIES, sampler, solution
from pilno_jax.problems.forced_kdv.features import FEATURES
from pilno_jax.problems.forced_kdv.lifting import constrained, lifting
from pilno_jax.problems.forced_kdv.linearised import linearised_error
from pilno_jax.problems.forced_kdv.norms import MEASURES
from pilno_jax.problems.statement import Statement

__all__ = ["FAMILIES", "FEATURES", "MEASURES", "forced_kdv", "lifting"]

# Order of the differences in t. The few fastest pulses are under-resolved at t = 0,
# where wide one-sided stencils do harm: 4. Those in x are of `differences`.
T_ACCURACY = 4

INPUTS = {
    "f_x": InputField(("x", "t"), "$f_x$", editable=True),
    "u0": InputField(("x",), "$u_0$", editable=True),
    "u_left": InputField(("t",), r"$u(-L, t)$", editable=True),
    "u_right": InputField(("t",), r"$u(L, t)$", editable=True),
    "ux_right": InputField(("t",), r"$u_x(L, t)$", editable=True),
    "alpha": InputField((), r"$\alpha$", editable=True),
    "beta": InputField((), r"$\beta$", editable=True),
    "family": InputField(),
    "constants": InputField(),
}


@labels_ignore("measure", "features", "hard_constraints", "ends")
@resizable("num_x", "num_t")
def forced_kdv(
    *,
    num_x: int = 100,
    num_t: int = 100,
    half_length: float = 5.0,
    final_time: float = 5.0,
    family: str | None = None,
    measure: str = "dispersive",
    features: str = "rich",
    hard_constraints: bool | str = True,
    ends: str = "one_sided",
) -> Problem:
    """Forced KdV on a (num_x, num_t) grid; see the module for the equation.

    Args:
        num_x: nodes in x, both ends included. Default 100; at least 9.
        num_t: nodes in t, both ends included. Default 100; at least 5.
        half_length: L. Default 5, the paper's; the pulses' law belongs to it.
        final_time: T. Default 5, the paper's.
        family: "A", "B", "C", or None (the default) for all three in equal shares.
        measure: norm of the residual, see `norms`: "dispersive" (the default),
            "smoothed" or "l2" (the paper's).
        features: "rich" (the default, `features.rich_features`) or "paper", the paper's
            seven inputs.
        hard_constraints: True (the default) builds initial and all boundary values into
            u, "ic" the initial ones only, False (the paper) leaves both to penalties.
        ends: how differences in x end, see `differences`: "one_sided" (the default), of
            order 6 up to the ends, or "stable", for correctors: what a residual tells
            of a small and fine error is right.
    """
    require_positive(half_length=half_length, final_time=final_time)
    require_choice("family", family, (None, *FAMILIES))
    require_choice("measure", measure, MEASURES)
    require_choice("features", features, FEATURES)
    require_choice("hard_constraints", hard_constraints, (True, "ic", False))
    require_choice("ends", ends, ENDS)
    x = Axis("x", -half_length, half_length, num_x)
    grid = Grid((x, Axis("t", 0.0, final_time, num_t)))
    differences = ENDS[ends](x)
    channels, height = FEATURES[features]
    strata = tuple(
        sampler(grid, index)
        for index, name in enumerate(FAMILIES)
        if family in (None, name)
    )
    sample = sampler(grid, None) if family is None else strata[0]
    hard = {True: ("ic", "bc"), "ic": ("ic",), False: ()}[hard_constraints]
    penalties = {
        "ic": _initial_condition,
        "bc": _boundary_conditions(differences.first),
    }
    return Problem(
        name="forced_kdv",
        grid=grid,
        sample=sample,
        sample_virtual=sample,
        solve=_closed_form(grid),
        features=_checked(grid, channels(grid)),
        residual=_residual(grid, differences),
        constrain=constrained(grid, height, hard),
        measure=MEASURES[measure](grid, differences),
        constraints={name: penalties[name] for name in penalties if name not in hard},
        scale=height,
        error_of=linearised_error(grid, differences),
        strata=strata,
        inputs=INPUTS,
        solver_inputs=("family", "constants"),
        time_axis=1,
        statement=Statement(
            title="The forced Korteweg-de Vries equation",
            equation=r"u_t + u\,u_x + \beta\,u_{xxx} = \alpha\,f_x",
            conditions=rf"x \in [-{half_length:g}, {half_length:g}],\quad "
            rf"t \in [0, {final_time:g}],\quad "
            r"u(x, 0),\ u(-L, t),\ u(L, t),\ u_x(L, t) \text{ given}",
            learned=r"(f_x, \text{initial and boundary values}, \alpha, \beta) "
            r"\mapsto u(x, t)",
            law=f"pulses of {_families(family)} that a force drags along or lets "
            "swell and fade",
        ),
    )


def _families(family: str | None) -> str:
    one = f"the analytic family {family}"
    return "three analytic families" if family is None else one


def _closed_form(grid: Grid) -> Callable[[Inputs], jax.Array]:
    def solve(inputs: Inputs) -> jax.Array:
        known = "family" in inputs and "constants" in inputs
        allowed = "the entries 'family' and 'constants' that sampled inputs carry"
        require(known, "inputs", sorted(inputs), allowed)
        x, t = grid.coordinates
        u = solution(inputs["family"], inputs["constants"])
        return u(x[:, None], t[None, :])

    return solve


def _shapes(grid: Grid) -> dict[str, tuple[int, ...]]:
    """Of the inputs that network and equation read."""
    points = {axis.name: axis.num_points for axis in grid.axes}
    return {
        name: tuple(points[axis] for axis in field.axes)
        for name, field in INPUTS.items()
        if field.axes is not None
    }


def _checked(
    grid: Grid, channels: Callable[[Inputs], jax.Array]
) -> Callable[[Inputs], jax.Array]:
    shapes = _shapes(grid)

    def features(inputs: Inputs) -> jax.Array:
        require_fields(inputs, shapes)
        return channels(inputs)

    return features


def _residual(
    grid: Grid, differences: Differences
) -> Callable[[jax.Array, Inputs], jax.Array]:
    d_t = finite_difference(grid.axes[1], 1, T_ACCURACY)
    shapes = _shapes(grid)

    def residual(u: jax.Array, inputs: Inputs) -> jax.Array:
        """On the whole grid; of order 4 in t, in x of that of the differences."""
        require_fields(inputs, shapes)
        advection = u * along(differences.first, u, 0)
        dispersion = inputs["beta"] * differences.third(u, inputs["ux_right"])
        source = inputs["alpha"] * inputs["f_x"]
        return along(d_t, u, 1) + advection + dispersion - source

    return residual


def _initial_condition(u: jax.Array, inputs: Inputs) -> jax.Array:
    return u[:, 0] - inputs["u0"]


def _boundary_conditions(
    d_x: np.ndarray,
) -> Callable[[jax.Array, Inputs], jax.Array]:
    def boundary(u: jax.Array, inputs: Inputs) -> jax.Array:
        slope = jnp.asarray(d_x[-1], u.dtype) @ u
        left, right = u[0] - inputs["u_left"], u[-1] - inputs["u_right"]
        return jnp.concatenate([left, right, slope - inputs["ux_right"]])

    return boundary
