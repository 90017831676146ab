"""Reaction-diffusion against closed forms, a steady state and collocation by scipy."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from pilno_jax.numerics.grids import Axis, Grid
from pilno_jax.problems.reaction_diffusion import (
    MOLLIFIERS,
    reaction_diffusion,
    start_from_rest,
)


def task(name, **options):
    return reaction_diffusion(task=name, **options)


def nodes(problem):
    return tuple(np.asarray(c, np.float64) for c in problem.grid.coordinates)


def integrate(slope, start, t):
    """A reference in time far below every tolerance here."""
    run = solve_ivp(
        lambda _, u: slope(u),
        (t[0], t[-1]),
        start,
        method="LSODA",
        t_eval=t,
        rtol=1e-11,
        atol=1e-13,
    )
    assert run.success and np.all(np.isfinite(run.y)), run.message
    return run.y


# --- Task A: u0 -> u


@pytest.mark.parametrize("reaction", [0.01, 2.0])
def test_a_constant_grows_as_its_ordinary_differential_equation(x64, reaction):
    """u' = k u^2: u = u0 / (1 - k u0 t), exactly, at every node."""
    problem = task("ic", reaction=reaction)
    _, t = nodes(problem)
    for level in (-0.4, 0.3):
        u = problem.solve({"u0": jnp.full(51, level)})
        exact = level / (1 - reaction * level * t)
        # RK4 of step 1e-4, and the rounding of 10,000 steps.
        np.testing.assert_allclose(u, np.tile(exact, (51, 1)), atol=1e-12)


def test_without_reaction_it_is_the_heat_equation(x64):
    problem = task("ic", reaction=0.0)
    x, t = nodes(problem)
    wave, rate = np.cos(4 * np.pi * x + 0.3), 0.01 * (4 * np.pi) ** 2
    u = problem.solve({"u0": jnp.asarray(0.2 + wave)})
    exact = 0.2 + np.outer(wave, np.exp(-rate * t))
    # 4th-order differences at 75 points a wave: rate t (2 pi / 75)^4 / 90 = 1e-6.
    np.testing.assert_allclose(u, exact, atol=2e-6)


def test_task_a_agrees_with_spectral_collocation(x64):
    """A strong reaction, 64 Fourier modes and scipy's integrator; nothing of ours."""
    problem = task("ic", reaction=1.0)
    x, t = nodes(problem)
    y = np.arange(64) / 64
    multiplier = -0.01 * (2 * np.pi * np.arange(33)) ** 2

    def start(x):
        return 0.2 + 0.3 * np.sin(2 * np.pi * x) + 0.1 * np.cos(6 * np.pi * x)

    def slope(u):
        return np.fft.irfft(multiplier * np.fft.rfft(u), 64) + u**2

    end = integrate(slope, start(y), t)[:, -1]
    modes = np.fft.fft(end) / 64
    waves = np.exp(2j * np.pi * np.outer(x, np.fft.fftfreq(64, 1 / 64)))
    exact = (waves @ modes).real
    u = problem.solve({"u0": jnp.asarray(start(x))})
    # As in the heat equation, 4th order at 50 points in the shortest wave.
    np.testing.assert_allclose(u[:, -1], exact, atol=2e-5)
    # The reaction matters: u blows up at t ~ 2, and at 1 has grown by a third.
    assert u[:, -1].mean() > 1.2 * u[:, 0].mean()


def test_task_a_is_periodic_and_translation_invariant(x64):
    problem = task("ic")
    inputs = problem.sample(jax.random.key(0))
    u = problem.solve(inputs)
    np.testing.assert_array_equal(u[-1], u[0])
    # The sampled function closes up as well.
    np.testing.assert_allclose(inputs["u0"][-1], inputs["u0"][0], atol=1e-14)
    rolled = jnp.roll(inputs["u0"][:-1], 7)
    shifted = problem.solve({"u0": jnp.append(rolled, rolled[0])})
    np.testing.assert_allclose(shifted[:-1], jnp.roll(u[:-1], 7, 0), atol=1e-13)


