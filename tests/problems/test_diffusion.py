"""Diffusion's closed form against a hand-written series, exponax and its principles."""

import exponax
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pilno_jax.problems.diffusion import diffusion


@pytest.mark.parametrize("num_x", [32, 33])
def test_closed_form_is_the_fourier_series(x64, num_x):
    problem = diffusion(diffusivity=0.02, num_x=num_x, final_time=2.0)
    x, t = (np.asarray(c) for c in problem.grid.coordinates)
    u0, exact = np.full(num_x, 0.3), np.full((num_x, len(t)), 0.3)
    for k, amplitude, phase in [(1, 0.5, 0.2), (3, -0.2, 1.0), (7, 0.1, 2.0)]:
        wave = amplitude * np.cos(2 * np.pi * k * x + phase)
        u0 = u0 + wave
        exact += np.outer(wave, np.exp(-0.02 * (2 * np.pi * k) ** 2 * t))
    np.testing.assert_allclose(
        problem.solve({"u0": jnp.asarray(u0)}), exact, atol=1e-14
    )


def test_closed_form_agrees_with_exponax(x64):
    problem = diffusion()
    u0 = problem.sample(jax.random.key(5))["u0"]
    with jax.numpy_dtype_promotion("standard"):
        stepper = exponax.stepper.Diffusion(1, 1.0, 32, dt=0.04, diffusivity=0.01)
        trajectory = exponax.rollout(stepper, 25, include_init=True)(u0[None])
    found = problem.solve({"u0": u0})
    # Both are exact: rounding only.
    np.testing.assert_allclose(found, trajectory[:, 0].T, atol=1e-13)


def test_maximum_principle():
    problem = diffusion(num_x=64)
    inputs = jax.vmap(problem.sample)(jax.random.split(jax.random.key(0), 16))
    u = jax.vmap(problem.solve)(inputs)
    highest, lowest = u.max(axis=1), u.min(axis=1)
    # Extremes of the nodes may rise by what lies between them, h^2 u'' / 8 ~ 1e-3.
    assert np.diff(highest, axis=1).max() < 1e-3
    assert np.diff(lowest, axis=1).min() > -1e-3
    assert np.all(highest[:, -1] < highest[:, 0])
    assert np.all(lowest[:, -1] > lowest[:, 0])


def test_mean_is_conserved_and_evolution_is_a_semigroup(x64):
    problem = diffusion()
    u0 = problem.sample(jax.random.key(1))["u0"]
    u = problem.solve({"u0": u0})
    np.testing.assert_allclose(u.mean(0), u0.mean(), atol=1e-15)
    again = problem.solve({"u0": u[:, 10]})
    np.testing.assert_allclose(again[:, :15], u[:, 10:25], atol=1e-14)


def test_linear_in_its_input():
    problem = diffusion()
    a, b = (problem.sample(jax.random.key(i))["u0"] for i in (1, 2))
    together = problem.solve({"u0": 2.0 * a - b})
    apart = 2.0 * problem.solve({"u0": a}) - problem.solve({"u0": b})
    np.testing.assert_allclose(together, apart, atol=1e-6)
