"""A residual orders predictions as their errors do."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import toy
from scipy import stats

from pilno_jax import evaluation
from pilno_jax.evaluation import error_estimate
from pilno_jax.training import objective


def truths(problem, count=4):
    keys = jax.random.split(jax.random.key(0), count)
    inputs = jax.vmap(problem.sample)(keys)
    return inputs, jax.vmap(problem.solve)(inputs)


def test_the_residual_is_that_of_the_equation_and_the_constraints():
    """u' + u of c u0 is -c u0 ... by hand: a constant field has residual 1 per size."""
    problem = toy.decay()
    inputs = {"u0": jnp.full((1, toy.NUM_X), 2.0)}
    held = jnp.full((1, toy.NUM_X, toy.NUM_T), 2.0)
    found = error_estimate.residuals(problem)
    np.testing.assert_allclose(found(held, inputs), [1.0], rtol=1e-5)
    # Started at 3 in place of 2 it also misses the initial values by 1, at weight 10.
    missed = np.sqrt(3.0**2 + 10 * 1.0**2) / 3
    np.testing.assert_allclose(found(held + 1, inputs), [missed], rtol=1e-5)
    unweighted = error_estimate.residuals(problem, objective.Weights(ic=0.0))
    np.testing.assert_allclose(unweighted(held + 1, inputs), [1.0], rtol=1e-5)


def test_it_is_small_at_the_truth_and_grows_with_the_error():
    problem = toy.decay()
    inputs, u = truths(problem)
    sizes = jnp.array([1e-2, 4e-2, 2e-2, 8e-2])
    ripple = jnp.sin(3 * problem.grid.coordinates[1])[None, None]
    worse = u + sizes[:, None, None] * u[:, :, :1] * ripple
    found = error_estimate.residuals(problem)
    errors = evaluation.relative_errors(np.asarray(worse), np.asarray(u))
    at_truth, away = found(u, inputs), np.asarray(found(worse, inputs))
    assert np.all(np.asarray(at_truth) < 0.1 * away)
    assert error_estimate.rank_correlation(away, errors) == pytest.approx(1.0)


def test_rank_correlation_is_spearmans():
    one, two = np.random.default_rng(0).normal(size=(2, 30))
    expected = stats.spearmanr(one, two).statistic
    assert error_estimate.rank_correlation(one, two) == pytest.approx(expected)


def test_a_power_law_is_recovered():
    residuals = np.geomspace(1e-3, 1.0, 200)
    noise = np.random.default_rng(0).normal(size=200)
    law = error_estimate.calibrate(residuals, 0.3 * residuals**1.2 * 1.5**noise)
    # 200 samples of a spread of 1.5: the mean of its logarithm is known to 0.03.
    assert law.exponent == pytest.approx(1.2, abs=0.05)
    assert law.factor == pytest.approx(0.3, rel=0.15)
    assert law.spread == pytest.approx(1.5, rel=0.1)
    np.testing.assert_allclose(law(residuals), law.factor * residuals**law.exponent)


@pytest.mark.parametrize(
    ("residuals", "errors", "told"),
    [
        ([1.0, 2.0], [1.0, 2.0], "at least 3"),
        ([1.0, 2.0, 3.0], [1.0, 2.0], "shapes"),
        ([1.0, 2.0, 3.0], [1.0, 0.0, 2.0], "positive"),
    ],
)
def test_what_cannot_be_calibrated_is_told(residuals, errors, told):
    with pytest.raises(ValueError, match=told):
        error_estimate.calibrate(residuals, errors)
