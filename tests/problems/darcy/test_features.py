"""What a network sees of a medium."""

import jax
import numpy as np
import pytest
from darcy_oracle import SMALL, direct

from pilno_jax.numerics.poisson import unit_membrane
from pilno_jax.problems.darcy import darcy, first_responses, inputs_from


@pytest.fixture(scope="module")
def inputs():
    return darcy(**SMALL).sample(jax.random.key(0))


def test_features_are_the_medium_its_faces_and_the_coordinates(inputs):
    features = darcy(**SMALL).features(inputs)
    assert features.shape == (31, 31, 7)
    assert np.abs(features[..., :3]).max() <= 1 + 1e-5
    assert 0.5 < np.abs(features[..., 3]).max() < 3
    np.testing.assert_allclose(
        features[..., 0], np.where(inputs["a"] == 12.0, 1.0, -1.0), atol=1e-5
    )
    # Where all around is one phase the faces say the same as the node.
    same = np.mean(np.abs(features[..., 1] - features[..., 0]) < 1e-4)
    assert 0.4 < same < 1.0
    np.testing.assert_allclose(features[:, 3, 5], np.linspace(0, 1, 31), atol=1e-6)
    np.testing.assert_allclose(features[3, :, 6], np.linspace(0, 1, 31), atol=1e-6)
    paper = darcy(features="paper", **SMALL).features(inputs)
    np.testing.assert_array_equal(paper, features[..., np.array([0, 5, 6])])


def test_first_responses_of_a_uniform_medium_are_the_solution(x64):
    """a = 5: the first is membrane / 5, and there is nothing left to correct."""
    inputs = inputs_from(np.full((31, 31), 5.0), 31)
    first, second = first_responses(inputs["a_x"], inputs["a_y"])
    np.testing.assert_allclose(first, unit_membrane(31) / 5, rtol=1e-10, atol=1e-15)
    assert np.abs(second).max() < 1e-12


def test_first_responses_are_the_best_steps_in_energy(x64):
    """Any other multiple of either has more energy; together they are near u*."""
    problem = darcy(measure="energy", **SMALL)
    inputs = problem.sample(jax.random.key(0))
    first, second = first_responses(inputs["a_x"], inputs["a_y"])
    measure = jax.jit(lambda u: problem.measure(problem.residual(u, inputs), u, inputs))

    def energy(u):
        return float(measure(u))

    for s in (0.9, 1.1):
        assert energy(first) < energy(s * first)
        assert energy(first + second) < energy(first + s * second) < energy(first)
    error = np.linalg.norm(first + second - direct(inputs))
    assert 0.01 < error / np.linalg.norm(direct(inputs)) < 0.4


def test_face_features_belong_to_their_axis():
    """Layers across x: the x faces see them in series, the y faces in parallel."""
    layers = np.where(np.arange(121) % 4 < 2, 3.0, 12.0)
    inputs = inputs_from(np.broadcast_to(layers[:, None], (121, 121)), 31)
    inside = darcy(**SMALL).features(inputs)[1:-1, 1:-1]
    assert np.all(inside[..., 1] < inside[..., 2])
