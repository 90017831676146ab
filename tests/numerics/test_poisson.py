"""The sine transform against scipy's, and Poisson's equation by it."""

import jax.numpy as jnp
import numpy as np
from scipy.fft import dstn

from pilno_jax.numerics.poisson import (
    mirrored_membrane_sum,
    sine_transform,
    solve_mirrored_poisson,
    solve_poisson,
    unit_membrane,
)


def minus_laplacian(field):
    """The 5-point scheme at the interior nodes of a field with its boundary."""
    inside = 4 * field[1:-1, 1:-1] - field[:-2, 1:-1] - field[2:, 1:-1]
    inside = inside - field[1:-1, :-2] - field[1:-1, 2:]
    return inside * (len(field) - 1) ** 2


def test_sine_transform_is_scipys():
    field = np.random.default_rng(0).normal(size=(29, 29)).astype(np.float32)
    coefficients = sine_transform(jnp.asarray(field))
    np.testing.assert_allclose(
        coefficients, dstn(field, type=1, norm="ortho"), atol=1e-5
    )
    np.testing.assert_allclose(sine_transform(coefficients), field, atol=1e-5)


def test_the_solution_of_poissons_equation_has_the_source_given(x64):
    source = np.random.default_rng(1).normal(size=(14, 14))
    solution = np.pad(solve_poisson(jnp.asarray(source)), 1)
    np.testing.assert_allclose(minus_laplacian(solution), source, atol=1e-11)


def test_the_membrane_is_poissons_solution_of_a_unit_source():
    # Rounding, 1e-16 over the square of the spacing.
    np.testing.assert_allclose(minus_laplacian(unit_membrane(31)), 1.0, rtol=1e-11)
    # On the unit square its height is 0.0736713533 (series), to second order in h.
    assert abs(unit_membrane(121).max() - 0.0736713533) < 2e-5


def test_with_a_mirror_the_solution_is_half_of_that_of_the_double_square(x64):
    source = np.random.default_rng(2).normal(size=(13, 12))
    solution = np.pad(solve_mirrored_poisson(jnp.asarray(source)), ((0, 1), (1, 1)))
    whole = np.concatenate([solution[:0:-1], solution])
    scale = (len(solution) - 1) / (len(whole) - 1)
    found = minus_laplacian(whole) * scale**2
    np.testing.assert_allclose(found[12:], source, atol=1e-10)


def test_the_mirrored_membrane_is_as_high_as_its_series():
    """Twice the square is a rectangle, 2 by 1: the mean of w is 0.0572 (series)."""
    k = 2 * np.arange(400) + 1
    rectangle = (1 - np.tanh(k * np.pi) / (k * np.pi)) / k**4
    mean = 8 / np.pi**4 * rectangle.sum()
    found = mirrored_membrane_sum(121) / 120**2
    assert abs(found - mean) < 1e-5
