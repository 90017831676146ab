"""The operator: features, network and hard constraints in one; its first parameters."""

import types

import jax
import numpy as np
import pytest
import toy

from pilno_jax import models, problems
from pilno_jax.operators import initial_parameters, predictor

SMALL = {
    "alno": dict(width=2, num_layers=1, modes=2, poles=1, projection_width=None),
    "fno": dict(width=2, num_layers=1, modes=2, projection_width=None),
    "lno": dict(width=2, num_layers=1, modes=2, poles=1, projection_width=None),
    "deepomamba": dict(token_width=2, state_size=2),
    "looped_lno": dict(poles=1, width=1, hidden=2),
}


@pytest.mark.parametrize("name", problems.FACTORIES)
def test_initial_parameters_are_made_for_the_features_of_a_sample(name):
    """The network is asked with shapes, types and axes of the real thing."""
    problem = problems.make(name)
    inputs = jax.eval_shape(problem.sample, jax.random.key(5))
    features = jax.eval_shape(problem.features, inputs)
    network = types.SimpleNamespace(init=lambda *asked: asked, apply=toy.apply)
    key, blank, axes = initial_parameters(problem, network, jax.random.key(1))
    assert (key == jax.random.key(1)).all()
    assert (blank.shape, blank.dtype) == (features.shape, features.dtype)
    jax.tree.map(np.testing.assert_array_equal, axes, problem.grid.scaled)


@pytest.mark.parametrize("name", models.MODELS)
def test_no_value_of_a_sample_enters_the_initial_parameters(name):
    """So they are, bit for bit, those that any sample of the problem would give."""
    # One axis, which every network takes, and one channel of features.
    problem = problems.duffing(num_t=26, final_time=0.5, own_scale=False)
    key = jax.random.key(1)
    init = jax.jit(models.make(name, **SMALL[name]).init)
    network = types.SimpleNamespace(init=init, apply=toy.apply)
    params = initial_parameters(problem, network, key)
    features = np.full((*problem.grid.shape, 1), np.nan, np.float32)
    expected = init(key, features, problem.grid.scaled)
    jax.tree.map(np.testing.assert_array_equal, params, expected)
    assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(params))


def test_a_prediction_is_the_constrained_output_of_each_sample():
    """Hard initial values and a moving frame: features and constraints both matter."""
    problem = problems.burgers(num_x=16, num_t=9)
    model = models.ALNO(**SMALL["alno"])
    params = jax.jit(lambda k: initial_parameters(problem, model, k))(jax.random.key(1))
    inputs = jax.jit(jax.vmap(problem.sample))(jax.random.split(jax.random.key(2), 3))
    batch = jax.jit(predictor(problem, model.apply))(params, inputs)

    @jax.jit
    def one(sample):
        raw = model.apply(params, problem.features(sample), problem.grid.scaled)
        return problem.constrain(raw[..., 0], sample), raw[..., 0]

    for number, u in enumerate(batch):
        expected, raw = one(jax.tree.map(lambda x, i=number: x[i], inputs))
        np.testing.assert_allclose(u, expected, rtol=1e-5, atol=1e-5)
        assert np.abs(expected - raw).max() > 0.1


def test_the_network_sees_the_whole_batch_at_once():
    problem, shapes = toy.decay(), []

    def apply(params, features, axes):
        shapes.append(features.shape)
        return toy.apply(params, features, axes)

    predictor(problem, apply)(toy.TAYLOR, toy.batch(problem)["inputs"])
    assert shapes == [(3, toy.NUM_X, toy.NUM_T, 1)]
