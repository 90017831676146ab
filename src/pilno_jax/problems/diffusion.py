"""The diffusion equation, periodic in x (paper, Appendix B, with f = 0):

    u_t - D u_xx = 0,   x in [0, 1),  t in [0, T],   u(x, 0) = u0(x).

The linear sibling of Burgers on the same grid: mode k decays as exp(-D (2 pi k)^2 t)
and that closed form is the reference. The paper prints neither f nor D; f = 0 and
D = 0.01 are ours. Its poles are known, which makes it the test bed of interpretability.
"""

import jax
import jax.numpy as jnp
import numpy as np

from pilno_jax.checks import require_positive
from pilno_jax.numerics.complex_numbers import as_complex
from pilno_jax.numerics.derivatives import along, derivative
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


@labels_ignore("virtual_length_scales", "hard_constraints")
@resizable("num_x", "num_t")
def diffusion(
    *,
    diffusivity: Law = 0.01,
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
            log-uniformly.
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
    d = coefficient("diffusivity", diffusivity, "$D$")
    law = InitialLaw(length_scale, virtual_length_scales, sigma)
    grid = periodic_grid(num_x, num_t=num_t, final_time=final_time)
    x, t = grid.axes
    d_xx, d_t = derivative(x, 2), derivative(t, 1, accuracy=6)

    wavenumbers = 2 * np.pi * np.arange(num_x // 2 + 1)
    exponents = -np.outer(wavenumbers**2, t.coordinates)

    def decay(inputs: Inputs) -> jax.Array:
        dtype = inputs["u0"].dtype
        if d.is_input:
            return jnp.exp(d.of(inputs) * jnp.asarray(exponents, dtype))
        return jnp.asarray(np.exp(d.lowest * exponents), dtype)

    def solve(inputs: Inputs) -> jax.Array:
        modes = jnp.fft.rfft(inputs["u0"])[:, None] * as_complex(decay(inputs))
        return jnp.fft.irfft(modes, num_x, axis=0)

    def residual(u: jax.Array, inputs: Inputs) -> jax.Array:
        return along(d_t, u, 1) - d.of(inputs) * along(d_xx, u, 0)

    problem = initial_value_problem(
        name="diffusion",
        grid=grid,
        solve=solve,
        residual=residual,
        law=law,
        hard_constraints=hard_constraints,
        statement=Statement(
            title="The diffusion equation",
            equation=r"u_t = D\,u_{xx}",
            conditions=r"x \in [0, 1) \text{ periodic},\quad "
            rf"t \in [0, {final_time:g}],\quad u(x, 0) = u_0(x)",
        ),
        error_of=d.response_error(-d_xx, t),
    )
    return with_coefficients(problem, d)
