"""The Darcy record: its boundary condition, its labels, its other grids."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from darcy_oracle import SMALL

from pilno_jax.problems import darcy


def test_hard_and_soft_boundary_conditions():
    """Zero on the boundary by every problem's test; here the size of what is left."""
    raw = jnp.full((31, 31), 2.0)
    u = darcy(**SMALL).constrain(raw, {})
    np.testing.assert_allclose(u[15, 15], 0.02, rtol=1e-5)
    sixth = np.sin(np.pi / 6)
    np.testing.assert_allclose(u[5, 15], 0.02 * sixth, rtol=1e-5)
    soft = darcy(hard_constraints=False, **SMALL)
    violation = soft.constraints["bc"](soft.constrain(raw, {}), {})
    # Every node of the boundary once, in units of the output.
    np.testing.assert_allclose(violation, np.full(120, 2.0), rtol=1e-6)


def test_labels_are_every_sixth_node_and_grids_share_the_medium():
    problem = darcy(num_points=61, num_fine=121)
    inputs = problem.sample(jax.random.key(0))
    u = problem.solve(inputs)
    np.testing.assert_array_equal(problem.restrict(u), u[::6, ::6])
    assert problem.restrict(u).shape == (11, 11)
    coarse = problem.on(31, 31)
    there = coarse.sample(jax.random.key(0))
    np.testing.assert_array_equal(there["a"], inputs["a"][::2, ::2])
    np.testing.assert_array_equal(
        coarse.restrict(coarse.solve(there)), problem.restrict(u)
    )
    other_values = darcy(values=(1.0, 2.0), **SMALL).on(61, 61)
    assert set(np.unique(other_values.sample(jax.random.key(0))["a"])) == {1.0, 2.0}


def test_a_grid_that_is_no_square_is_named():
    with pytest.raises(ValueError, match=r"grid shape = \(31, 61\).*square"):
        darcy(**SMALL).on(31, 61)
