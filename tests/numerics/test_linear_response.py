"""Answers of linear evolution equations, against closed forms and exponentials."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.linalg

from pilno_jax.numerics.derivatives import derivative, running_integral
from pilno_jax.numerics.grids import Axis
from pilno_jax.numerics.linear_response import (
    eigenmodes,
    linear_response,
    scaled_response,
    traced_phi_functions,
)

T = Axis("t", 0.0, 2.0, 21)
CIRCLE = Axis("x", 0.0, 1.0, 16, periodic=True)
INTERVAL = Axis("x", 0.0, 1.0, 21)


def test_without_an_operator_it_is_the_running_integral(x64):
    source = np.random.default_rng(0).normal(size=(3, T.num_points))
    answer = linear_response(np.zeros((3, 3)), T)(jnp.asarray(source))
    np.testing.assert_allclose(answer, source @ running_integral(T).T, atol=1e-13)


def test_heat_of_a_linear_source_is_exact(x64):
    """e_t - D e_xx = (1 + 3 t) sin(2 pi x): one mode, whose answer is elementary."""
    x, t = np.asarray(CIRCLE.coordinates), np.asarray(T.coordinates)
    diffusivity = 0.05
    rate = diffusivity * (2 * np.pi) ** 2
    wave = np.sin(2 * np.pi * x)[:, None]
    response = jax.jit(linear_response(-diffusivity * derivative(CIRCLE, 2), T))
    decayed = 1 - np.exp(-rate * t)
    exact = wave * (decayed / rate + 3 * (t / rate - decayed / rate**2))
    np.testing.assert_allclose(response(wave * (1 + 3 * t)), exact, atol=1e-12)


@pytest.mark.parametrize("skew", [0.0, 1.0])
def test_any_matrix_as_by_its_exponential(x64, skew):
    """Steps of the exact exponential; complex eigenvalues with `skew`."""
    rng = np.random.default_rng(1)
    parts = rng.normal(size=(2, 5, 5))
    matrix = parts[0] @ parts[0].T + skew * 3 * (parts[1] - parts[1].T)
    constant = rng.normal(size=5)
    source = np.repeat(constant[:, None], T.num_points, 1)
    answer = linear_response(matrix, T)(jnp.asarray(source))
    at_the_end = np.linalg.solve(
        matrix, constant - scipy.linalg.expm(-2.0 * matrix) @ constant
    )
    np.testing.assert_allclose(answer[:, -1], at_the_end, atol=1e-10)


def test_second_order_in_time_for_smooth_sources(x64):
    """On an interval with fixed ends, where differences are not symmetric."""
    d_xx = derivative(INTERVAL, 2, accuracy=6)[1:-1, 1:-1]
    x = np.asarray(INTERVAL.coordinates)[1:-1]
    errors = []
    for num_points in (21, 41):
        times = Axis("t", 0.0, 1.0, num_points)
        t = np.asarray(times.coordinates)
        exact = np.outer(np.sin(np.pi * x), np.sin(3 * t))
        source = np.outer(np.sin(np.pi * x), 3 * np.cos(3 * t)) - 0.01 * d_xx @ exact
        answer = linear_response(-0.01 * d_xx, times)(jnp.asarray(source))
        errors.append(float(jnp.abs(answer - exact).max()))
    assert errors[0] < 2e-3
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)


def test_eigenmodes_make_up_their_matrix():
    matrix = np.random.default_rng(2).normal(size=(6, 6))
    rates, analysis, synthesis = eigenmodes(matrix)
    assert len(rates) < 6  # of a conjugate pair one member
    np.testing.assert_allclose((synthesis * rates @ analysis).real, matrix, atol=1e-12)


@pytest.mark.parametrize("factor", [0.0, 1e-3, 0.3, 20.0])
def test_a_traced_factor_of_the_matrix_scales_its_rates(x64, factor):
    """Against the constant matrix, from steps far below the rates to far above."""
    matrix = -derivative(INTERVAL, 2, accuracy=6)[1:-1, 1:-1]
    source = np.random.default_rng(3).normal(size=(len(matrix), T.num_points))
    expected = linear_response(factor * matrix, T)(jnp.asarray(source))
    answer = jax.jit(scaled_response(matrix, T))(jnp.asarray(source), factor)
    # Both are exact for piecewise linear sources; the eigenvectors' condition is 1e2.
    np.testing.assert_allclose(answer, expected, atol=1e-11)


def test_phi_functions_lose_no_digits_in_single_precision():
    z = np.concatenate([-np.geomspace(1e-6, 50.0, 60), [0.0, 0.9, 1.1]])
    found = traced_phi_functions(jnp.asarray(z, jnp.complex64))
    # In extended precision the quotients themselves are good enough.
    with np.errstate(invalid="ignore"):
        long = z.astype(np.longdouble)
        first = np.where(z == 0, 1.0, np.expm1(long) / long)
        far = np.abs(z) > 1e-3
        second = np.where(far, (first - 1) / long, 0.5 + long / 6 + long**2 / 24)
    np.testing.assert_allclose(found[0].real, first, rtol=1e-6)
    np.testing.assert_allclose(
        found[1].real, np.where(z == 0, 0.5, second).astype(float), rtol=1e-6
    )
