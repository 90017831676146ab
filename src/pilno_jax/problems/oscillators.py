"""Driven oscillators, f(t) -> x(t) from rest, as LNO was published with:

    Duffing:   x'' + c x' + x + k x^3 = f,
    pendulum:  x'' + c x' + sin x = f,           t in [0, T].

With c = 0.5 the free oscillation dies within a quarter of the time and x follows f;
with c = 0 it stays, and its frequency depends on its size, so that weak forcings are
answered nearly linearly and strong ones are not. Published: T = 20.47, f = A sin 5t
with A up to 10 for training and A e^{-t/20} sin 5t for the test, see `forcings`.
"""

import dataclasses
from collections.abc import Callable

import jax
import jax.numpy as jnp

from pilno_jax.checks import require
from pilno_jax.numerics.derivatives import along, derivative
from pilno_jax.numerics.driven_systems import (
    damped_oscillation,
    driven,
    oscillation_response,
    response_matrix,
)
from pilno_jax.numerics.grids import Axis, Grid
from pilno_jax.problems.base import Inputs, Problem
from pilno_jax.problems.driven import driven_problem
from pilno_jax.problems.factories import labels_ignore, resizable
from pilno_jax.problems.forcings import Forcings
from pilno_jax.problems.statement import Statement

Force = Callable[[jax.Array], jax.Array]
IGNORED = ("virtual_law", "hard_constraints", "own_scale", "show_time")


@labels_ignore(*IGNORED)
@resizable("num_t")
def duffing(
    *,
    damping: float = 0.5,
    cubic: float = 1.0,
    law: str = "sine",
    virtual_law: str = "fading",
    amplitude: float = 10.0,
    frequency: float = 5.0,
    num_t: int = 512,
    final_time: float = 20.47,
    hard_constraints: bool = True,
    own_scale: bool = True,
    show_time: bool = False,
) -> Problem:
    """Duffing's oscillator on num_t nodes; see the module for the equation.

    Args:
        damping: c >= 0. Default 0.5; published: 0 and 0.5.
        cubic: k >= 0, which makes the spring stiffer the further it is. Default 1.
        law: of the labelled forcings, one of `forcings.LAWS`. Default "sine".
        virtual_law: of the virtual ones. Default "fading", which holds "sine" and
            "decaying".
        amplitude: of the strongest forcing. Default 10.
        frequency: of "sine" and "decaying", and the highest of the others. Default 5.
        num_t: nodes in t, both ends included. Default 512; eight in a period of the
            forcing are needed, 16 resolve its harmonics.
        final_time: T. Default 20.47.
        hard_constraints: True (the default) builds x(0) = x'(0) = 0 into x, False
            leaves it to the penalty "ic".
        own_scale: True (the default) shows the network f over its own size, False as
            it is.
        show_time: True shows it the time as well, as LNO's pendulum was published.
            Default False.
    """
    require(cubic >= 0, "cubic", cubic, "a number >= 0")

    def force(x: jax.Array) -> jax.Array:
        return x + cubic * x**3

    times = Axis("t", 0.0, final_time, num_t)
    options = hard_constraints, own_scale, show_time
    laws = Forcings(times, amplitude, frequency), law, virtual_law
    statement = Statement(
        title="Duffing's oscillator",
        equation=r"x'' + c\,x' + x + k\,x^3 = f",
        conditions=rf"k = {cubic:g}",
    )
    return _oscillator("duffing", force, damping, times, laws, options, statement)


