"""A run is tried on inputs of another law, and on no other problem than its own."""

import types

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from experiments.run import other_law
from pilno_jax import problems
from pilno_jax.runs.trained_run import TrainedRun

OPTIONS = {"name": "diffusion", "num_x": 8, "num_t": 9, "length_scale": 5.0}


@pytest.fixture
def run():
    model = types.SimpleNamespace(apply=None)
    return TrainedRun(problems.make(**OPTIONS), model, {}, 0, {"problem": OPTIONS})


def test_values_are_numbers_where_they_can_be():
    texts = ["length_scale=0.5", "law=periodic", "scales=(0.5, 1)"]
    expected = {"length_scale": 0.5, "law": "periodic", "scales": (0.5, 1)}
    assert other_law.changes(texts) == expected


def test_the_inputs_follow_the_changed_law(run):
    changed, test = other_law.under_law(run, {"length_scale": 0.3}, 2, 0)
    assert test["labels"].shape == (2, 8, 9)
    key = jax.random.key(7)
    expected = problems.make(**{**OPTIONS, "length_scale": 0.3}).sample(key)["u0"]
    assert (changed.problem.sample(key)["u0"] == expected).all()
    assert (run.problem.sample(key)["u0"] != expected).any()


def test_an_option_the_problem_lacks_is_told(run):
    with pytest.raises(ValueError, match=r"\['colour'\].*length_scale"):
        other_law.under_law(run, {"colour": 1}, 2, 0)


def test_a_coefficient_that_is_an_input_changes_the_inputs_alone(run):
    options = {**OPTIONS, "diffusivity": (0.005, 0.05)}
    run = TrainedRun(problems.make(**options), run.model, {}, 0, {"problem": options})
    changed, test = other_law.under_law(run, {"diffusivity": 0.05}, 2, 0)
    inputs = {name: jnp.asarray(value[0]) for name, value in test["inputs"].items()}
    assert float(inputs["diffusivity"]) == pytest.approx(0.05)
    # As in training: the highest value of the law shows as 1.
    seen = changed.problem.features(inputs)[..., -1]
    np.testing.assert_allclose(seen, 1.0, rtol=1e-6)
    np.testing.assert_array_equal(seen, run.problem.features(inputs)[..., -1])
