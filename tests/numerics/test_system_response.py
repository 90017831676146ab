"""Answers of linear systems on a torus: uncoupled, coupled, and in the plane."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.linalg

from pilno_jax.numerics.derivatives import derivative
from pilno_jax.numerics.grids import Axis
from pilno_jax.numerics.linear_response import linear_response
from pilno_jax.numerics.system_response import system_response

X = Axis("x", 0.0, 1.0, 8, periodic=True)
Y = Axis("y", 0.0, 2.0, 6, periodic=True)
T = Axis("t", 0.0, 1.5, 11)
COUPLING = np.array([[1.0, 1.0], [-2.0, -1.0]])


def noise(*shape):
    return jnp.asarray(np.random.default_rng(0).normal(size=shape))


def test_without_coupling_every_field_answers_for_itself(x64):
    source = noise(8, 11, 2)
    found = jax.jit(system_response([X], T, (0.01, 0.3), np.zeros((2, 2))))(source)
    for field, diffusivity in enumerate((0.01, 0.3)):
        alone = linear_response(-diffusivity * derivative(X, 2), T)
        expected = jax.jit(alone)(source[..., field])
        np.testing.assert_allclose(found[..., field], expected, atol=1e-12)


def test_a_coupled_wave_as_by_its_exponential(x64):
    """cos(2 pi x) cos(pi y) times a constant vector: one system of two equations."""
    x, y = (np.asarray(axis.coordinates) for axis in (X, Y))
    wave = np.outer(np.cos(2 * np.pi * x), np.cos(np.pi * y))
    square, constant = (2 * np.pi) ** 2 + np.pi**2, np.array([1.0, -0.5])
    matrix = square * np.diag([0.01, 0.02]) - COUPLING
    steady = np.multiply.outer(wave, constant)[:, :, None]
    source = np.broadcast_to(steady, (8, 6, 11, 2))
    respond = jax.jit(system_response([X, Y], T, (0.01, 0.02), COUPLING))
    found = respond(jnp.asarray(source))
    decayed = scipy.linalg.expm(-1.5 * matrix) @ constant
    exact = np.linalg.solve(matrix, constant - decayed)
    at_the_end = np.multiply.outer(wave, exact)
    np.testing.assert_allclose(found[:, :, -1], at_the_end, atol=1e-10)


@pytest.mark.parametrize(
    "coupling",
    [
        [[-1.0, 0.0], [1.0, -1.0]],  # A -> B, both decay as fast
        [[-1.0, 0.0, 0.0], [1.0, -1.0, 0.0], [0.0, 1.0, -1.0]],  # A -> B -> C
        [[0.0, 4.0], [-1.0, -4.0]],  # the Brusselator at a = 2, b = 1
    ],
)
def test_systems_without_enough_eigenvectors_answer_too(x64, coupling):
    coupling = np.array(coupling)
    fields = len(coupling)
    constant = np.arange(1.0, fields + 1)
    source = jnp.broadcast_to(jnp.asarray(constant), (8, 11, fields))
    found = jax.jit(system_response([X], T, (0.1,) * fields, coupling))(source)
    decayed = scipy.linalg.expm(1.5 * coupling) @ constant
    exact = np.linalg.solve(-coupling, constant - decayed)
    # Off by the distance to the neighbour that has all its eigenvectors.
    np.testing.assert_allclose(found[:, -1], np.tile(exact, (8, 1)), rtol=1e-7)