@labels_ignore(*IGNORED)
@resizable("num_t")
def pendulum(
    *,
    damping: float = 0.5,
    law: str = "sine",
    virtual_law: str = "fading",
    amplitude: float = 10.0,
    frequency: float = 5.0,
    num_t: int = 512,
    final_time: float = 20.47,
    hard_constraints: bool = True,
    own_scale: bool = True,
    show_time: bool = False,
) -> Problem:
    """A driven pendulum on num_t nodes; see the module for the equation.

    Args:
        damping: c >= 0. Default 0.5; published: 0 and 0.5.
        law: of the labelled forcings, one of `forcings.LAWS`. Default "sine".
        virtual_law: of the virtual ones. Default "fading", which holds "sine" and
            "decaying".
        amplitude: of the strongest forcing. Default 10; slow and strong ones turn the
            pendulum over.
        frequency: of "sine" and "decaying", and the highest of the others. Default 5.
        num_t: nodes in t, both ends included. Default 512; eight in a period of the
            forcing are needed, 16 resolve its harmonics.
        final_time: T. Default 20.47.
        hard_constraints: True (the default) builds x(0) = x'(0) = 0 into x, False
            leaves it to the penalty "ic".
        own_scale: True (the default) shows the network f over its own size, False as
            it is.
        show_time: True shows it the time as well, as LNO's pendulum was published.
            Default False.
    """
    times = Axis("t", 0.0, final_time, num_t)
    options = hard_constraints, own_scale, show_time
    laws = Forcings(times, amplitude, frequency), law, virtual_law
    statement = Statement(
        title="A driven pendulum", equation=r"x'' + c\,x' + \text{sin }x = f"
    )
    return _oscillator("pendulum", jnp.sin, damping, times, laws, options, statement)


def _oscillator(
    name: str,
    force: Force,
    damping: float,
    times: Axis,
    laws: tuple[Forcings, str, str],
    options: tuple[bool, bool, bool],
    statement: Statement,
) -> Problem:
    """x'' + c x' + force(x) = f, where force(x) is x for small x.

    The statement has what is special about the oscillator: title, equation, constants.
    """
    require(damping >= 0, "damping", damping, "a number >= 0: it takes energy out")
    forcings, law, virtual_law = laws
    hard_constraints, own_scale, show_time = options
    d_t, d_tt = (derivative(times, order, accuracy=8) for order in (1, 2))
    answer = response_matrix(damped_oscillation(1.0, damping), times)
    stiffness_at, respond = (
        jax.vmap(jax.grad(force)),
        oscillation_response(times, damping),
    )

    def slope(state: jax.Array, f: jax.Array) -> jax.Array:
        x, v = state
        return jnp.stack([v, f - damping * v - force(x)])

    evolve = driven(slope, times)

    def solve(f: jax.Array) -> jax.Array:
        return evolve(jnp.zeros(2, f.dtype), f)[0]

    def residual(x: jax.Array, inputs: Inputs) -> jax.Array:
        friction = damping * along(d_t, x, 0)
        return along(d_tt, x, 0) + friction + force(x) - inputs["f"]

    def distance(x: jax.Array, inputs: Inputs) -> jax.Array:
        return x + along(answer, force(x) - x - inputs["f"], 0)

    def error_at(x: jax.Array, away: jax.Array) -> jax.Array:
        """With the stiffness that the spring has at x, and not at rest."""
        stiffness = stiffness_at(x)
        return away + respond(stiffness, (1 - stiffness) * away)

    return driven_problem(
        name=name,
        grid=Grid((times,)),
        strata=forcings.strata(law),
        sample=forcings.sampler(law),
        sample_virtual=forcings.sampler(virtual_law, "virtual_law"),
        solve=solve,
        residual=residual,
        distance=distance,
        error_at=error_at,
        size=forcings.amplitude / 2,
        gain=0.3,  # of the free oscillation that a sine of frequency 5 leaves
        own_scale=own_scale,
        show_time=show_time,
        hard_constraints=hard_constraints,
        statement=_stated(statement, damping, times, forcings.described(*laws[1:])),
    )


def _stated(statement: Statement, damping: float, times: Axis, law: str) -> Statement:
    """With what all oscillators have in common."""
    common = rf"t \in [0, {times.high:g}],\quad x = x' = 0 \text{{ at }} t = 0"
    constants = rf"c = {damping:g}"
    conditions = filter(None, (common, constants, statement.conditions))
    return dataclasses.replace(
        statement,
        conditions=r",\quad ".join(conditions),
        learned=r"f \mapsto x(t)",
        law=law,
    )
