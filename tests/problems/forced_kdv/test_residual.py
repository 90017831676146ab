"""The KdV equation itself: its residual's orders, signs and units."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from kdv_members import constants_of, inputs_of, traced_inputs_of

from pilno_jax.problems import forced_kdv
from pilno_jax.problems.forced_kdv.families import derivative_in_x, solution


@functools.cache
def residual_norms(num_x, num_t):
    """(family, constants, factor) -> root mean squares of the residual of
    factor * truth and of alpha f_x, in one program for all families."""
    problem = forced_kdv(num_x=num_x, num_t=num_t)

    @jax.jit
    def compute(family, constants, factor):
        inputs = traced_inputs_of(problem, family, constants)
        r = problem.residual(factor * problem.solve(inputs), inputs)
        source = inputs["alpha"] * inputs["f_x"]
        return jnp.sqrt(jnp.mean(r**2)), jnp.sqrt(jnp.mean(source**2))

    return lambda *arguments: [float(value) for value in compute(*arguments)]


@pytest.mark.parametrize("family", range(3))
def test_residual_of_the_truth_vanishes_at_fourth_order(x64, family):
    """Of every family; test_every_problem takes the smoothest, drawn, alone."""
    member = family, constants_of()
    coarse, scale = residual_norms(201, 201)(*member, 1.0)
    fine, _ = residual_norms(401, 401)(*member, 1.0)
    # Order 4 in t beside order 6 in x: this pair of grids may already feel only t.
    assert np.log2(coarse / fine) > 3.7
    assert coarse < 2e-3 * scale
    assert residual_norms(201, 201)(*member, 1.1)[0] > 0.05 * scale


def test_residual_is_of_sixth_order_in_space(x64):
    still = constants_of(delta=0.0, b1=0.0, b=0.0)
    norms = [residual_norms(n, 7)(0, still, 1.0)[0] for n in (101, 201, 401)]
    assert np.log2(norms[0] / norms[1]) > 5.5
    assert np.log2(norms[1] / norms[2]) > 5.5


def test_residual_has_the_signs_and_units_of_the_linearisation(x64):
    problem = forced_kdv(num_x=201, num_t=101)
    constants = constants_of()
    inputs = inputs_of(problem, 0, constants)
    x, t = (
        c.reshape(shape)
        for c, shape in zip(problem.grid.coordinates, ((-1, 1), (1, -1)), strict=True)
    )
    u = problem.solve(inputs)
    u_x = derivative_in_x(solution(0, constants))(x, t)
    e, e_x, e_t, e_xxx = x**3 * t**2, 3 * x**2 * t**2, 2 * x**3 * t, 6 * t**2
    expected = e_t + u * e_x + e * u_x + inputs["beta"] * e_xxx
    residual = jax.jit(problem.residual)
    _, change = jax.jvp(lambda u: residual(u, inputs), (u,), (e,))
    np.testing.assert_allclose(change, expected, atol=2e-5 * jnp.abs(expected).max())
    # The source enters with a minus sign and its factor alpha.
    zero = residual(jnp.zeros_like(u), inputs)
    np.testing.assert_allclose(zero, -inputs["alpha"] * inputs["f_x"], atol=1e-12)


def test_bad_inputs_are_named():
    """Beyond what every problem's test names: the residual's, and the closed form's."""
    problem = forced_kdv(num_x=12, num_t=8)
    inputs = jax.jit(problem.sample)(jax.random.key(0))
    u = problem.solve(inputs)
    broken = inputs["f_x"].at[3, 4].set(jnp.nan)
    with pytest.raises(ValueError, match=r"f_x = .*1 NaN.*finite"):
        problem.residual(u, inputs | {"f_x": broken})
    own = {name: inputs[name] for name in inputs if name != "constants"}
    with pytest.raises(ValueError, match="'constants' that sampled inputs carry"):
        problem.solve(own)
    assert not problem.solvable(own) and problem.solvable(inputs)
    np.testing.assert_array_equal(problem.residual(u, own), problem.residual(u, inputs))
