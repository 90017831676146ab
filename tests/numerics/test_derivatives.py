"""Derivative matrices: exact where promised, of the stated order elsewhere."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pilno_jax.numerics.derivatives import (
    along,
    derivative,
    finite_difference,
    fornberg,
    interpolation,
    spectral,
    stencil,
)
from pilno_jax.numerics.grids import Axis

SCHEMES = [(order, accuracy) for order in (1, 2, 3, 4) for accuracy in (2, 4, 6)]


def nodes(axis):
    """float64 nodes, whatever precision JAX runs in."""
    ends = axis.num_points - (not axis.periodic)
    return axis.low + axis.extent * np.arange(axis.num_points) / ends


def wave(x, order):
    """The derivative of sin(3 x + 0.4)."""
    return 3.0**order * np.sin(3 * x + 0.4 + order * np.pi / 2)


def test_textbook_stencils():
    five = np.array([1, -8, 0, 8, -1]) / 12
    np.testing.assert_allclose(fornberg(np.arange(-2, 3), 1), five, atol=1e-15)
    np.testing.assert_allclose(fornberg(np.arange(-1, 2), 2), [1, -2, 1], atol=1e-15)
    one_sided = np.array([-3, 4, -1]) / 2
    np.testing.assert_allclose(fornberg(np.arange(3), 1), one_sided, atol=1e-15)


@pytest.mark.parametrize("order, accuracy", SCHEMES)
@pytest.mark.parametrize("periodic", [False, True])
def test_observed_order_under_refinement(order, accuracy, periodic):
    high = 2 * np.pi / 3 if periodic else 2.0
    errors = []
    for cells in (24, 48):
        axis = Axis("x", 0.0, high, cells + (not periodic), periodic)
        matrix = finite_difference(axis, order, accuracy)
        x = nodes(axis)
        errors.append(np.abs(matrix @ wave(x, 0) - wave(x, order)).max())
    observed = np.log2(errors[0] / errors[1])
    # Central stencils show their order at once. At the ends the next term of the error
    # still weighs in (+-0.4, halved by each refinement); a lost order would be 1.
    assert abs(observed - accuracy) < (0.1 if periodic else 0.45)


@pytest.mark.parametrize("order, accuracy", SCHEMES)
def test_every_row_is_exact_on_polynomials(order, accuracy):
    """Order a everywhere means exact to degree order + a - 1 in every single row."""
    axis = Axis("x", -1.0, 1.0, 21)
    matrix, x = finite_difference(axis, order, accuracy), nodes(axis)
    for degree in range(order + accuracy):
        polynomial = np.polynomial.Polynomial.basis(degree)
        found = matrix @ polynomial(x)
        # Rounding, 1e-14 times 1 / h^order and the weights' size: 1e4 times ~10.
        np.testing.assert_allclose(found, polynomial.deriv(order)(x), atol=1e-8)


@pytest.mark.parametrize("num_points", [16, 17])
@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_spectral_is_exact_on_what_the_grid_resolves(num_points, order):
    extent = 2.5
    x = extent * np.arange(num_points) / num_points
    matrix = spectral(num_points, order, extent)
    for mode in range((num_points + 1) // 2):
        k = 2 * np.pi * mode / extent
        exact = k**order * np.sin(k * x + 0.3 + order * np.pi / 2)
        # Rounding relative to the largest multiplier, (pi N / L)^order.
        largest = (np.pi * num_points / extent) ** order
        found = matrix @ np.sin(k * x + 0.3)
        np.testing.assert_allclose(found, exact, atol=1e-13 * largest)


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_the_nyquist_rule(order):
    """Odd derivatives of the mode N/2 vanish, even ones stay: skew or symmetric."""
    n, extent = 12, 2.0
    sawtooth = np.cos(np.pi * np.arange(n))
    matrix = spectral(n, order, extent)
    k = np.pi * n / extent
    eigenvalue = 0.0 if order % 2 else (-1.0) ** (order // 2) * k**order
    np.testing.assert_allclose(matrix @ sawtooth, eigenvalue * sawtooth, atol=1e-8)
    np.testing.assert_allclose(matrix.T, (-1) ** order * matrix, atol=1e-8)


@pytest.mark.parametrize("order, accuracy", [(1, 4), (2, 4), (2, 6), (3, 4), (1, 2)])
@pytest.mark.parametrize("periodic", [False, True])
def test_the_matrix_free_stencil_is_the_matrix(x64, order, accuracy, periodic):
    axis = Axis("x", 0.0, 1.0, 24, periodic)
    u = jax.random.normal(jax.random.key(0), (24,))
    matrix = finite_difference(axis, order, accuracy)
    found = jax.jit(stencil(axis, order, accuracy))(u)
    # Rounding relative to the largest entries of the sum.
    scale = np.abs(matrix).max()
    np.testing.assert_allclose(found, matrix @ u, atol=1e-12 * scale)


@pytest.mark.parametrize("periodic", [False, True])
def test_the_matrix_free_stencil_knows_constants_in_single_precision(periodic):
    """Around this circle, the roundings of weights of 6e4 add up to 2e-3."""
    axis = Axis("x", 0.0, 1.0, 160, periodic)
    found = stencil(axis, 2, 4)(jnp.full(160, 0.7))
    inside = found if periodic else found[4:-4]  # ghosts are rounded too
    np.testing.assert_array_equal(inside, 0.0)


def test_along_acts_on_the_named_axis_only():
    u = jax.random.normal(jax.random.key(0), (4, 5, 6))
    matrix = np.arange(15.0).reshape(3, 5)
    expected = np.einsum("ij,xjy->xiy", matrix, u)
    # float32: five products of size ~14.
    np.testing.assert_allclose(along(matrix, u, 1), expected, atol=1e-4)
    assert along(matrix, u, 1).dtype == u.dtype


def test_the_default_is_spectral_on_a_circle_and_4th_order_elsewhere():
    circle, closed = Axis("x", 0.0, 2.0, 16, True), Axis("t", 0.0, 2.0, 16)
    np.testing.assert_array_equal(derivative(circle, 2), spectral(16, 2, 2.0))
    np.testing.assert_array_equal(
        derivative(closed, 2), finite_difference(closed, 2, 4)
    )
    np.testing.assert_array_equal(
        derivative(circle, 1, accuracy=6), finite_difference(circle, 1, 6)
    )


@pytest.mark.parametrize("num_points", [16, 17])
def test_trigonometric_interpolation_is_exact_on_what_the_grid_resolves(num_points):
    source = Axis("x", 0.0, 1.0, num_points, periodic=True)
    for target in (source.refined(3), Axis("x", 0.0, 1.0, 50)):
        matrix, x = interpolation(source, target), nodes(target)
        for mode in range((num_points + 1) // 2):
            phase = 2 * np.pi * mode
            values = np.cos(phase * nodes(source) + 0.3)
            exact = np.cos(phase * x + 0.3)
            np.testing.assert_allclose(matrix @ values, exact, atol=1e-13)


def test_interpolation_keeps_the_nodes_it_is_given():
    for source in (Axis("x", 0.0, 1.0, 32, True), Axis("x", 0.0, 1.0, 51)):
        matrix = interpolation(source, source.refined(3))
        # The Vandermonde system of ten nodes loses five digits of sixteen.
        np.testing.assert_allclose(matrix[::3], np.eye(source.num_points), atol=1e-10)


def test_polynomial_interpolation_has_the_order_of_its_degree():
    errors = []
    for cells in (20, 40):
        source = Axis("x", 0.0, 2.0, cells + 1)
        target = source.refined(3)
        found = interpolation(source, target, degree=5) @ wave(nodes(source), 0)
        errors.append(np.abs(found - wave(nodes(target), 0)).max())
    # Degree 5 errs as h^6, with the same slack at the ends as above.
    assert np.log2(errors[0] / errors[1]) == pytest.approx(6, abs=0.45)


def test_matrices_from_the_cache_cannot_be_spoilt():
    matrix = spectral(8, 1, 1.0)
    with pytest.raises(ValueError, match="read-only"):
        matrix[0, 0] = 1.0


def test_jitted_derivatives_of_a_float32_field_stay_float32():
    axis = Axis("x", 0.0, 1.0, 32, periodic=True)
    u = jnp.sin(2 * jnp.pi * axis.coordinates)
    slope = jax.jit(lambda u: along(derivative(axis, 1), u, 0))(u)
    assert slope.dtype == jnp.float32
    # float32 rounding times the largest wave number, ~100.
    exact = 2 * np.pi * np.cos(2 * np.pi * nodes(axis))
    np.testing.assert_allclose(slope, exact, atol=1e-4)


def test_what_cannot_be_built_is_refused():
    axis = Axis("t", 0.0, 1.0, 6)
    with pytest.raises(ValueError, match=r"axis 't' = 6 .* at least 7 .* accuracy 6"):
        finite_difference(axis, 1, 6)
    with pytest.raises(ValueError, match=r"order = 0 .* at least 1"):
        finite_difference(axis, 0, 2)
    with pytest.raises(ValueError, match=r"accuracy = 3 .* even"):
        finite_difference(axis, 1, 3)
