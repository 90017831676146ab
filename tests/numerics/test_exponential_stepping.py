"""ETDRK4 against closed forms: exact where it is linear, of order 4 where it is not."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pilno_jax.numerics.exponential_stepping import etdrk4
from pilno_jax.numerics.time_stepping import repeat

RATES = np.array([0.0, -1e-3, -1.0, -400.0])


def test_the_linear_part_is_exact(x64):
    """Also for rates far beyond what an explicit step of that length would bear."""
    modes = jnp.asarray([1.0 + 0j, 2.0, 3.0, 4.0])
    step = etdrk4(RATES, jnp.zeros_like, 0.5)
    found = jax.jit(repeat(step, 4))(modes)
    np.testing.assert_allclose(
        found, np.asarray(modes) * np.exp(2.0 * RATES), atol=1e-14
    )


def test_a_constant_source_is_exact(x64):
    """u' = L u + 1 from 0: (e^(L t) - 1) / L, and t where L = 0."""
    step = etdrk4(RATES, jnp.ones_like, 0.25)
    found = jax.jit(repeat(step, 4))(jnp.zeros(4, complex))
    exact = [1.0, *(np.expm1(RATES[1:]) / RATES[1:])]
    np.testing.assert_allclose(found, exact, atol=1e-12)


def test_order_4_in_the_step(x64):
    """u' = -u + u^2 from u0: u = 1 / (1 + (1 / u0 - 1) e^t)."""
    start, end = 0.4, 2.0
    exact = 1 / (1 + (1 / start - 1) * np.exp(end))
    errors = []
    for count in (8, 16):
        step = etdrk4(np.array([-1.0]), lambda u: u**2, end / count)
        found = jax.jit(repeat(step, count))(jnp.asarray([start + 0j]))
        errors.append(abs(complex(found[0]) - exact))
    assert errors[0] < 1e-5
    assert np.log2(errors[0] / errors[1]) == pytest.approx(4, abs=0.3)
