"""Viscous Burgers' equation, periodic in x (paper, Eq. burgers):

    u_t + u u_x - nu u_xx = 0,   x in [0, 1),  t in [0, T],   u(x, 0) = u0(x).

The operator maps u0 to u(x, t). Waves steepen where u0 falls and thin shocks of width
~nu form; with nu = 0.01, sigma = 0.2 they are just resolved by 32 points. u0 is an
exp-sine Gaussian field: length_scale 0.5 is oscillatory, 5 nearly constant.

The equation is Galilean invariant: if v solves it with mean zero, u = c + v(x - c t, t)
solves it with mean c, and every mean is conserved. In the moving frame the network only
learns v; a fifth (l = 0.5) to nearly all (l = 5) of the input's variance is that mean.
"""

import dataclasses
import math

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from pilno_jax.checks import require_fields, require_positive
from pilno_jax.numerics.complex_numbers import as_complex
from pilno_jax.numerics.derivatives import along, derivative, interpolation, stencil
from pilno_jax.numerics.time_stepping import diffusion_step, snapshots
from pilno_jax.problems.base import Inputs, Problem
from pilno_jax.problems.coefficients import Law, coefficient, with_coefficients
from pilno_jax.problems.factories import labels_ignore, resizable
from pilno_jax.problems.initial_value import (
    InitialLaw,
    LengthScales,
    initial_value_problem,
    periodic_grid,
)
from pilno_jax.problems.statement import Statement

REFERENCE_POINTS = 128
REFERENCE_STEP = 1e-4


@labels_ignore(
    *("virtual_length_scales", "hard_constraints", "moving_frame", "time_accuracy")
)
@resizable("num_x", "num_t")
def burgers(
    *,
    viscosity: Law = 0.01,
    length_scale: float = 0.5,
    virtual_length_scales: LengthScales = (0.5, 5.0),
    sigma: float = 0.2,
    num_x: int = 32,
    num_t: int = 26,
    final_time: float = 1.0,
    hard_constraints: bool = True,
    moving_frame: bool = True,
    time_accuracy: int = 6,
) -> Problem:
    """Burgers' equation on a (num_x, num_t) grid; see the module for the equation.

    Args:
        viscosity: nu. Default 0.01, the paper's; shocks are about as wide. A pair
            (lowest, highest) makes it an input, drawn log-uniformly.
        length_scale: of the labelled inputs u0. Default 0.5; 0.5 is oscillatory, 5
            nearly constant.
        virtual_length_scales: (shortest, longest) of the virtual inputs, drawn
            log-uniformly. Default (0.5, 5).
        sigma: standard deviation of u0. Default 0.2; with more, shocks get thinner than
            a cell.
        num_x: points in x. Default 32.
        num_t: points in t, both ends included. Default 26; more than `time_accuracy`.
        final_time: T. Default 1.
        hard_constraints: True (the default) builds u(x, 0) = u0 into u, False leaves it
            to the penalty "ic".
        moving_frame: whether the network works in the frame of the mean velocity.
            Default True.
        time_accuracy: order of the differences in time of the residual. Default 6. With
            8, at no more cost, the zero of the residual is nearer to the solution,
            which only an operator in stages notices; with 10, differences at the ends
            weigh so much that training suffers.
    """
    require_positive(final_time=final_time)
    nu = coefficient("viscosity", viscosity, r"$\nu$")
    law = InitialLaw(length_scale, virtual_length_scales, sigma)
    grid = periodic_grid(num_x, num_t=num_t, final_time=final_time)
    x, t = grid.axes
    d_x, d_xx = derivative(x, 1), derivative(x, 2)
    d_t = derivative(t, 1, accuracy=time_accuracy)

    # The paper's reference: 4th-order differences on 128 points, RK4 of step 1e-4.
    factor = math.ceil(REFERENCE_POINTS / num_x)
    fine = x.refined(factor)
    fine_d_x, fine_d_xx = stencil(fine, 1, 4), stencil(fine, 2, 4)
    step = min(REFERENCE_STEP, diffusion_step(fine, nu.highest))

    def solve(inputs: Inputs) -> jax.Array:
        def slope(u: jax.Array) -> jax.Array:
            return nu.of(inputs) * fine_d_xx(u) - u * fine_d_x(u)

        start = along(interpolation(x, fine), inputs["u0"], 0)
        return snapshots(slope, t, step)(start)[::factor]

    def residual(u: jax.Array, inputs: Inputs) -> jax.Array:
        convection = u * along(d_x, u, 0)
        return along(d_t, u, 1) + convection - nu.of(inputs) * along(d_xx, u, 0)

    problem = initial_value_problem(
        name="burgers",
        grid=grid,
        solve=solve,
        residual=residual,
        law=law,
        hard_constraints=hard_constraints,
        statement=Statement(
            title="Burgers' equation",
            equation=r"u_t + u\,u_x = \nu\,u_{xx}",
            conditions=r"x \in [0, 1) \text{ periodic},\quad "
            rf"t \in [0, {final_time:g}],\quad u(x, 0) = u_0(x)",
        ),
        error_of=nu.response_error(-d_xx, t),
    )
    problem = in_moving_frame(problem) if moving_frame else problem
    return with_coefficients(problem, nu)


def in_moving_frame(problem: Problem) -> Problem:
    """The same problem with a network that sees u0 - c and whose output rides on c."""
    times = problem.grid.coordinates[1]

    def centred(inputs: Inputs) -> Inputs:
        require_fields(inputs, {"u0": problem.grid.shape[:1]})
        return {**inputs, "u0": inputs["u0"] - jnp.mean(inputs["u0"])}

    def into_frame(field: jax.Array, inputs: Inputs) -> jax.Array:
        return translate(field, -jnp.mean(inputs["u0"]) * times)

    def out_of_frame(field: jax.Array, inputs: Inputs) -> jax.Array:
        return translate(field, jnp.mean(inputs["u0"]) * times)

    def features(inputs: Inputs) -> jax.Array:
        return problem.features(centred(inputs))

    def constrain(raw: jax.Array, inputs: Inputs) -> jax.Array:
        v = problem.constrain(raw, centred(inputs))
        drifted = out_of_frame(v - jnp.mean(v, 0, keepdims=True), inputs)
        return jnp.mean(inputs["u0"]) + drifted

    def error_of(residual: jax.Array, u: jax.Array, inputs: Inputs) -> jax.Array:
        # Riding on the mean velocity, errors diffuse; at rest they would also drift.
        seen = into_frame(residual, inputs)
        return out_of_frame(problem.error_of(seen, u, inputs), inputs)

    return dataclasses.replace(
        problem,
        features=features,
        constrain=constrain,
        error_of=error_of,
        into_frame=into_frame,
    )


def translate(
    v: Float[Array, "x t"], shifts: Float[np.ndarray | Array, " t"]
) -> Float[Array, "x t"]:
    """v(x - shift) on the unit circle, exactly for what the grid resolves.

    Args:
        v: functions of x in columns; the Nyquist cosine keeps its even part.
        shifts: by how much each column moves.
    """
    wavenumbers = 2 * jnp.pi * jnp.arange(v.shape[0] // 2 + 1).astype(v.dtype)
    phases = jnp.exp(-1j * as_complex(jnp.outer(wavenumbers, jnp.asarray(shifts))))
    return jnp.fft.irfft(jnp.fft.rfft(v, axis=0) * phases, v.shape[0], axis=0)
