"""The Navier-Stokes equations in the plane, as vorticity, periodic in x and y:

    u_t + v . grad u - nu Laplace u = 0,   v = (psi_y, -psi_x),   -Laplace psi = u,

on (x, y) in [0, 1)^2, t in [0, T], u(x, y, 0) = u0(x, y). u is the vorticity and v the
velocity it induces; both have mean zero. The operator maps u0 to u(x, y, t).

Vortices turn at the rate u / 2, so sigma T / 2 is the angle by which a typical one has
turned at the end: with sigma = 5 and T = 1 neighbours wind around each other and shear
thin filaments, which nu = 0.01 smooths as fast as they form. u0 is an exp-sine field in
both directions, length_scale 1 leaving it five waves across. It is the problem of three
axes: nothing in the networks or derivatives is tied to two.
"""

import math
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from pilno_jax.checks import require_positive
from pilno_jax.numerics.complex_numbers import as_complex
from pilno_jax.numerics.derivatives import along, derivative, interpolation
from pilno_jax.numerics.grids import Axis
from pilno_jax.numerics.random_fields import planar_exp_sine
from pilno_jax.numerics.system_response import system_response
from pilno_jax.numerics.time_stepping import snapshots
from pilno_jax.problems.base import Inputs, Problem
from pilno_jax.problems.factories import labels_ignore, resizable
from pilno_jax.problems.initial_value import (
    InitialLaw,
    LengthScales,
    initial_value_problem,
    periodic_grid,
)
from pilno_jax.problems.statement import Statement

REFERENCE_POINTS = 64
REFERENCE_STEP = 2e-3


@labels_ignore("virtual_length_scales", "hard_constraints")
@resizable("num_x", "num_y", "num_t")
def navier_stokes(
    *,
    viscosity: float = 0.01,
    length_scale: float = 1.0,
    virtual_length_scales: LengthScales = (1.0, 2.0),
    sigma: float = 5.0,
    num_x: int = 24,
    num_y: int = 24,
    num_t: int = 21,
    final_time: float = 1.0,
    hard_constraints: bool = True,
) -> Problem:
    """Vorticity on a (num_x, num_y, num_t) grid; see the module for the equation.

    Args:
        viscosity: nu. Default 0.01.
        length_scale: of the labelled inputs u0. Default 1; at 0.5 the default grid does
            not resolve them.
        virtual_length_scales: (shortest, longest) of the virtual inputs, drawn
            log-uniformly. Default (1, 2).
        sigma: standard deviation of u0. Default 5; sigma T / 2 is the angle by which a
            vortex turns.
        num_x: points in x. Default 24.
        num_y: points in y. Default 24.
        num_t: points in t, both ends included. Default 21; at least 7.
        final_time: T. Default 1.
        hard_constraints: True (the default) builds u(x, y, 0) = u0 into u, False leaves
            it to the penalty "ic".
    """
    require_positive(viscosity=viscosity, final_time=final_time)
    law = InitialLaw(length_scale, virtual_length_scales, sigma)
    grid = periodic_grid(num_x, num_y, num_t=num_t, final_time=final_time)
    x, y, t = grid.axes
    (d_x, d_xx), (d_y, d_yy) = (
        (derivative(axis, 1), derivative(axis, 2)) for axis in (x, y)
    )
    d_t = derivative(t, 1, accuracy=6)

    factors = [math.ceil(REFERENCE_POINTS / axis.num_points) for axis in (x, y)]
    fine = [axis.refined(by) for axis, by in zip((x, y), factors, strict=True)]
    evolve = spectral_solver(fine[0].num_points, fine[1].num_points, t, viscosity)

    def solve(inputs: Inputs) -> jax.Array:
        u0 = inputs["u0"]
        for axis, (coarse, finer) in enumerate(zip((x, y), fine, strict=True)):
            u0 = along(interpolation(coarse, finer), u0, axis)
        return evolve(u0)[:: factors[0], :: factors[1]]

    def residual(u: jax.Array, inputs: Inputs) -> jax.Array:
        del inputs
        along_x, along_y = velocity(u)
        convection = along_x * along(d_x, u, 0) + along_y * along(d_y, u, 1)
        diffusion = along(d_xx, u, 0) + along(d_yy, u, 1)
        return along(d_t, u, 2) + convection - viscosity * diffusion

    # Vortices at rest: what convection does to an error is left to the correctors.
    at_rest = system_response((x, y), t, (viscosity,), np.zeros((1, 1)))

    def error_of(residual: jax.Array, u: jax.Array, inputs: Inputs) -> jax.Array:
        del u, inputs
        return at_rest(residual[..., None])[..., 0]

    return initial_value_problem(
        name="navier_stokes",
        grid=grid,
        solve=solve,
        residual=residual,
        law=law,
        hard_constraints=hard_constraints,
        statement=Statement(
            title="Navier-Stokes in the plane",
            equation=r"u_t + v \cdot \nabla u = \nu\,\Delta u,\quad "
            r"u = \text{curl }v",
            conditions=r"(x, y) \in {[0, 1)}^2 \text{ periodic},\quad "
            rf"t \in [0, {final_time:g}],\quad u(x, y, 0) = u_0(x, y),\quad "
            rf"\nu = {viscosity:g}",
        ),
        error_of=error_of,
        draw=planar_exp_sine,
    )


