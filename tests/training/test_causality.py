"""Weights are positive, of mean one, and never grow with time."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pilno_jax.training import causality

TIMES = jnp.linspace(0.0, 1.0, 26)
RESIDUALS = jnp.abs(jnp.sin(7.0 * TIMES)) + 0.1
RULES = {
    "uniform": causality.uniform(),
    "exponential": causality.exponential(5.0),
    "inverse": causality.inverse(3.0),
    "piecewise": causality.piecewise(0.4, 10.0),
    "adaptive": causality.adaptive(2.0),
}


@pytest.mark.parametrize("name", RULES)
def test_weights_have_mean_one_and_do_not_grow(name):
    weights = np.asarray(RULES[name](TIMES, RESIDUALS))
    assert weights.mean() == pytest.approx(1.0, rel=1e-6)
    assert (weights > 0).all()
    assert (np.diff(weights) <= 1e-6).all()
    if name != "uniform":
        assert weights[0] > 1.5 * weights[-1]


def test_the_forms_are_those_of_the_paper():
    """Ratios are free of the normalisation: they show w(t) itself."""
    ratio = {name: rule(TIMES, RESIDUALS) for name, rule in RULES.items()}
    ratio = {name: w / w[0] for name, w in ratio.items()}
    np.testing.assert_allclose(ratio["exponential"], np.exp(-5.0 * TIMES), rtol=1e-5)
    np.testing.assert_allclose(ratio["inverse"], 1 / (1 + 3.0 * TIMES), rtol=1e-5)
    expected = np.where(TIMES <= 0.4, 1.0, 0.1)
    np.testing.assert_allclose(ratio["piecewise"], expected, rtol=1e-5)
    before = np.concatenate([[0.0], np.cumsum(RESIDUALS)[:-1]])
    np.testing.assert_allclose(ratio["adaptive"], np.exp(-2.0 * before), rtol=1e-4)


def test_the_adaptive_rule_opens_late_times_as_early_residuals_fall():
    rule = causality.adaptive(2.0)
    assert rule(TIMES, 1e-3 * RESIDUALS)[-1] > 0.9
    assert rule(TIMES, RESIDUALS)[-1] < 0.01


def test_no_gradient_flows_through_adaptive_weights():
    rule = causality.adaptive(2.0)
    gradient = jax.grad(lambda r: rule(TIMES, r).max())(RESIDUALS)
    assert not np.asarray(gradient).any()


def test_bad_arguments_are_named():
    with pytest.raises(ValueError, match="rate = -1"):
        causality.exponential(-1.0)
    with pytest.raises(ValueError, match="ratio = 1.0"):
        causality.piecewise(0.5, 1.0)
    with pytest.raises(ValueError, match="'fading'.*adaptive.*uniform"):
        causality.make("fading")
