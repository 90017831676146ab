"""The random media: their law, and that a draw is a function of its key alone."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.fft import idctn

from pilno_jax.numerics.random_fields import planar_gaussian, two_phase

NODES = np.linspace(0.0, 1.0, 31)
LAWS = ["neumann", "periodic"]


def covariance(law, one, other, num_modes):
    """sum_k e_k(one) e_k(other) / (|omega_k|^2 + 9)^2, mode by mode, by definition."""
    total = 0.0
    if law == "neumann":
        for k in np.ndindex(num_modes, num_modes):
            if k == (0, 0):
                continue
            term = (np.pi**2 * (k[0] ** 2 + k[1] ** 2) + 9) ** -2.0
            for axis in (0, 1):
                scale = 1 if k[axis] == 0 else 2
                term *= scale * np.cos(np.pi * k[axis] * one[axis])
                term *= np.cos(np.pi * k[axis] * other[axis])
            total += term
        return total
    highest = (num_modes - 1) // 2
    shift = np.subtract(one, other)
    for k in np.ndindex(2 * highest + 1, 2 * highest + 1):
        k = np.subtract(k, highest)
        term = (4 * np.pi**2 * (k @ k) + 9) ** -2.0
        total += term * np.cos(2 * np.pi * k @ shift)
    return total


@pytest.mark.parametrize("law", LAWS)
def test_sample_covariance_is_the_laws(law):
    draws, points, num_modes = 20_000, np.array([0.0, 0.2, 0.45]), 9
    keys = jax.random.split(jax.random.key(0), draws)
    draw = jax.vmap(lambda key: planar_gaussian(key, points, law, num_modes=num_modes))
    fields = np.asarray(jax.jit(draw)(keys), np.float64).reshape(draws, -1)
    places = [(x, y) for x in points for y in points]
    expected = np.array(
        [[covariance(law, p, q, num_modes) for q in places] for p in places]
    )
    # The standard error of a covariance estimate; 5 of them over 81 entries.
    spread = np.outer(np.diag(expected), np.diag(expected)) + expected**2
    error = np.abs(fields.T @ fields / draws - expected) / np.sqrt(spread / draws)
    assert error.max() < 5
    means = np.abs(fields.mean(0)) / np.sqrt(np.diag(expected) / draws)
    assert means.max() < 5


def test_the_neumann_law_is_the_generator_of_pino(x64):
    """GRF.m: idct2(s tau (pi^2 |k|^2 + tau^2)^-1 xi) with xi_00 = 0, at midpoints."""
    s, tau, key = 32, 3.0, jax.random.key(4)
    xi = np.array(jax.random.normal(key, (s, s)))
    k = np.arange(s)
    coefficients = s * tau * xi / (np.pi**2 * (k[:, None] ** 2 + k**2) + tau**2)
    coefficients[0, 0] = 0.0
    midpoints = (np.arange(s) + 0.5) / s
    ours = planar_gaussian(key, midpoints, tau=tau, num_modes=s)
    np.testing.assert_allclose(
        tau * ours, idctn(coefficients, norm="ortho"), atol=1e-13
    )


def test_only_the_periodic_law_has_a_mean_mode():
    midpoints = (np.arange(256) + 0.5) / 256
    means = {
        law: np.abs(planar_gaussian(jax.random.key(1), midpoints, law).mean())
        for law in LAWS
    }
    assert means["neumann"] < 1e-6 < 1e-3 < means["periodic"]


def test_the_mean_mode_is_what_makes_constant_media():
    keys = jax.random.split(jax.random.key(2), 200)
    constant = {}
    for law in LAWS:
        media = jax.jit(jax.vmap(lambda key, law=law: two_phase(key, NODES, law=law)))
        fields = np.asarray(media(keys))
        constant[law] = np.mean(np.ptp(fields, axis=(1, 2)) == 0)
    assert constant["neumann"] == 0
    assert 0.2 < constant["periodic"] < 0.4


def test_two_phases_are_split_by_the_sign():
    key = jax.random.key(3)
    medium = two_phase(key, NODES, values=(0.5, 7.0))
    assert set(np.unique(medium)) == {0.5, 7.0}
    np.testing.assert_array_equal(medium == 7.0, planar_gaussian(key, NODES) >= 0)


@pytest.mark.parametrize("law", LAWS)
def test_a_draw_is_a_function_of_its_key(law):
    def draw(key):
        return planar_gaussian(key, NODES, law)

    keys = jax.random.split(jax.random.key(5), 3)
    eager = jnp.stack([draw(key) for key in keys])
    np.testing.assert_array_equal(eager[0], draw(keys[0]))
    assert np.abs(eager[0] - eager[1]).max() > 1e-2
    # A value is a sum of 16,000 terms, of order 0.1 in all; only its rounding differs.
    np.testing.assert_allclose(jax.jit(draw)(keys[0]), eager[0], atol=1e-6)
    np.testing.assert_allclose(jax.vmap(draw)(keys), eager, atol=1e-6)


@pytest.mark.parametrize("law", LAWS)
def test_a_key_is_the_same_function_on_every_grid(law):
    key, fine = jax.random.key(6), np.linspace(0.0, 1.0, 241)
    on_fine = planar_gaussian(key, fine, law)
    on_coarse = planar_gaussian(key, fine[::8], law)
    np.testing.assert_allclose(on_coarse, on_fine[::8, ::8], atol=1e-6)


def test_an_unknown_law_is_named():
    with pytest.raises(ValueError, match="law = 'matern'.*neumann"):
        planar_gaussian(jax.random.key(0), NODES, law="matern")