def velocity(
    u: Float[Array, "x y *times"],
) -> tuple[Float[Array, "x y *times"], Float[Array, "x y *times"]]:
    """The two components of v, given u on (x, y, ...): Fourier's Biot-Savart law."""
    k, m, square = _wavenumbers(u.shape[0], u.shape[1])
    modes, later = jnp.fft.rfft2(u, axes=(0, 1)), (1,) * (u.ndim - 2)

    def component(wavenumber: np.ndarray) -> jax.Array:
        of_stream = (1j * wavenumber * _inverse(square)).reshape(*square.shape, *later)
        values = jnp.fft.irfft2(of_stream * modes, u.shape[:2], axes=(0, 1))
        return values.astype(u.dtype)

    return component(m), component(-k)


def spectral_solver(
    num_x: int, num_y: int, t: Axis, viscosity: float
) -> Callable[[jax.Array], jax.Array]:
    """u0 -> u at the nodes of t: RK4 on the Fourier modes that the 2/3 rule keeps.

    Args:
        num_x: points of u0 in x.
        num_y: points of u0 in y.
        t: the times asked for; steps between them are shorter where they must be.
        viscosity: nu.
    """
    k, m, square = _wavenumbers(num_x, num_y)
    inverse = _inverse(square)
    # A product of two modes below a third is aliased onto none of them.
    low = [abs(np.fft.fftfreq(num_x)) < 1 / 3, np.fft.rfftfreq(num_y) < 1 / 3]
    resolved = np.outer(*low).astype(float)

    def on_grid(modes: jax.Array) -> jax.Array:
        return jnp.fft.irfft2(modes, (num_x, num_y))

    def scaled(modes: jax.Array, factors: np.ndarray) -> jax.Array:
        return modes * as_complex(jnp.asarray(factors))

    def slope(modes: jax.Array) -> jax.Array:
        stream = scaled(modes, inverse)
        # d(psi, u) / d(y, x), the convection, as a product on the grid.
        product = on_grid(stream * (1j * m)) * on_grid(modes * (1j * k))
        product -= on_grid(stream * (1j * k)) * on_grid(modes * (1j * m))
        convection = scaled(-jnp.fft.rfft2(product), resolved)
        return convection - scaled(modes, viscosity * square)

    # RK4 is stable on the negative axis down to -2.785.
    largest = float((resolved * square).max())
    evolve = snapshots(slope, t, min(REFERENCE_STEP, 2.0 / (viscosity * largest)))

    def solve(u0: jax.Array) -> jax.Array:
        modes = evolve(scaled(jnp.fft.rfft2(u0), resolved))
        return jnp.fft.irfft2(modes, (num_x, num_y), axes=(0, 1)).astype(u0.dtype)

    return solve


def _wavenumbers(num_x: int, num_y: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """2 pi k and 2 pi m of the modes of rfft2, and the sum of their squares.

    The first two are factors of odd derivatives, which the Nyquist modes have none of.
    """
    k = 2 * np.pi * np.fft.fftfreq(num_x, 1.0 / num_x)[:, None]
    m = 2 * np.pi * np.fft.rfftfreq(num_y, 1.0 / num_y)[None]
    square = k**2 + m**2
    shape = square.shape
    k = np.where(abs(k) == np.pi * num_x, 0.0, k)
    m = np.where(abs(m) == np.pi * num_y, 0.0, m)
    return np.broadcast_to(k, shape), np.broadcast_to(m, shape), square


def _inverse(square: np.ndarray) -> np.ndarray:
    """1 / |k|^2, and 0 for the mean, which has no stream function."""
    return np.divide(1.0, square, out=np.zeros_like(square), where=square > 0)
