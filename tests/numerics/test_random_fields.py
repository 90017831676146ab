"""The exp-sine law: its spectrum, its covariance, and draws that are functions."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import ive

from pilno_jax.numerics.random_fields import (
    EXP_SINE_MODES,
    SHORTEST_LENGTH_SCALE,
    bessel_ive,
    exp_sine,
    exp_sine_eigenvalues,
)

LENGTH_SCALES = [SHORTEST_LENGTH_SCALE, 0.5, 1.0, 5.0, 50.0]


def kernel(x, y, length_scale, sigma=0.2):
    distance = np.sin(np.pi * (x[:, None] - y[None, :]))
    return sigma**2 * np.exp(-2 * distance**2 / length_scale**2)


@pytest.mark.parametrize("length_scale", LENGTH_SCALES)
def test_bessel_functions_against_scipy(x64, length_scale):
    z = length_scale**-2
    exact = ive(np.arange(EXP_SINE_MODES), z)
    # Relative, mode by mode, over hundreds of decades: rounding of 32 ratios.
    np.testing.assert_allclose(bessel_ive(32, jnp.asarray(z)), exact, rtol=1e-12)


@pytest.mark.parametrize("length_scale", LENGTH_SCALES)
def test_float32_spectrum(length_scale):
    found = exp_sine_eigenvalues(length_scale, 1.0)
    exact = ive(np.arange(32), length_scale**-2)
    exact[1:] *= 2
    # Absolute, against a variance of 1: a few float32 roundings.
    np.testing.assert_allclose(found, exact, atol=1e-6)


@pytest.mark.parametrize("length_scale", LENGTH_SCALES)
def test_the_series_is_the_kernel(x64, length_scale):
    """sum_n lambda_n cos(2 pi n (x - y)) is k(x, y) itself: no covariance is lost."""
    x = np.linspace(0.0, 1.0, 41)
    eigenvalues = np.asarray(exp_sine_eigenvalues(length_scale, 0.2))
    phases = 2 * np.pi * np.arange(EXP_SINE_MODES) * (x[:, None, None] - x[:, None])
    series = np.cos(phases) @ eigenvalues
    # 32 modes carry all of it but 2e-9 of the variance at the shortest length scale.
    tolerance = 2e-9 if length_scale == SHORTEST_LENGTH_SCALE else 1e-14
    exact = kernel(x, x, length_scale)
    np.testing.assert_allclose(series, exact, atol=0.2**2 * tolerance)


@pytest.mark.parametrize("length_scale", [0.5, 5.0])
def test_sample_covariance_is_the_kernel(length_scale):
    count, x = 20_000, np.linspace(0.0, 1.0, 9, dtype=np.float32)
    keys = jax.random.split(jax.random.key(1), count)
    draws = jax.jit(jax.vmap(lambda key: exp_sine(key, x, length_scale)))(keys)
    draws = np.asarray(draws, float)
    # The standard deviation of a sample covariance entry of Gaussians is
    # sqrt((k_ii k_jj + k_ij^2) / n) <= sqrt(2 / n) k(0): 1 % here; five of them.
    tolerance = 5 * np.sqrt(2 / count) * 0.2**2
    np.testing.assert_allclose(
        draws.T @ draws / count, kernel(x, x, length_scale), atol=tolerance
    )
    # The law is centred: k(0)^(1/2) / sqrt(n) is one standard deviation of the mean.
    assert np.abs(draws.mean(0)).max() < 5 * 0.2 / np.sqrt(count)


def test_a_draw_is_a_periodic_function_not_a_vector():
    key = jax.random.key(2)
    coarse = exp_sine(key, jnp.arange(32) / 32, 0.5)
    fine = exp_sine(key, jnp.linspace(0.0, 1.0, 257), 0.5)
    # float32 phases up to 2 pi 31 carry 2e-5 of error, on modes of size ~1e-2 and less.
    np.testing.assert_allclose(fine[:-1:8], coarse, atol=2e-6)
    np.testing.assert_allclose(fine[-1], fine[0], atol=2e-6)
    assert np.abs(np.diff(fine)).max() > 1e-3


def test_period_stretches_the_draw():
    key, x = jax.random.key(2), jnp.arange(16) / 16
    stretched = exp_sine(key, 4.0 * x, 0.5, period=4.0)
    np.testing.assert_allclose(stretched, exp_sine(key, x, 0.5), atol=2e-6)


def test_sigma_scales_the_draw():
    key, x = jax.random.key(2), jnp.arange(16) / 16
    double = exp_sine(key, x, 0.5, sigma=0.4)
    np.testing.assert_allclose(double, 2 * exp_sine(key, x, 0.5, 0.2), rtol=1e-5)


def test_jit_vmap_and_eager_draw_the_same_with_a_traced_length_scale():
    x = jnp.arange(32) / 32
    keys = jax.random.split(jax.random.key(3), 4)
    scales = jnp.array([0.5, 1.0, 2.0, 5.0])
    eager = jnp.stack([exp_sine(k, x, s) for k, s in zip(keys, scales, strict=True)])
    draw = jax.jit(lambda key, scale: exp_sine(key, x, scale))
    jitted = jnp.stack([draw(k, s) for k, s in zip(keys, scales, strict=True)])
    many = jax.vmap(draw)(keys, scales)
    # Compilers reorder sums: a few float32 roundings of numbers ~0.5.
    np.testing.assert_allclose(jitted, eager, atol=1e-6)
    np.testing.assert_allclose(many, eager, atol=1e-6)
    np.testing.assert_array_equal(draw(keys[0], 0.5), draw(keys[0], 0.5))
    assert np.abs(eager[0] - eager[1]).max() > 0.01
