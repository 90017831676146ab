"""The loop is the system it stands for: linear ones have closed forms."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pilno_jax import models
from pilno_jax.checks import ArgumentError
from pilno_jax.numerics.marching import Guide

KEY = jax.random.key(0)
MU = -1.5 + 6.0j  # of the one pole that these systems have


def one_pole(feedback):
    """The weights of z' = mu z + f + feedback v, v = Re z, u = v."""
    softplus_inverse = np.log(np.expm1(-MU.real))
    return {
        "decay_0": [softplus_inverse],
        "frequency_0": [MU.imag],
        "entry": [[[1.0], [0.0]]],
        "residues": [[1.0], [0.0]],
        "driven": [[1.0]],
        "linear": [[feedback]],
        "inward": np.zeros((1, 3)),
        "bias": np.ones(3),
        "outward": np.ones((3, 1)),
        "readout": [[1.0]],
    }


def answer(weights, f, guide=None):
    t = jnp.linspace(0.0, 1.0, len(f))
    network = models.LoopedLNO(poles=1, width=1, hidden=3, pole_unit=1.0)
    params = {"params": {name: jnp.asarray(each) for name, each in weights.items()}}
    return np.asarray(network.apply(params, jnp.asarray(f)[:, None], (t,), guide)[:, 0])


def test_an_open_loop_answers_a_ramp_exactly():
    with jax.enable_x64(True):
        t = np.linspace(0.0, 1.0, 9)
        # z' = mu z + t from rest; the steps are exact for sources that are straight.
        z = (np.exp(MU * t) - 1 - MU * t) / MU**2
        np.testing.assert_allclose(answer(one_pole(0.0), t), z.real, atol=1e-14)


def test_feedback_moves_the_poles_to_second_order_of_the_spacing():
    feedback = -20.0
    # (Re z, Im z)' = M (Re z, Im z) + (f, 0), whose poles are the eigenvalues of M.
    matrix = np.array([[MU.real + feedback, -MU.imag], [MU.imag, MU.real]])
    values, vectors = np.linalg.eig(matrix)
    into = np.linalg.inv(vectors)[:, 0]

    def error(nodes):
        t = np.linspace(0.0, 1.0, nodes)
        steady = (np.exp(np.outer(t, values)) - 1) / values  # of f = 1
        exact = (steady * into) @ vectors[0]
        return np.abs(answer(one_pole(feedback), np.ones(nodes)) - exact.real).max()

    with jax.enable_x64(True):
        errors = np.array([error(nodes) for nodes in (41, 81, 161)])
    orders = np.log2(errors[:-1] / errors[1:])
    assert np.all(orders > 1.8) and errors[-1] < 1e-3


def test_a_full_pull_starts_every_step_from_the_label():
    """Of v = Re z the smallest change that brings v to the label changes Re z alone."""
    t = np.linspace(0.0, 1.0, 9)
    label = np.sin(3 * t)
    turn = np.exp(MU * t[1])
    z, expected = 0j, [0.0]
    for aim in label[:-1]:
        z = turn * complex(aim, z.imag)
        expected.append(z.real)
    with jax.enable_x64(True):
        guide = Guide(jnp.asarray(label)[:, None], jnp.asarray(1.0))
        found = answer(one_pole(0.0), 0 * t, guide)
    np.testing.assert_allclose(found, expected, atol=1e-14)


@pytest.mark.parametrize("pull", [0.0, 0.3, 1.0])
def test_its_own_answer_pulls_it_nowhere(pull):
    network, t = models.LoopedLNO(), jnp.linspace(0.0, 1.0, 33)
    f = jax.random.normal(KEY, (2, 33, 1))
    params = network.init(KEY, f, (t,))
    u = network.apply(params, f, (t,))
    guided = network.apply(params, f, (t,), Guide(u, jnp.float32(pull)))
    np.testing.assert_allclose(guided, u, atol=1e-6)
    elsewhere = network.apply(params, f, (t,), Guide(u + 1, jnp.float32(pull)))
    assert (np.abs(elsewhere - u).max() > 0.1) == (pull > 0)


def test_poles_at_rest_are_those_of_the_system_with_its_feedback():
    """At rest the force has the slope of its linear part and that of N."""
    weights = one_pole(-20.0) | {"inward": np.full((1, 3), 0.5)}
    slope = -20.0 + 3 * 0.5 * (1 - np.tanh(1.0) ** 2)
    matrix = np.array([[MU.real + slope, -MU.imag], [MU.imag, MU.real]])
    network = models.LoopedLNO(poles=1, width=1, hidden=3, pole_unit=4.0)
    found = models.poles_at_rest(network, {"params": weights}, extent=2.0)
    expected = 4.0 / 2.0 * np.linalg.eigvals(matrix)
    np.testing.assert_allclose(np.sort(found), np.sort(expected), rtol=1e-12)


def test_it_is_causal_and_rests_without_a_forcing():
    network, t = models.LoopedLNO(), jnp.linspace(0.0, 1.0, 33)
    f = jax.random.normal(KEY, (2, 33, 1))
    params = network.init(KEY, f, (t,))
    later = f.at[:, 20:].add(1.0)
    u, changed = (network.apply(params, each, (t,)) for each in (f, later))
    np.testing.assert_array_equal(u[:, :20], changed[:, :20])
    assert np.abs(u[:, 20:] - changed[:, 20:]).max() > 1e-3
    assert not np.any(network.apply(params, 0 * f, (t,)))


def test_it_has_one_axis():
    axes = jnp.linspace(0, 1, 4), jnp.linspace(0, 1, 4)
    with pytest.raises(ArgumentError, match="axes = 2"):
        models.LoopedLNO().init(KEY, jnp.zeros((4, 4, 1)), axes)
