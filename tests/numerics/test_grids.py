"""Grids: which nodes an axis has, and that refinement and resizing keep their word."""

import numpy as np
import pytest

from pilno_jax.numerics.grids import Axis, Grid

CLOSED = Axis("x", -5.0, 5.0, 11)
CIRCLE = Axis("x", -5.0, 5.0, 10, periodic=True)


def test_a_closed_axis_has_both_ends_and_a_circle_only_the_left_one():
    # All nodes are small integers: exact in float32.
    np.testing.assert_array_equal(CLOSED.coordinates, np.arange(-5.0, 6.0))
    np.testing.assert_array_equal(CIRCLE.coordinates, np.arange(-5.0, 5.0))


@pytest.mark.parametrize("axis", [CLOSED, CIRCLE])
def test_spacing_is_the_distance_of_neighbours(axis):
    np.testing.assert_allclose(np.diff(axis.coordinates), axis.spacing, rtol=1e-6)
    assert axis.extent == 10.0


@pytest.mark.parametrize("axis", [CLOSED, CIRCLE, CLOSED.resized(26)])
def test_scaled_coordinates_run_over_the_unit_interval(axis):
    scaled = np.asarray(axis.scaled)
    last = 1.0 - (1.0 / axis.num_points if axis.periodic else 0.0)
    # float32 rounding of numbers below 1.
    np.testing.assert_allclose(scaled[[0, -1]], [0.0, last], atol=1e-7)
    affine = axis.low + axis.extent * scaled
    np.testing.assert_allclose(axis.coordinates, affine, atol=1e-6)


@pytest.mark.parametrize("axis", [CLOSED, CIRCLE])
@pytest.mark.parametrize("factor", [1, 2, 3])
def test_refinement_divides_each_cell_and_keeps_the_old_nodes(axis, factor):
    fine = axis.refined(factor)
    assert fine.spacing == pytest.approx(axis.spacing / factor, rel=1e-15)
    # Coordinates up to 5 rounded to float32, twice.
    np.testing.assert_allclose(fine.coordinates[::factor], axis.coordinates, atol=2e-6)


def test_a_grid_is_the_product_of_its_axes():
    grid = Grid((CIRCLE, Axis("t", 0.0, 2.0, 5)))
    assert (grid.shape, grid.size, grid.extents) == ((10, 5), 50, (10.0, 2.0))
    assert grid.refined().shape == (20, 9)
    assert grid.resized(7, 6).shape == (7, 6)
    assert grid.resized(7, 6).axes[0].periodic
    for found, axis in zip(grid.coordinates, grid.axes, strict=True):
        np.testing.assert_array_equal(found, axis.coordinates)


def test_broadcast_makes_a_field_of_a_function_of_one_axis():
    grid = Grid((CIRCLE, Axis("t", 0.0, 2.0, 5)))
    x, t = np.meshgrid(*grid.coordinates, indexing="ij")
    np.testing.assert_array_equal(grid.broadcast(grid.coordinates[0], 0), x)
    np.testing.assert_array_equal(grid.broadcast(grid.coordinates[1], 1), t)


def test_impossible_axes_are_refused():
    with pytest.raises(ValueError, match=r"high = 0.0 .* above 1.0"):
        Axis("x", 1.0, 0.0, 5)
    with pytest.raises(ValueError, match=r"axis 't' = 1 .* at least 2"):
        Axis("t", 0.0, 1.0, 1)
    with pytest.raises(ValueError, match=r"num_points = \(3,\) .* 2 axes"):
        Grid((CIRCLE, CLOSED)).resized(3)
