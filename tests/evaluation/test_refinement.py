"""The equation alone brings a prediction nearer to the truth."""

import types

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import toy

from pilno_jax.evaluation.refinement import refiner
from pilno_jax.runs.refined_run import refine
from pilno_jax.runs.trained_run import TrainedRun

STEPS = 300


@pytest.fixture(scope="module")
def run() -> TrainedRun:
    """u = u0 (1 + 0 t + ...): a network of five numbers that has not seen u' = -u."""
    start = jnp.array([1.0, 0.0, 0.0, 0.0, 0.0])
    model = types.SimpleNamespace(apply=toy.apply)
    return TrainedRun(toy.decay(), model, start, step=0, config={})


@pytest.fixture(scope="module")
def samples(run):
    inputs = jax.vmap(run.problem.sample)(jax.random.split(jax.random.key(2), 2))
    return inputs, np.asarray(jax.vmap(run.problem.solve)(inputs))


@pytest.fixture(scope="module")
def refined(run, samples):
    inputs, truth = samples
    return refine(run, inputs, STEPS, truth=truth, learning_rate=3e-2)


def test_residual_and_error_fall(refined):
    _, record = refined
    # Measured: by factors of 65 and 308.
    assert np.all(record.residual_after < record.residual_before / 10)
    assert np.all(record.error_after < record.error_before / 10)
    assert record.losses.shape == (STEPS,)


def test_the_refined_run_predicts_what_the_record_says(run, refined, samples):
    inputs, truth = samples
    new, record = refined
    error = np.linalg.norm(new.predict(inputs)[0] - truth[0]) / np.linalg.norm(truth[0])
    assert error == pytest.approx(record.error_after[0], rel=1e-5)
    assert new.problem is run.problem and new.model is run.model


def test_the_original_is_untouched(run, refined):
    np.testing.assert_array_equal(run.params, [1.0, 0.0, 0.0, 0.0, 0.0])
    assert np.all(np.asarray(refined[0].params) != run.params)


def test_no_step_makes_the_loss_worse(run, samples):
    """A learning rate that diverges: the best parameters are those given."""
    refine_wildly = refiner(run.problem, run.operator, 3, learning_rate=1e6)
    params, losses = refine_wildly(run.params, samples[0])
    assert not np.all(np.asarray(losses[1:]) < losses[0])
    np.testing.assert_array_equal(params, run.params)


def test_one_sample_needs_no_batch_axis_and_no_truth(run, samples):
    one = {"u0": samples[0]["u0"][0]}
    new, record = refine(run, one, 5)
    assert record.residual_after.shape == (1,) and record.error_after is None
    assert new.predict(one).shape == run.problem.grid.shape


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"steps": 0}, "steps = 0"),
        ({"truth": np.zeros((9, 4))}, "shape of truth"),
        ({"physics_loss": "cubed"}, "physics_loss"),
    ],
)
def test_mistakes_are_named(run, options, told):
    with pytest.raises(ValueError, match=told):
        refine(run, {"u0": jnp.zeros(4)}, **options)
