"""Initial and boundary values of KdV, by construction and by penalties."""

import jax
import jax.numpy as jnp
import numpy as np
from kdv_members import constants_of, draws, inputs_of

from pilno_jax.problems import forced_kdv

SMALL = {"num_x": 50, "num_t": 40}


def test_soft_constraints_vanish_for_the_truth_and_see_a_tilt(x64):
    problem = forced_kdv(hard_constraints=False, num_x=201, num_t=11)
    assert set(problem.constraints) == {"ic", "bc"}
    inputs = draws(problem, 36)
    assert set(np.unique(inputs["family"])) == {0, 1, 2}

    @jax.jit
    @jax.vmap
    def violations(inputs):
        u = problem.solve(inputs)
        return u, {name: c(u, inputs) for name, c in problem.constraints.items()}

    u, violated = violations(inputs)
    left, right, slope = np.split(np.asarray(violated["bc"]), 3, axis=1)
    for values in (np.asarray(violated["ic"]), left, right):
        assert np.abs(values).max() < 1e-12
    assert np.abs(slope).max() < 5e-4 * jnp.abs(inputs["ux_right"]).max()

    x = problem.grid.coordinates[0][:, None]
    tilted = u[0] + 0.5 + 0.1 * x
    one = jax.tree.map(lambda values: values[0], inputs)
    moved = problem.constraints["bc"](tilted, one).reshape(3, -1).mean(1)
    np.testing.assert_allclose(moved, [0.0, 1.0, 0.1], atol=1e-4)
    np.testing.assert_allclose(
        problem.constraints["ic"](tilted, one), (0.5 + 0.1 * x)[:, 0], atol=1e-12
    )


def test_away_from_the_edges_the_output_is_free_at_the_height_of_the_solutions():
    problem = forced_kdv(**SMALL)
    inputs = draws(problem, 10)
    raw = 3.0 * jax.random.normal(jax.random.key(5), (10, 50, 40))
    constrain = jax.jit(jax.vmap(problem.constrain))
    moved = constrain(raw + 1.0, inputs) - constrain(raw, inputs)
    inside = moved[:, 10:40, 8:] / (12.0 * inputs["beta"][:, None, None])
    assert inside.min() > 0.5 and inside.max() < 1.001


def test_hard_slope_at_the_right_end_is_exact_in_the_limit(x64):
    errors = []
    for n in (101, 201):
        hard = forced_kdv(num_x=n, num_t=9)
        slope = forced_kdv(num_x=n, num_t=9, hard_constraints=False).constraints["bc"]
        inputs = inputs_of(hard, 0, constants_of(b1=1.5))
        x, t = hard.grid.coordinates
        raw = jnp.cos(1.3 * x + 0.4)[:, None] * jnp.exp(-t)[None, :]
        defect = slope(hard.constrain(raw, inputs), inputs)
        errors.append(jnp.abs(defect).max())
    assert errors[0] < 1e-4
    assert np.log2(errors[0] / errors[1]) > 4.0


def test_hard_initial_condition_alone_leaves_the_edges_soft():
    problem = forced_kdv(hard_constraints="ic", **SMALL)
    assert set(problem.constraints) == {"bc"}
    inputs = jax.jit(problem.sample)(jax.random.key(0))
    u = problem.constrain(jnp.ones((50, 40)), inputs)
    np.testing.assert_array_equal(u[:, 0], inputs["u0"])
    np.testing.assert_allclose(u[:, -1], 12.0 * inputs["beta"], rtol=1e-3)