# --- Task B: f -> u


def test_task_b_without_reaction_is_a_sine_series(x64):
    """u = -sum f_n sin(n pi x) (1 - exp(-l_n t)) / l_n, with l_n = D (n pi)^2."""
    problem = task("forcing", reaction=0.0)
    x, t = nodes(problem)
    forcing, exact = np.zeros(51), np.zeros((51, 51))
    for n, amplitude in [(1, 0.3), (2, -0.2), (5, 0.1)]:
        wave, rate = amplitude * np.sin(n * np.pi * x), 0.01 * (n * np.pi) ** 2
        forcing += wave
        exact -= np.outer(wave, -np.expm1(-rate * t) / rate)
    u = problem.solve({"f": jnp.asarray(forcing)})
    # 4th-order differences, one-sided at the ends, at 60 points in the shortest wave.
    np.testing.assert_allclose(u, exact, atol=2e-6)


def test_task_b_with_a_forcing_that_does_not_vanish_at_the_ends(x64):
    """f = 1 tears a boundary layer open: the reference's error sits in it."""
    problem = task("forcing", reaction=0.0)
    x, t = nodes(problem)
    n = np.arange(1, 4001, 2)
    rates = 0.01 * (n * np.pi) ** 2
    growth = -np.expm1(-np.outer(rates, t)) / rates[:, None]
    exact = -np.sin(np.pi * np.outer(x, n)) @ ((4 / (np.pi * n))[:, None] * growth)
    u = problem.solve({"f": jnp.ones(51)})
    found = np.linalg.norm(u - exact) / np.linalg.norm(exact)
    # sqrt(D t) is narrower than a cell until t = 0.0044: a percent of the time.
    assert found < 1e-4


def test_task_b_relaxes_to_a_manufactured_steady_state(x64):
    """f = D w'' + k w^2 keeps w = A sin(pi x) steady; from rest, u -> w like e^-Dt."""
    diffusivity, reaction, amplitude = 0.5, 2.0, -0.4
    problem = task(
        "forcing", diffusivity=diffusivity, reaction=reaction, final_time=3.0, num_t=8
    )
    x, _ = nodes(problem)
    steady = amplitude * np.sin(np.pi * x)
    forcing = -diffusivity * np.pi**2 * steady + reaction * steady**2
    u = problem.solve({"f": jnp.asarray(forcing)})
    # exp(-D pi^2 T) = 4e-7 is left of the transient; the differences add 1e-8.
    np.testing.assert_allclose(u[:, -1], steady, atol=1e-6)
    # The exact field is what the equation balances, with the paper's sign of f.
    held = jnp.asarray(np.tile(steady[:, None], 8))
    residual = problem.residual(held, {"f": jnp.asarray(forcing)})
    # 6th-order differences on 51 points.
    np.testing.assert_allclose(residual, 0.0, atol=1e-6)


def test_task_b_agrees_with_chebyshev_collocation(x64):
    """A generic forcing and a strong reaction, on 40 Chebyshev nodes by scipy."""
    problem = task("forcing", reaction=5.0)
    x, t = nodes(problem)

    def forcing(x):
        return np.sin(np.pi * x) * (0.4 - 0.5 * np.cos(5 * x))

    count = 40
    y = np.cos(np.pi * np.arange(count + 1) / count)
    # Values -> coefficients -> second derivative -> values, on [0, 1] = (1 + y) / 2.
    to_values = np.polynomial.chebyshev.chebvander(y, count)
    to_modes = np.linalg.inv(to_values)
    second = np.polynomial.chebyshev.chebder(to_modes, 2, scl=2.0, axis=0)
    d_xx = np.polynomial.chebyshev.chebvander(y, count - 2) @ second
    source = forcing((1 + y) / 2)

    def slope(u):
        rate = 0.01 * d_xx @ u + 5.0 * u**2 - source
        rate[[0, -1]] = 0.0
        return rate

    end = integrate(slope, np.zeros(count + 1), t)[:, -1]
    exact = np.polynomial.chebyshev.chebval(2 * x - 1, to_modes @ end)
    u = problem.solve({"f": jnp.asarray(forcing(x))})
    # f is zero at the ends but its curvature is not: a weak layer, 1e-5 of u.
    np.testing.assert_allclose(u[:, -1], exact, atol=1e-5)


