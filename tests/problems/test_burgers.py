"""Burgers' reference against the Cole-Hopf solution, exponax and its symmetries."""

import exponax
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pilno_jax.problems.burgers import burgers
from pilno_jax.problems.diffusion import diffusion

WAVE = {"mean": 0.1, "cosines": [0.12, -0.05, 0.02], "sines": [-0.15, 0.06, 0.01]}


def initial(x, mean, cosines, sines):
    modes = 2 * np.pi * np.outer(x, np.arange(1, len(cosines) + 1))
    return mean + np.cos(modes) @ cosines + np.sin(modes) @ sines


def cole_hopf(x, t, viscosity, mean, cosines, sines):
    """u = mean + v(x - mean t, t) with v = -2 nu phi_x / phi and phi_t = nu phi_xx.

    phi(x, 0) = exp(-integral(v0) / (2 nu)) is periodic, because v0 has no mean. Its
    Fourier coefficients (256 of them: below rounding) decay exactly, and the series
    is summed at the points that the mean flow came from. NumPy, float64, no stepping.
    """
    k = 2 * np.pi * np.arange(1, len(cosines) + 1)
    y = np.arange(256) / 256
    primitive = np.sin(np.outer(y, k)) @ (cosines / k)
    primitive -= np.cos(np.outer(y, k)) @ (sines / k)
    modes = np.fft.fftfreq(256, 1 / 256)
    coefficients = np.fft.fft(np.exp(-primitive / (2 * viscosity))) / 256
    waves = 2j * np.pi * modes
    decayed = coefficients * np.exp(viscosity * np.outer(t, waves**2).real)
    origins = x[:, None] - mean * t
    basis = np.exp(waves * origins[..., None])
    phi = np.einsum("xtk,tk->xt", basis, decayed).real
    slope = np.einsum("xtk,tk->xt", basis * waves, decayed).real
    return mean - 2 * viscosity * slope / phi


def nodes(problem):
    return tuple(np.asarray(c, np.float64) for c in problem.grid.coordinates)


def error(problem, viscosity=0.01):
    x, t = nodes(problem)
    u0 = initial(x, **WAVE)
    found = jax.jit(problem.solve)({"u0": jnp.asarray(u0)})
    exact = cole_hopf(x, t, viscosity, **WAVE)
    return np.linalg.norm(found - exact) / np.linalg.norm(exact)


def test_cole_hopf_starts_at_the_initial_condition():
    """The oracle itself, against the formula it was built from."""
    x = np.arange(32) / 32
    start = cole_hopf(x, np.zeros(1), 0.01, **WAVE)[:, 0]
    np.testing.assert_allclose(start, initial(x, **WAVE), atol=1e-12)


def test_reference_converges_to_cole_hopf_at_order_4(x64):
    coarse, fine = error(burgers(num_x=128)), error(burgers(num_x=256))
    # The paper's scheme on its 128 points. RK4's own error, (1e-4)^4, is invisible.
    assert coarse < 5e-4
    # The shock is 6 cells wide at 128 points: 0.3 below the asymptotic order.
    assert np.log2(coarse / fine) == pytest.approx(4, abs=0.3)


def test_more_accurate_differences_in_time_leave_the_solution_less_residual(x64):
    """The network is asked for a zero of the residual: it has to be near the truth."""

    def left(time_accuracy):
        problem = burgers(num_x=64, time_accuracy=time_accuracy)
        exact = cole_hopf(*nodes(problem), 0.01, **WAVE)
        return jnp.linalg.norm(problem.residual(jnp.asarray(exact), {}))

    assert left(10) < left(8) / 1.3 < left(6) / 2


def test_coarse_problems_share_the_fine_reference(x64):
    """32 points are 128 downsampled: their error is the 128-point scheme's."""
    assert error(burgers()) == pytest.approx(error(burgers(num_x=128)), rel=0.05)


def test_stiff_viscosity_shortens_the_step(x64):
    """At nu = 1 a step of 1e-4 would be three times past RK4's stability limit."""
    assert error(burgers(viscosity=1.0, final_time=0.02), viscosity=1.0) < 1e-6


def test_reference_agrees_with_exponax(x64):
    problem = burgers(num_x=64)
    u0 = problem.sample(jax.random.key(5))["u0"]
    with jax.numpy_rank_promotion("allow"), jax.numpy_dtype_promotion("standard"):
        stepper = exponax.stepper.Burgers(
            1, 1.0, 64, dt=0.04 / 20, diffusivity=0.01, convection_scale=1.0, order=4
        )
        advance = exponax.repeat(stepper, 20)
        trajectory = exponax.rollout(advance, 25, include_init=True)(u0[None])
    found = problem.solve({"u0": u0})
    # Ours is 4th order in x on 128 points; 64 spectral ones leave less.
    scale = np.abs(u0).max()
    np.testing.assert_allclose(found, trajectory[:, 0].T, atol=2e-3 * scale)


def test_mass_is_conserved(x64):
    """Central differences are skew, so sum(u D u) = 0: to rounding, not to an order."""
    problem = burgers(num_x=128)
    u = problem.solve(problem.sample(jax.random.key(0)))
    np.testing.assert_allclose(u.mean(0), u[:, 0].mean(), atol=1e-13)


def test_energy_decays():
    problem = burgers()
    inputs = jax.vmap(problem.sample)(jax.random.split(jax.random.key(0), 8))
    energy = jnp.sum(jax.jit(jax.vmap(problem.solve))(inputs) ** 2, axis=1)
    # float32 rounding of a sum of 32 squares of size ~0.04.
    assert np.diff(energy, axis=1).max() < 1e-5
    assert np.all(energy[:, -1] < 0.99 * energy[:, 0])


def test_small_waves_only_diffuse(x64):
    """u = eps v: v_t + eps v v_x = nu v_xx, the heat equation as eps -> 0."""
    linear, nonlinear = diffusion(length_scale=1.0), burgers(length_scale=1.0)
    inputs = linear.sample(jax.random.key(1))
    tiny = {"u0": 1e-6 * inputs["u0"]}
    found = 1e6 * nonlinear.solve(tiny)
    # eps / (2 pi nu) = 2e-5 of the slope, plus the 4th-order heat solver's 1e-6.
    np.testing.assert_allclose(found, linear.solve(inputs), atol=1e-5)
    far = nonlinear.solve(inputs) - linear.solve(inputs)
    assert np.abs(far).max() > 1e-2


def test_translation_and_reflection_symmetry(x64):
    problem = burgers()
    u0 = problem.sample(jax.random.key(2))["u0"]
    solve = jax.jit(problem.solve)
    u = solve({"u0": u0})
    shifted = solve({"u0": jnp.roll(u0, 5)})
    np.testing.assert_allclose(shifted, jnp.roll(u, 5, axis=0), atol=1e-12)
    # If u(x, t) is a solution, so is -u(-x, t).
    mirrored = solve({"u0": -u0[::-1]})
    np.testing.assert_allclose(mirrored, -u[::-1], atol=1e-12)
