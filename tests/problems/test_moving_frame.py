"""Galilean invariance of Burgers' equation, which the moving frame builds in."""

import jax
import jax.numpy as jnp
import numpy as np

from pilno_jax.problems import burgers
from pilno_jax.problems.burgers import translate


def test_translation_is_exact_on_trigonometric_polynomials(x64):
    x = jnp.arange(16) / 16
    shifts = jnp.array([0.0, 0.1, 0.37])

    def wave(x):
        return jnp.cos(2 * jnp.pi * 3 * x) + jnp.sin(2 * jnp.pi * 7 * x + 0.3)

    moved = translate(jnp.stack([wave(x)] * 3, -1), shifts)
    expected = wave(x[:, None] - shifts[None])
    np.testing.assert_allclose(moved, expected, atol=1e-12)


def test_the_reference_is_galilean_covariant(x64):
    """u0 + c drifts with c: the identity the frame rests on, seen by the solver.

    The solver's own error in advecting a shock on 128 points is about 1e-4.
    """
    problem = burgers()
    u0 = problem.sample(jax.random.key(0))["u0"]
    solve = jax.jit(problem.solve)
    c = 0.3
    times = problem.grid.coordinates[1]
    moved = c + translate(solve({"u0": u0}), c * times)
    found = solve({"u0": u0 + c})
    error = jnp.linalg.norm(found - moved) / jnp.linalg.norm(moved)
    assert error < 1e-3
    assert jnp.linalg.norm(found - c - solve({"u0": u0})) > 0.1 * jnp.linalg.norm(found)


def test_predictions_are_covariant_and_conserve_mass_for_any_raw_output():
    problem = burgers()
    key_u, key_raw = jax.random.split(jax.random.key(1))
    u0 = problem.sample(key_u)["u0"]
    raw = jax.random.normal(key_raw, problem.grid.shape)
    plain, lifted = ({"u0": u0 + c} for c in (0.0, 0.25))
    np.testing.assert_allclose(
        problem.features(plain), problem.features(lifted), atol=1e-6
    )
    u = problem.constrain(raw, plain)
    # float32 rounding of O(1) fields.
    np.testing.assert_allclose(u[:, 0], u0, atol=1e-6)
    np.testing.assert_allclose(u.mean(0), jnp.full(u.shape[1], u0.mean()), atol=1e-6)
    mean = u0.mean()
    times = problem.grid.coordinates[1]
    rest = translate(u - mean, -mean * times)
    again = problem.constrain(raw, lifted)
    other = translate(again - mean - 0.25, -(mean + 0.25) * times)
    # The Nyquist mode alone does not survive two shifts: 1/32 of the noise.
    smooth = lambda v: jnp.fft.rfft(v, axis=0)[:16]  # noqa: E731
    np.testing.assert_allclose(smooth(rest), smooth(other), atol=1e-4)
