"""Norms and distances, by hand."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pilno_jax.numerics import norms
from pilno_jax.numerics.norms import mean_square, relative_l2, squared_l2


def test_relative_l2_is_scale_free():
    u, truth = jnp.array([[1.0, 2.0]]), jnp.array([[1.0, 1.0]])
    assert float(relative_l2(u, truth)) == pytest.approx(1 / np.sqrt(2))
    assert float(relative_l2(9 * u, 9 * truth)) == pytest.approx(1 / np.sqrt(2))


def test_squares_are_averaged_over_nodes():
    u, truth = jnp.array([[1.0, 2.0], [3.0, 5.0]]), jnp.ones((2, 2))
    assert float(squared_l2(u, truth)) == (0 + 1 + 4 + 16) / 4
    assert float(mean_square(u)) == float(mean_square(u, truth, {})) == 39 / 4


def test_the_causal_distance_waits_for_early_times_and_becomes_the_relative_one():
    truth = jnp.ones((2, 50))

    def late_slope(early_error):
        u = truth.at[:, :10].add(early_error)
        return jax.grad(lambda e: norms.causal_l2(u.at[:, 40:].add(e), truth) ** 2)(0.1)

    # An error of 1 in a fifth of all times makes up a fifth of |truth|^2.
    ratio = float(late_slope(1.0) / late_slope(0.0))
    assert ratio == pytest.approx(math.exp(-norms.STRICTNESS / 5), rel=1e-4)
    small = truth + 1e-3 * jax.random.normal(jax.random.key(0), truth.shape)
    exact = float(norms.relative_l2(small, truth))
    assert float(norms.causal_l2(small, truth)) == pytest.approx(exact, rel=1e-4)
