"""Clustered nodes: derivatives, integrals and interpolation keep their orders."""

import numpy as np
import pytest

from pilno_jax.numerics.derivatives import (
    derivative,
    interpolation,
    running_integral,
    stencil,
)
from pilno_jax.numerics.grids import Axis


def clustered(num_points, clustering=0.9):
    return Axis("x", -1.0, 2.0, num_points, clustering=clustering)


def wave(axis, order=0):
    """The derivative of sin(3 x + 0.4) at the nodes."""
    return 3.0**order * np.sin(3 * axis.nodes() + 0.4 + order * np.pi / 2)


def halved(error, *arguments):
    """The observed order, from 33 nodes to 65."""
    return np.log2(error(33, *arguments) / error(65, *arguments))


def test_nodes_are_between_equidistant_ones_and_chebyshev_s():
    cosines = 0.5 - 1.5 * np.cos(np.pi * np.arange(9) / 8)
    np.testing.assert_allclose(clustered(9, 1.0).nodes(), cosines, atol=1e-15)
    np.testing.assert_array_equal(clustered(9, 0.0), Axis("x", -1.0, 2.0, 9))
    gaps = np.diff(clustered(401, 0.9).nodes()) / (3 / 400)
    # 1 - c at the ends, 1 - c + c pi / 2 in the middle.
    np.testing.assert_allclose([gaps[0], gaps[200]], [0.1, 1.51372], atol=1e-2)
    fine = clustered(9).refined(3)
    np.testing.assert_allclose(fine.nodes()[::3], clustered(9).nodes(), atol=1e-15)
    assert str(clustered(9)) == "9 x in [-1, 2], clustered by 0.9"


@pytest.mark.parametrize("clustering", [0.5, 0.9, 1.0])
@pytest.mark.parametrize(("order", "accuracy"), [(1, 4), (2, 4), (1, 6), (2, 6)])
def test_differences_keep_their_order(clustering, order, accuracy):
    def error(num_points):
        axis = clustered(num_points, clustering)
        found = derivative(axis, order, accuracy) @ wave(axis)
        return np.abs(found - wave(axis, order)).max()

    # Stencils are not symmetric, but nearly so: no order is lost, and some won.
    assert halved(error) > accuracy - 0.5


@pytest.mark.parametrize("order", [1, 2, 3])
def test_chebyshev_s_nodes_are_spectral(order):
    """Twice the nodes, from eight digits to all but those that rounding takes."""
    errors = []
    for num_points in (12, 24):
        axis = clustered(num_points, 1.0)
        found = derivative(axis, order) @ wave(axis)
        errors.append(np.abs(found - wave(axis, order)).max() / 3**order)
    assert errors[0] < 0.1 and errors[1] < 1e-8


def test_integrals_and_interpolation():
    def integral_error(num_points):
        axis = clustered(num_points)
        found = running_integral(axis) @ wave(axis)
        return np.abs(found - (wave(axis, -1) - wave(axis, -1)[0])).max()

    def error(num_points, to_even):
        source, target = clustered(num_points), clustered(50).even
        source, target = (source, target) if to_even else (source.even, clustered(50))
        found = interpolation(source, target, degree=5) @ wave(source)
        return np.abs(found - wave(target)).max()

    assert halved(integral_error) == pytest.approx(2, abs=0.1)
    assert halved(error, True) > 5.5 and halved(error, False) > 5.5


def test_what_needs_equidistant_nodes_says_so():
    with pytest.raises(ValueError, match="clustering of axis 'x' = 0.9 .* equidistant"):
        stencil(clustered(20), 2, 4)
    with pytest.raises(ValueError, match="= 2.0 .* from 0 to 1"):
        clustered(9, 2.0)
    with pytest.raises(ValueError, match="0 on a periodic axis"):
        Axis("x", 0.0, 1.0, 8, periodic=True, clustering=0.5)
