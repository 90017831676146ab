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
}


@pytest.mark.parametrize("name", problems.FACTORIES)
def test_initial_parameters_are_those_of_a_sample(name):
    """Bit for bit, for every network: no value of a sample enters them."""
    assert SMALL.keys() == models.MODELS.keys()
    problem, key = problems.make(name), jax.random.key(1)
    draw = jax.jit(lambda key: problem.features(problem.sample(key)))
    features = draw(jax.random.key(5))
    for model, sizes in SMALL.items():
        if model == "deepomamba" and len(problem.grid.axes) != 2:
            continue
        init = jax.jit(models.make(model, **sizes).init)
        expected = init(key, features, problem.grid.scaled)
        network = types.SimpleNamespace(init=init, apply=None)
        params = initial_parameters(problem, network, key)
        jax.tree.map(np.testing.assert_array_equal, params, expected)
        # One program for both: shapes and types of the features agree, too.
        assert init._cache_size() == 1


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
