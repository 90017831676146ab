"""Bases: quadratures against exact integrals, the closed form against the sum.

Nodes and results are NumPy's and every function is compiled whole: operation by
operation, most of the time would go into programs of one operation each.
"""

import jax
import numpy as np
import pytest

from pilno_jax.models import bases
from pilno_jax.numerics.grids import Axis

POLES = np.array([-0.7 + 2.0j, -5.0, -3.0 - 9.0j])

pytestmark = pytest.mark.usefixtures("x64")


def compiled(function, static=()):
    program = jax.jit(function, static_argnums=static)
    return lambda *arguments: np.asarray(program(*arguments))


is_periodic = compiled(bases.is_periodic)
circle_weights = compiled(bases.circle_weights)
interval_weights = compiled(bases.interval_weights)
pole_analysis = compiled(bases.pole_analysis, static=2)
pole_analysis_dft = compiled(bases.pole_analysis_dft)


def fourier_analysis(x, omega, period):
    return compiled(lambda x: bases.fourier_analysis(x, omega, period))(x)


def nodes(n: int, periodic: bool) -> np.ndarray:
    return np.linspace(0, 1, n, endpoint=not periodic)


@pytest.mark.parametrize("n", [2, 3, 5, 9, 16, 40])
@pytest.mark.parametrize("periodic", [True, False])
def test_weights_integrate_constants(n, periodic):
    x = nodes(n, periodic)
    assert bool(is_periodic(x)) == periodic
    np.testing.assert_allclose(circle_weights(x).sum(), 1, rtol=1e-14)
    np.testing.assert_allclose(interval_weights(x).sum(), 1, rtol=1e-14)


@pytest.mark.parametrize("periodic", [True, False])
def test_interval_rule_is_exact_on_polynomials_of_degree_seven(periodic):
    x = nodes(20, periodic)
    extended = np.append(x, 1.0)
    for degree in range(8):
        integral = interval_weights(x) @ extended**degree
        np.testing.assert_allclose(integral, 1 / (degree + 1), rtol=1e-12)


@pytest.mark.parametrize("clustering", [0.9, 1.0])
def test_rules_are_of_high_order_on_clustered_nodes(clustering):
    """The integral of e^x, and the circle's rule of an integrand that closes up."""

    def errors(n):
        x = Axis("x", 0.0, 1.0, n, clustering=clustering).unit_nodes()
        exponential = interval_weights(x)[:-1] @ np.exp(x) - np.expm1(1.0)
        around = circle_weights(x) @ np.exp(2j * np.pi * x)
        return np.abs([exponential, around])

    assert np.all(np.log2(errors(17) / errors(33)) > 6.5)
    assert errors(33).max() < 1e-7


@pytest.mark.parametrize("periodic", [True, False])
def test_circle_rule_is_exact_on_resolved_waves(periodic):
    x = nodes(17, periodic)
    for k in range(1, 16):
        assert abs(circle_weights(x) @ np.exp(2j * np.pi * k * x)) < 1e-14


@pytest.mark.parametrize("periodic", [True, False])
def test_fourier_analysis_inverts_synthesis(periodic):
    x, omega = nodes(16, periodic), bases.frequencies(8, 1.0, signed=True)
    product = fourier_analysis(x, omega, 1.0) @ jax.jit(
        lambda x: bases.fourier_synthesis(x, omega)
    )(x)
    np.testing.assert_allclose(product, np.eye(15), atol=1e-13)


def test_fourier_analysis_is_the_dft_on_a_periodic_axis():
    x = nodes(16, True)
    v = np.sin(np.exp(np.cos(2 * np.pi * x)))
    omega = bases.frequencies(8, 1.0, signed=False)
    alpha = fourier_analysis(x, omega, 1.0) @ v
    np.testing.assert_allclose(alpha, np.fft.rfft(v)[:8] / 16, atol=1e-15)


def test_longer_period_continues_by_zero():
    """1/P int_0^1 e^{-i w x} dx in closed form, w = 2 pi k / P."""
    period = 1.25
    omega = bases.frequencies(5, period, signed=True)
    alpha = fourier_analysis(nodes(201, False), omega, period).sum(1)
    with np.errstate(invalid="ignore"):
        exact = (1 - np.exp(-1j * omega)) / (1j * omega) / period
    exact[4] = 1 / period
    np.testing.assert_allclose(alpha, exact, atol=1e-9)


@pytest.mark.parametrize("periodic", [True, False])
def test_pole_analysis_of_exponentials(periodic):
    """v = e^{i w x} has the single coefficient alpha = 1, so the sum is 1/(mu - i w).

    The error falls like h^8: 2^8 = 256 times at half the spacing.
    """
    omega = 2 * np.pi * 3

    def error(points: int) -> float:
        x = nodes(points, periodic)
        found = pole_analysis(x, POLES, 1.0) @ np.exp(1j * omega * x)
        return float(np.abs(found - 1 / (POLES - 1j * omega)).max())

    assert error(40) < 1e-4
    assert error(40) / error(80) > 0.6 * 2**8


def test_pole_analysis_with_a_longer_period():
    """v = 1 on [0, 1], 0 up to P: (e^{mu P} - e^{mu (P - 1)}) / mu / (e^{mu P} - 1)."""
    period = 1.5
    found = pole_analysis(nodes(61, False), POLES, period).sum(1)
    e = np.exp
    exact = (
        (e(POLES * period) - e(POLES * (period - 1))) / POLES / (e(POLES * period) - 1)
    )
    np.testing.assert_allclose(found, exact, rtol=1e-8)


@pytest.mark.parametrize("periodic", [True, False])
def test_papers_dft_sum_tends_to_the_closed_form(periodic):
    """First order in h for a field that does not close up, as FACTS states."""

    def gap(n: int) -> float:
        x = nodes(n, periodic)
        v = np.exp(x)
        limit = pole_analysis(nodes(400, False), POLES, 1.0) @ np.exp(nodes(400, False))
        return float(np.abs(pole_analysis_dft(x, POLES) @ v - limit).max())

    assert gap(26) > 1e-3
    assert gap(1600) < gap(26) / 30


def test_dft_sum_equals_the_closed_form_for_resolved_periodic_fields():
    x = nodes(64, True)
    v = 1 + np.cos(2 * np.pi * 2 * x)
    exact = 1 / POLES + POLES / (POLES**2 + (4 * np.pi) ** 2)
    np.testing.assert_allclose(pole_analysis_dft(x, POLES) @ v, exact, atol=1e-12)


def test_small_decay_rates_stay_accurate():
    """1 - e^mu cancels for small mu; the response to v = 1 must still be 1/mu."""
    mu = np.array([-1e-9 + 0j])
    found = pole_analysis(nodes(30, False), mu, 1.0).sum(1)
    np.testing.assert_allclose(found, 1 / mu, rtol=1e-7)
