"""Bases: quadratures against exact integrals, the closed form against the sum."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pilno_jax.models import bases

POLES = np.array([-0.7 + 2.0j, -5.0, -3.0 - 9.0j])

pytestmark = pytest.mark.usefixtures("x64")


def mu() -> jax.Array:
    """The poles in double precision, which is not on when this module is imported."""
    return jnp.asarray(POLES)


def nodes(n: int, periodic: bool) -> jax.Array:
    return jnp.linspace(0, 1, n, endpoint=not periodic)


@pytest.mark.parametrize("n", [2, 3, 5, 9, 16, 40])
@pytest.mark.parametrize("periodic", [True, False])
def test_weights_integrate_constants(n, periodic):
    x = nodes(n, periodic)
    assert bool(bases.is_periodic(x)) == periodic
    np.testing.assert_allclose(bases.circle_weights(x).sum(), 1, rtol=1e-14)
    np.testing.assert_allclose(bases.interval_weights(x).sum(), 1, rtol=1e-14)


@pytest.mark.parametrize("periodic", [True, False])
def test_interval_rule_is_exact_on_polynomials_of_degree_seven(periodic):
    x = nodes(20, periodic)
    extended = jnp.append(x, 1.0)
    for degree in range(8):
        integral = bases.interval_weights(x) @ extended**degree
        np.testing.assert_allclose(integral, 1 / (degree + 1), rtol=1e-12)


@pytest.mark.parametrize("periodic", [True, False])
def test_circle_rule_is_exact_on_resolved_waves(periodic):
    x = nodes(17, periodic)
    for k in range(1, 16):
        assert abs(bases.circle_weights(x) @ jnp.exp(2j * jnp.pi * k * x)) < 1e-14


@pytest.mark.parametrize("periodic", [True, False])
def test_fourier_analysis_inverts_synthesis(periodic):
    x, omega = nodes(16, periodic), bases.frequencies(8, 1.0, signed=True)
    product = bases.fourier_analysis(x, omega, 1.0) @ bases.fourier_synthesis(x, omega)
    np.testing.assert_allclose(product, np.eye(15), atol=1e-13)


def test_fourier_analysis_is_the_dft_on_a_periodic_axis():
    x = nodes(16, True)
    v = jnp.sin(jnp.exp(jnp.cos(2 * jnp.pi * x)))
    omega = bases.frequencies(8, 1.0, signed=False)
    alpha = bases.fourier_analysis(x, omega, 1.0) @ v
    np.testing.assert_allclose(alpha, jnp.fft.rfft(v)[:8] / 16, atol=1e-15)


def test_longer_period_continues_by_zero():
    """1/P int_0^1 e^{-i w x} dx in closed form, w = 2 pi k / P."""
    period = 1.25
    omega = bases.frequencies(5, period, signed=True)
    alpha = bases.fourier_analysis(nodes(201, False), omega, period).sum(1)
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
        found = bases.pole_analysis(x, mu(), 1.0) @ jnp.exp(1j * omega * x)
        return float(jnp.abs(found - 1 / (POLES - 1j * omega)).max())

    assert error(40) < 1e-4
    assert error(40) / error(80) > 0.6 * 2**8


def test_pole_analysis_with_a_longer_period():
    """v = 1 on [0, 1], 0 up to P: (e^{mu P} - e^{mu (P - 1)}) / mu / (e^{mu P} - 1)."""
    period = 1.5
    found = bases.pole_analysis(nodes(61, False), mu(), period).sum(1)
    e = jnp.exp
    exact = (
        (e(POLES * period) - e(POLES * (period - 1))) / POLES / (e(POLES * period) - 1)
    )
    np.testing.assert_allclose(found, exact, rtol=1e-8)


@pytest.mark.parametrize("periodic", [True, False])
def test_papers_dft_sum_tends_to_the_closed_form(periodic):
    """First order in h for a field that does not close up, as FACTS states."""

    def gap(n: int) -> float:
        x = nodes(n, periodic)
        v = jnp.exp(x)
        limit = bases.pole_analysis(nodes(400, False), mu(), 1.0) @ jnp.exp(
            nodes(400, False)
        )
        return float(jnp.abs(bases.pole_analysis_dft(x, mu()) @ v - limit).max())

    assert gap(26) > 1e-3
    assert gap(1600) < gap(26) / 30


def test_dft_sum_equals_the_closed_form_for_resolved_periodic_fields():
    x = nodes(64, True)
    v = 1 + jnp.cos(2 * jnp.pi * 2 * x)
    exact = 1 / POLES + POLES / (POLES**2 + (4 * jnp.pi) ** 2)
    np.testing.assert_allclose(bases.pole_analysis_dft(x, mu()) @ v, exact, atol=1e-12)


def test_small_decay_rates_stay_accurate():
    """1 - e^mu cancels for small mu; the response to v = 1 must still be 1/mu."""
    mu = jnp.array([-1e-9 + 0j])
    found = bases.pole_analysis(nodes(30, False), mu, 1.0).sum(1)
    np.testing.assert_allclose(found, 1 / mu, rtol=1e-7)
