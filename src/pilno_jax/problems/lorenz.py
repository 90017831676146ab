"""Lorenz' system with a forcing, f(t) -> x(t), as LNO was published with:

    x' = 10 (y - x),   y' = x (rho - z) - y,   z' = x y - 8/3 z - f,

from (x, y, z) = (1, 0, 0). For 1 < rho < 24.7 it spirals into one of two points with
x = +-sqrt(8/3 (rho - 1)), and the forcing may throw it from one lobe to the other: the
more often, the larger rho. Near such a switch small changes of f decide between x and
-x, which bounds what any operator can learn.

The equation in x alone: y follows from x by the first equation, z from x y and f by
the third, which is linear in z; the second is the residual.
"""

import jax
import jax.numpy as jnp
import numpy as np

from pilno_jax.checks import require
from pilno_jax.numerics.derivatives import along, derivative
from pilno_jax.numerics.driven_systems import driven, response_matrix
from pilno_jax.numerics.grids import Axis, Grid
from pilno_jax.problems.base import Inputs, Problem, labels_ignore, resizable
from pilno_jax.problems.driven import driven_problem
from pilno_jax.problems.forcings import Forcings

PRANDTL, DECAY = 10.0, 8 / 3
START = (1.0, 0.0, 0.0)
ONSET_OF_CHAOS = 24.0  # just below 24.74, where both points lose their stability


@labels_ignore("virtual_law", "hard_constraints", "measure")
@resizable("num_t")
def lorenz(
    *,
    rho: float = 5.0,
    law: str = "sine",
    virtual_law: str = "any",
    amplitude: float = 10.0,
    frequency: float = 5.0,
    num_t: int = 512,
    final_time: float = 20.47,
    hard_constraints: bool = True,
    measure: str = "response",
) -> Problem:
    """The forced Lorenz system on num_t nodes; see the module for the equation.

    Args:
        rho: positive. Default 5, which stays on its lobe; published: 5 and 10. At most
            24: beyond, the system is chaotic.
        law: of the labelled forcings, one of `forcings.LAWS`. Default "sine".
        virtual_law: of the virtual ones. Default "any".
        amplitude: of the strongest forcing. Default 10.
        frequency: of "sine" and "decaying", and the highest of the others. Default 5.
        num_t: nodes in t, both ends included. Default 512, which resolve the layer at
            the start.
        final_time: T. Default 20.47.
        hard_constraints: True (the default) writes x as what the system does without
            a forcing, plus the network's part; False leaves x(0) = 1 and x'(0) = -10
            to the penalty "ic".
        measure: of the residual: "response" (the default), what the system answers to
            it next to its points of rest, or "l2".
    """
    require(0 < rho <= ONSET_OF_CHAOS, "rho", rho, f"in (0, {ONSET_OF_CHAOS:g}]")
    times = Axis("t", 0.0, final_time, num_t)
    forcings = Forcings(times, amplitude, frequency)
    d_t = derivative(times, 1, accuracy=8)
    z_of_source = response_matrix(lambda ages: np.exp(-DECAY * ages), times)
    answer = response_matrix(impulse_near_rest(rho), times)

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
        response=lambda source: along(answer, source, 0),
        size=amplitude / 2,
        gain=rho / amplitude,
        measure=measure,
        own_scale=False,  # without a forcing x does not vanish
        hard_constraints=hard_constraints,
        unforced=np.asarray(jax.jit(solve)(jnp.zeros(num_t))),
    )


def impulse_near_rest(rho: float):
    """Change of x by a unit blow to y at a point of rest, as a function of its age."""
    x = np.sqrt(DECAY * max(rho - 1.0, 0.0))
    z = x**2 / DECAY
    jacobian = np.array([[-PRANDTL, PRANDTL, 0.0], [rho - z, -1.0, -x], [x, x, -DECAY]])
    rates, modes = np.linalg.eig(jacobian)
    weights = modes[0] * np.linalg.inv(modes)[:, 1]

    def impulse(ages: np.ndarray) -> np.ndarray:
        return (np.exp(ages[..., None] * rates) @ weights).real

    return impulse