def test_the_start_from_rest_solves_the_heat_equation_on_a_half_line(x64):
    """u_t = D u_xx + 1, u = 0 at t = 0 and x = 0, by difference quotients.

    Seen from one end, the layer of the other is too far to matter: erfc(5) = 2e-12.
    """
    d, x, t = 0.01, Axis("x", 0.0, 2.0, 401), Axis("t", 0.0, 1.0, 401)
    u = start_from_rest(Grid((x, t)), d)[:201]
    assert np.all(u[0] == 0) and np.all(u[:, 0] == 0)
    u_t = (u[1:-1, 2:] - u[1:-1, :-2]) / (2 * t.spacing)
    u_xx = (u[2:] - 2 * u[1:-1] + u[:-2])[:, 1:-1] / x.spacing**2
    defect = np.abs(u_t - d * u_xx - 1)
    # O(h^2) away from the corner, where every derivative blows up.
    assert defect[:, 100:].max() < 4e-4, defect[:, 100:].max()
    np.testing.assert_allclose(u[200], t.coordinates, atol=1e-10)  # x = 1


@pytest.mark.parametrize("name", MOLLIFIERS)
def test_mollifiers_vanish_where_u_is_prescribed_and_nowhere_else(name):
    problem = task("forcing", mollifier=name)
    inputs = problem.sample(jax.random.key(0))
    u = np.asarray(problem.constrain(jnp.ones(problem.grid.shape), inputs))
    np.testing.assert_allclose([u[0], u[-1]], 0, atol=1e-7)
    assert np.all(u[:, 0] == 0) and np.all(u[1:-1, 1:] > 0)
    if name == "sines":  # the paper's, at x = 1/2 and t = T, 0.34 T
        np.testing.assert_allclose(u[25, -1], 0.2, rtol=1e-6)
        np.testing.assert_allclose(u[25, 17], 0.2 * np.sin(np.pi * 0.17), rtol=1e-6)


def test_task_b_starts_from_rest_along_minus_f(x64):
    """u_t(x, 0) = -f(x) away from the ends: the sign the paper prints."""
    problem = task("forcing", final_time=1e-3, num_t=11)
    inputs = problem.sample(jax.random.key(1))
    u = problem.solve(inputs)
    x, t = nodes(problem)
    inside = (x > 0.1) & (x < 0.9)
    # u = -f t + O(t^2 D f''): D t f'' / 2 is 1e-3 of f at the last node.
    expected = -np.outer(inputs["f"], t)
    np.testing.assert_allclose(u[inside], expected[inside], atol=2e-3 * 1e-3)


def test_task_b_keeps_its_initial_and_boundary_values():
    problem = task("forcing")
    inputs = jax.vmap(problem.sample)(jax.random.split(jax.random.key(2), 4))
    u = jax.jit(jax.vmap(problem.solve))(inputs)
    assert not np.any(u[:, [0, -1]]) and not np.any(u[:, :, 0])
    assert np.abs(u).max() > 0.01


@pytest.mark.parametrize("name", ["ic", "forcing"])
def test_stiff_diffusion_shortens_the_step(name):
    """At D = 1 a step of 1e-4 would be past RK4's stability limit."""
    problem = task(name, diffusivity=1.0, final_time=0.02, num_t=8)
    u = problem.solve(problem.sample(jax.random.key(0)))
    assert np.abs(u).max() < 1.0


def test_one_problem_serves_both_precisions():
    """A network in single precision, then Newton's method in double."""
    problem = reaction_diffusion(num_x=13, num_t=9)
    inputs = {"f": np.ones(13)}
    for precision in (jnp.float32, jnp.float64):
        with jax.enable_x64(precision == jnp.float64):
            raw = jnp.ones(problem.shape, precision)
            assert jax.jit(problem.constrain)(raw, inputs).dtype == precision
