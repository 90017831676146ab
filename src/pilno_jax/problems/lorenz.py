"""Lorenz' system with a forcing, f(t) -> x(t), as LNO was published with:

    x' = 10 (y - x),   y' = x (rho - z) - y,   z' = x y - 8/3 z - f,

from (x, y, z) = (1, 0, 0). For 1 < rho < 24.7 it spirals into one of two points with
x = +-sqrt(8/3 (rho - 1)), and the forcing may throw it from one lobe to the other: the
more often, the larger rho. Near such a switch small changes of f decide between x and
-x, which bounds what any operator can learn.

The equation in x alone: y follows from x by the first equation, z from x y and f by
the third, which is linear in z; the second is the residual.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

from pilno_jax.checks import require
from pilno_jax.numerics.derivatives import along, derivative
from pilno_jax.numerics.driven_systems import driven, response_matrix
from pilno_jax.numerics.grids import Axis, Grid
from pilno_jax.problems.base import Inputs, Problem
from pilno_jax.problems.driven import driven_problem
from pilno_jax.problems.factories import labels_ignore, resizable
from pilno_jax.problems.forcings import Forcings
from pilno_jax.problems.statement import Statement

PRANDTL, DECAY = 10.0, 8 / 3
START = (1.0, 0.0, 0.0)
ONSET_OF_CHAOS = 24.0  # just below 24.74, where both points lose their stability


@labels_ignore("virtual_law", "hard_constraints", "show_time")
@resizable("num_t")
def lorenz(
    *,
    rho: float = 5.0,
    law: str = "sine",
    virtual_law: str = "fading",
    amplitude: float = 10.0,
    frequency: float = 5.0,
    num_t: int = 512,
    final_time: float = 20.47,
    hard_constraints: bool = True,
    show_time: bool = False,
) -> Problem:
    """The forced Lorenz system on num_t nodes; see the module for the equation.

    Args:
        rho: positive. Default 5, which stays on its lobe; published: 5 and 10. At most
            24: beyond, the system is chaotic.
        law: of the labelled forcings, one of `forcings.LAWS`. Default "sine".
        virtual_law: of the virtual ones. Default "fading", which holds "sine" and
            "decaying".
        amplitude: of the strongest forcing. Default 10.
        frequency: of "sine" and "decaying", and the highest of the others. Default 5.
        num_t: nodes in t, both ends included. Default 512, which resolve the layer at
            the start.
        final_time: T. Default 20.47.
        hard_constraints: True (the default) writes x as what the system does without
            a forcing, plus the network's part; False leaves x(0) = 1 and x'(0) = -10
            to the penalty "ic".
        show_time: True shows the network the time beside f, as LNO was published.
            Default False.
    """
    require(0 < rho <= ONSET_OF_CHAOS, "rho", rho, f"in (0, {ONSET_OF_CHAOS:g}]")
    times = Axis("t", 0.0, final_time, num_t)
    forcings = Forcings(times, amplitude, frequency)
    d_t = derivative(times, 1, accuracy=8)
    z_of_source = response_matrix(lambda ages: np.exp(-DECAY * ages), times)

    def slope(state: jax.Array, f: jax.Array) -> jax.Array:
        x, y, z = state
        along_z = x * y - DECAY * z - f
        return jnp.stack([PRANDTL * (y - x), x * (rho - z) - y, along_z])

    evolve = driven(slope, times)

    def solve(f: jax.Array) -> jax.Array:
        return evolve(jnp.asarray(START, f.dtype), f)[0]

    def residual(x: jax.Array, inputs: Inputs) -> jax.Array:
        y = x + along(d_t, x, 0) / PRANDTL
        z = along(z_of_source, x * y - inputs["f"], 0)
        return along(d_t, y, 0) - x * (rho - z) + y

    return driven_problem(
        name="lorenz",
        grid=Grid((times,)),
        strata=forcings.strata(law),
        sample=forcings.sampler(law),
        sample_virtual=forcings.sampler(virtual_law, "virtual_law"),
        solve=solve,
        residual=residual,
        distance=_distance(rho, times),
        size=amplitude / 2,
        gain=rho / amplitude,
        own_scale=False,  # without a forcing x does not vanish
        show_time=show_time,
        hard_constraints=hard_constraints,
        statement=Statement(
            title="A forced Lorenz system",
            equation=r"x' = 10\,(y - x),\quad y' = x\,(\rho - z) - y,\quad "
            r"z' = x\,y - 8z/3 - f",
            conditions=rf"t \in [0, {final_time:g}],\quad "
            rf"(x, y, z) = (1, 0, 0) \text{{ at }} t = 0,\quad \rho = {rho:g}",
            learned=r"f \mapsto x(t)",
            law=forcings.described(law, virtual_law),
        ),
        unforced=np.asarray(jax.jit(solve)(np.zeros(num_t, jnp.result_type(float)))),
    )


def _distance(rho: float, times: Axis) -> Callable[[jax.Array, Inputs], jax.Array]:
    """(x, inputs) -> what is wrong with x: its distance from what the three equations,
    one after the other, make of it, as the system next to its points of rest sees it.
    """
    x_of_y, y_of_source, z_of_source = (
        response_matrix(lambda ages, rate=rate: np.exp(-rate * ages), times)
        for rate in (PRANDTL, 1.0, DECAY)
    )
    follow = PRANDTL * x_of_y @ y_of_source  # from the source of y to x
    start = np.exp(-np.outer((PRANDTL, DECAY), times.nodes()))
    # x y = x^2 + (x^2)' / 20: no derivative is left when z integrates it.
    z_of_square = (1 - DECAY / 20) * z_of_source + np.eye(times.num_points) / 20
    rest = np.sqrt(DECAY * max(rho - 1.0, 0.0))
    change = (rho - rest**2 / DECAY) * follow - follow @ (2 * rest**2 * z_of_square)
    near_rest = np.linalg.inv(np.eye(times.num_points) - change)

    def distance(x: jax.Array, inputs: Inputs) -> jax.Array:
        leaving, fading = (jnp.asarray(row, x.dtype) for row in start)
        z = along(z_of_square, x**2, 0) - along(z_of_source, inputs["f"], 0)
        z = z - START[0] ** 2 / 20 * fading
        made = START[0] * leaving + along(follow, x * (rho - z), 0)
        return along(near_rest, x - made, 0)

    return distance
