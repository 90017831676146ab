"""The Brusselator, an oscillating chemical reaction, periodic in space:

    u_t = D_u Laplace u + a - (b + 1) u + u^2 v
    v_t = D_v Laplace v + b u - u^2 v,   t in [0, T],   (u, v)(., 0) = (u0, v0).

The operator maps (u0, v0) to (u, v). At rest u = a and v = b / a. Deviations turn
around that state with a period of about 2 pi / a, fade where b < 1 + a^2 and grow into
a limit cycle where b is above; with a = 1 and b = 2, the default, they neither fade nor
grow at first. Diffusion smooths them meanwhile. u0 and v0 deviate from rest by
independent exp-sine fields. It is the benchmark of several fields: in x, and in the
plane.
"""

from pilno_jax.checks import require_positive
from pilno_jax.problems.base import Problem
from pilno_jax.problems.factories import labels_ignore, resizable
from pilno_jax.problems.initial_value import InitialLaw, LengthScales, periodic_grid
from pilno_jax.problems.reaction_systems import Kinetics, initial_value_system
from pilno_jax.problems.statement import Statement


@labels_ignore("virtual_length_scales", "hard_constraints")
@resizable("num_x", "num_t")
def brusselator(
    *,
    a: float = 1.0,
    b: float = 2.0,
    diffusivities: tuple[float, float] = (0.005, 0.01),
    length_scale: float = 0.5,
    virtual_length_scales: LengthScales = (0.5, 1.0),
    sigma: float = 0.3,
    num_x: int = 32,
    num_t: int = 31,
    final_time: float = 2.0,
    hard_constraints: bool = True,
) -> Problem:
    """The Brusselator on a circle, (num_x, num_t) nodes; see the module.

    Args:
        a: what u is fed with, its value at rest. Default 1.
        b: how strongly u turns into v. Default 2, where rest is about to lose its
            stability.
        diffusivities: (D_u, D_v). Default (0.005, 0.01).
        length_scale: of the labelled inputs. Default 0.5; 0.5 is oscillatory, 5 nearly
            constant.
        virtual_length_scales: (shortest, longest) of the virtual inputs, drawn
            log-uniformly. Default (0.5, 1).
        sigma: standard deviation of u0 and v0 from rest. Default 0.3.
        num_x: points in x. Default 32.
        num_t: points in t, both ends included. Default 31; at least 7.
        final_time: T. Default 2, a third of a period.
        hard_constraints: True (the default) builds the initial values into u, False
            leaves them to the penalty "ic".
    """
    law = InitialLaw(length_scale, virtual_length_scales, sigma)
    require_positive(final_time=final_time)
    return initial_value_system(
        name="brusselator",
        grid=periodic_grid(num_x, num_t=num_t, final_time=final_time),
        kinetics=kinetics(a, b, diffusivities),
        law=law,
        hard_constraints=hard_constraints,
        statement=statement(a, b, "x", final_time, law),
    )


@labels_ignore("virtual_length_scales", "hard_constraints")
@resizable("num_x", "num_y", "num_t")
def brusselator_2d(
    *,
    a: float = 1.0,
    b: float = 2.0,
    diffusivities: tuple[float, float] = (0.005, 0.01),
    length_scale: float = 1.0,
    virtual_length_scales: LengthScales = (1.0, 2.0),
    sigma: float = 0.3,
    num_x: int = 24,
    num_y: int = 24,
    num_t: int = 21,
    final_time: float = 2.0,
    hard_constraints: bool = True,
) -> Problem:
    """The Brusselator on a torus, (num_x, num_y, num_t) nodes; see the module.

    Args:
        a: what u is fed with, its value at rest. Default 1.
        b: how strongly u turns into v. Default 2.
        diffusivities: (D_u, D_v). Default (0.005, 0.01).
        length_scale: of the labelled inputs. Default 1; at 0.5 the default grid does
            not resolve them.
        virtual_length_scales: (shortest, longest) of the virtual inputs, drawn
            log-uniformly. Default (1, 2).
        sigma: standard deviation of u0 and v0 from rest. Default 0.3.
        num_x: points in x. Default 24.
        num_y: points in y. Default 24.
        num_t: points in t, both ends included. Default 21; at least 7.
        final_time: T. Default 2, a third of a period.
        hard_constraints: True (the default) builds the initial values into u, False
            leaves them to the penalty "ic".
    """
    law = InitialLaw(length_scale, virtual_length_scales, sigma)
    require_positive(final_time=final_time)
    return initial_value_system(
        name="brusselator_2d",
        grid=periodic_grid(num_x, num_y, num_t=num_t, final_time=final_time),
        kinetics=kinetics(a, b, diffusivities),
        law=law,
        hard_constraints=hard_constraints,
        statement=statement(a, b, "(x, y)", final_time, law),
    )


def statement(
    a: float, b: float, place: str, final_time: float, law: InitialLaw
) -> Statement:
    """The equations for pages, with `place` for the coordinates in space."""
    domain = "[0, 1)" if place == "x" else "[0, 1)^2"
    return Statement(
        title="The Brusselator",
        equation=r"u_t = D_u\,\Delta u + a - (b + 1)\,u + u^2\,v,\quad "
        r"v_t = D_v\,\Delta v + b\,u - u^2\,v",
        conditions=rf"{place} \in {domain} \text{{ periodic}},\quad "
        rf"t \in [0, {final_time:g}],\quad a = {a:g},\quad b = {b:g}",
        learned=r"(u_0, v_0) \mapsto (u, v)",
        law=law.described("u_0"),
    )


def kinetics(a: float, b: float, diffusivities: tuple[float, float]) -> Kinetics:
    """The reaction of the module's equations."""
    require_positive(a=a, b=b)

    def reaction(u, v):
        turnover = u**2 * v
        return a - (b + 1) * u + turnover, b * u - turnover

    return Kinetics(("u", "v"), diffusivities, reaction, rest=(a, b / a))
