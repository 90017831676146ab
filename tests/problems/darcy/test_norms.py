"""Norms of the Darcy residual against scipy and the calculus of variations."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from darcy_oracle import direct, operator
from scipy.sparse.linalg import spsolve

from pilno_jax.problems.darcy import darcy, inputs_from

SMALL = {"num_points": 31, "num_fine": 61}


def measured(problem, u, inputs):
    return problem.measure(problem.residual(u, inputs), u, inputs)


@pytest.fixture(scope="module")
def pair():
    """A medium and a field on 31 nodes that solves nothing."""
    with jax.enable_x64(True):
        inputs = darcy(**SMALL).sample(jax.random.key(0))
        inside = np.random.default_rng(0).normal(0.0, 0.01, (29, 29))
        return inputs, jnp.asarray(np.pad(inside, 1))


def test_h_minus_one_is_the_dual_norm(x64, pair):
    inputs, u = pair
    problem = darcy(measure="h-1", **SMALL)
    residual = problem.residual(u, inputs)
    laplacian = operator(inputs_from(np.ones((31, 31)), 31))
    flat, ones = np.ravel(residual), np.ones(29 * 29)
    expected = flat @ spsolve(laplacian, flat) / (ones @ spsolve(laplacian, ones))
    assert abs(problem.measure(residual) / expected - 1) < 1e-10


def test_the_solution_minimises_the_energy(x64, pair):
    """E(u) - E(u*) = <r, A^-1 r> / 2, and M >= |u*|^2 keeps the measure positive."""
    inputs, u = pair
    problem = darcy(measure="energy", **SMALL)
    solution = jnp.asarray(direct(inputs))
    least = measured(problem, solution, inputs)
    excess = measured(problem, u, inputs) - least
    residual = np.ravel(problem.residual(u, inputs))
    squared_error = residual @ spsolve(operator(inputs), residual) / 30**2
    squared_solution = np.sum(solution) / 30**2
    # least = 1 - |u*|^2 / M gives the scale M.
    bound = squared_solution / (1 - least)
    assert 0 < least < 0.4
    assert abs(excess * bound / squared_error - 1) < 1e-10


def test_the_gradient_of_the_energy_is_the_residual(x64, pair):
    inputs, u = pair
    problem = darcy(measure="energy", **SMALL)
    gradient = jax.grad(lambda u: measured(problem, u, inputs))(u)[1:-1, 1:-1]
    ratio = gradient / problem.residual(u, inputs)
    np.testing.assert_allclose(ratio, ratio[0, 0], rtol=1e-9)
    assert ratio[0, 0] > 0


@pytest.mark.parametrize("name", ["h-1", "energy", "l2"])
@pytest.mark.parametrize("source", [1.0, 3.0])
def test_measures_share_one_scale(x64, pair, name, source):
    problem = darcy(measure=name, source=source, **SMALL)
    inputs, _ = pair
    solution = source * jnp.asarray(direct(inputs))
    zero, best, off = (
        float(measured(problem, scale * solution, inputs)) for scale in (0, 1, 0.9)
    )
    assert abs(zero - 1) < 1e-12
    # An error of 10 % is 0.01, relative to what zero is above the best.
    assert abs((off - best) / (zero - best) - 0.01) < 1e-9
    assert best < 1e-20 or name == "energy"


def test_energy_needs_more_than_the_residual():
    problem = darcy(measure="energy", **SMALL)
    with pytest.raises(ValueError, match="u and inputs"):
        problem.measure(jnp.zeros((29, 29)))
