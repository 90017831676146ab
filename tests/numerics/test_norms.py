"""Norms and distances, by hand."""

import jax.numpy as jnp
import numpy as np
import pytest

from pilno_jax.numerics.norms import mean_square, relative_l2, squared_l2


def test_relative_l2_is_scale_free():
    u, truth = jnp.array([[1.0, 2.0]]), jnp.array([[1.0, 1.0]])
    assert float(relative_l2(u, truth)) == pytest.approx(1 / np.sqrt(2))
    assert float(relative_l2(9 * u, 9 * truth)) == pytest.approx(1 / np.sqrt(2))


def test_squares_are_averaged_over_nodes():
    u, truth = jnp.array([[1.0, 2.0], [3.0, 5.0]]), jnp.ones((2, 2))
    assert float(squared_l2(u, truth)) == (0 + 1 + 4 + 16) / 4
    assert float(mean_square(u)) == float(mean_square(u, truth, {})) == 39 / 4
