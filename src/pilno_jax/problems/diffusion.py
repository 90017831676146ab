"""The diffusion equation, periodic in x (paper, Appendix B, with f = 0):

    u_t - D u_xx = 0,   x in [0, 1),  t in [0, T],   u(x, 0) = u0(x).

The linear sibling of Burgers on the same grid: mode k decays as exp(-D (2 pi k)^2 t)
and that closed form is the reference. The paper prints neither f nor D; f = 0 and
D = 0.01 are ours. Its poles are known, which makes it the test bed of interpretability.
A D that varies along x, u_t = (D u_x)_x, has no closed form: there a finer grid is the
reference.
"""

import math
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

from pilno_jax.checks import require_positive
from pilno_jax.numerics.complex_numbers import as_complex
from pilno_jax.numerics.derivatives import along, derivative, interpolation
from pilno_jax.numerics.grids import Axis
from pilno_jax.numerics.time_stepping import diffusion_step, snapshots
from pilno_jax.numerics.variable_diffusion import spectral_flux, staggered_flux
from pilno_jax.problems.base import Inputs, Problem
from pilno_jax.problems.coefficients import (
    Coefficient,
    FieldLaw,
    coefficient,
    with_coefficients,
)
from pilno_jax.problems.factories import labels_ignore, resizable
from pilno_jax.problems.initial_value import (
    InitialLaw,
    LengthScales,
    initial_value_problem,
    periodic_grid,
)
from pilno_jax.problems.statement import Statement

REFERENCE_POINTS = 128
REFERENCE_STEP = 1e-3


@labels_ignore("virtual_length_scales", "hard_constraints")
@resizable("num_x", "num_t")
def diffusion(
    *,
    diffusivity: FieldLaw = 0.01,
    length_scale: float = 0.5,
    virtual_length_scales: LengthScales = (0.5, 5.0),
    sigma: float = 0.2,
    num_x: int = 32,
    num_t: int = 26,
    final_time: float = 1.0,
    hard_constraints: bool = True,
) -> Problem:
    """The heat equation on a (num_x, num_t) grid; see the module for the equation.

    Args:
        diffusivity: D. Default 0.01. A pair (lowest, highest) makes it an input, drawn
            log-uniformly; with a length scale as third number, a function of x. A
            length scale of 1 is smooth, 0.5 oscillatory.
        length_scale: of the labelled inputs u0. Default 0.5; 0.5 is oscillatory, 5
            nearly constant.
        virtual_length_scales: (shortest, longest) of the virtual inputs, drawn
            log-uniformly. Default (0.5, 5).
        sigma: standard deviation of u0. Default 0.2.
        num_x: points in x. Default 32.
        num_t: points in t, both ends included. Default 26; at least 7.
        final_time: T. Default 1.
        hard_constraints: True (the default) builds u(x, 0) = u0 into u, False leaves it
            to the penalty "ic".
    """
    require_positive(final_time=final_time)
    d = coefficient("diffusivity", diffusivity, "$D$", may_vary=True)
    law = InitialLaw(length_scale, virtual_length_scales, sigma)
    grid = periodic_grid(num_x, num_t=num_t, final_time=final_time)
    x, t = grid.axes
    d_xx, d_t = derivative(x, 2), derivative(t, 1, accuracy=6)
    flux = spectral_flux(x)

    def residual(u: jax.Array, inputs: Inputs) -> jax.Array:
        if d.is_field:
            return along(d_t, u, 1) - flux(u, inputs[d.name])
        return along(d_t, u, 1) - d.of(inputs) * along(d_xx, u, 0)

    problem = initial_value_problem(
        name="diffusion",
        grid=grid,
        solve=reference(d, x, t) if d.is_field else closed_form(d, x, t),
        residual=residual,
        law=law,
        hard_constraints=hard_constraints,
        statement=Statement(
            title="The diffusion equation",
            equation=r"u_t = (D\,u_x)_x" if d.is_field else r"u_t = D\,u_{xx}",
            conditions=r"x \in [0, 1) \text{ periodic},\quad "
            rf"t \in [0, {final_time:g}],\quad u(x, 0) = u_0(x)",
        ),
        error_of=d.response_error(-d_xx, t),
    )
    return with_coefficients(problem, d)


def closed_form(d: Coefficient, x: Axis, t: Axis) -> Callable[[Inputs], jax.Array]:
    """inputs -> u of a D that is constant in x: every Fourier mode decays by itself.

    Args:
        d: the diffusivity.
        x: a periodic axis.
        t: the times asked for.
    """
    wavenumbers = 2 * np.pi * np.arange(x.num_points // 2 + 1)
    exponents = -np.outer(wavenumbers**2, t.coordinates)

    def decay(inputs: Inputs) -> jax.Array:
        dtype = inputs["u0"].dtype
        if d.is_input:
            return jnp.exp(d.of(inputs) * jnp.asarray(exponents, dtype))
        return jnp.asarray(np.exp(d.lowest * exponents), dtype)

    def solve(inputs: Inputs) -> jax.Array:
        modes = jnp.fft.rfft(inputs["u0"])[:, None] * as_complex(decay(inputs))
        return jnp.fft.irfft(modes, x.num_points, axis=0)

    return solve


def reference(d: Coefficient, x: Axis, t: Axis) -> Callable[[Inputs], jax.Array]:
    """inputs -> u of a D that varies: differences of order 4 on 128 points, and RK4.

    Args:
        d: the diffusivity, a field.
        x: a periodic axis.
        t: the times asked for.
    """
    factor = math.ceil(REFERENCE_POINTS / x.num_points)
    fine, flux = x.refined(factor), staggered_flux(x, factor)
    step = min(REFERENCE_STEP, diffusion_step(fine, d.highest))

    def solve(inputs: Inputs) -> jax.Array:
        start = along(interpolation(x, fine), inputs["u0"], 0)
        return snapshots(flux(inputs[d.name]), t, step)(start)[::factor]

    return solve
