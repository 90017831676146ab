"""The study of what correctors are told: its three answers, and whose problem it is."""

import jax.numpy as jnp
import numpy as np

from experiments.suite.told import answers, as_trained
from pilno_jax import problems


def test_answers_to_a_residual_that_is_one_everywhere():
    problem = problems.diffusion(num_x=16, num_t=26)
    told = answers(problem)
    one, u = jnp.ones(problem.shape), jnp.zeros(problem.shape)
    np.testing.assert_array_equal(told["residual"](one, u, {}), 1.0)
    # Nothing diffuses where nothing varies: e_t = 1, by the equation and by summing up.
    since_start = np.broadcast_to(problem.grid.coordinates[1], problem.shape)
    for name in ("integral", "error_of"):
        found = told[name](one, u, {})
        np.testing.assert_allclose(found, since_start, rtol=1e-4, atol=1e-6)


def test_problems_are_those_of_the_recipes_in_stages():
    """Burgers' differences in time there are not the default."""
    u = jnp.sin(jnp.arange(32 * 26.0)).reshape(32, 26)
    inputs = {"u0": u[:, 0]}
    of_recipe, stated, default = (
        problem.residual(u, inputs)
        for problem in (
            as_trained("burgers"),
            problems.burgers(time_accuracy=8),
            problems.burgers(),
        )
    )
    np.testing.assert_array_equal(of_recipe, stated)
    assert not np.allclose(of_recipe, default)
