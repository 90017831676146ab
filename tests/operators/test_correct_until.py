"""What a residual tells of the error, and correcting until that is small enough."""

import jax
import jax.numpy as jnp
import numpy as np

from pilno_jax import problems
from pilno_jax.operators import correct_until, error_sizes

TRUTH = np.random.default_rng(0).normal(size=(3, 8, 5))
ERROR = np.random.default_rng(1).normal(size=(3, 8, 5))
SIZES = np.array([1e-1, 1e-3, 1e-5])


def relative(inputs, u):
    del inputs
    difference, truth = (x.reshape(3, -1) for x in (u - TRUTH, jnp.asarray(TRUTH)))
    return jnp.linalg.norm(difference, axis=1) / jnp.linalg.norm(truth, axis=1)


def contraction(params, inputs, u):
    """Leaves `params` of an error, as a corrector does that learned to."""
    del inputs
    return TRUTH + params * (u - TRUTH)


def with_floor(params, inputs, u):
    """The same, but what it makes is never better than 1e-4: it wanders there."""
    del inputs
    return TRUTH + params * (u - TRUTH) - 1e-4 * jnp.sign(u - TRUTH) * np.abs(ERROR)


def start():
    return jnp.asarray(TRUTH + SIZES[:, None, None] * ERROR)


def test_sizes_are_the_errors_of_diffusion(x64):
    """Its `error_of` is the linear equation's answer, whatever the error's size."""
    problem = problems.diffusion(num_x=16, num_t=26)
    inputs = jax.vmap(problem.sample)(jax.random.split(jax.random.key(0), 3))
    truth = jax.vmap(problem.solve)(inputs)
    x, t = problem.grid.scaled
    wave = np.sin(2 * np.pi * x)[:, None] * t[None] * np.cos(t)[None]
    u = truth + SIZES[:, None, None] * wave[None]
    difference, size = (v.reshape(3, -1) for v in (u - truth, u))
    errors = jnp.linalg.norm(difference, axis=1) / jnp.linalg.norm(size, axis=1)
    # The reference itself leaves a residual, of the size of the smallest error.
    np.testing.assert_allclose(
        jax.jit(error_sizes(problem))(inputs, u)[:2], errors[:2], rtol=0.05
    )


def test_each_sample_is_corrected_until_it_is_good_enough(x64):
    corrected = jax.jit(correct_until(contraction, relative))(0.1, {}, start(), 2e-4)
    np.testing.assert_array_equal(corrected.applications, [3, 1, 0])
    np.testing.assert_array_less(corrected.size, 2e-4)
    np.testing.assert_allclose(corrected.size, relative({}, corrected.u))
    # What was good enough is returned as it came.
    np.testing.assert_array_equal(corrected.u[2], start()[2])


def test_it_stops_where_corrections_no_longer_help(x64):
    corrected = jax.jit(correct_until(with_floor, relative))(0.1, {}, start(), 1e-12)
    assert (np.asarray(corrected.applications) < 10).all()
    errors, before = relative({}, corrected.u), relative({}, start())
    assert (np.asarray(errors) <= np.asarray(before)).all()
    assert (np.asarray(errors) < 4e-4).all()


def test_a_corrector_that_does_harm_is_not_applied(x64):
    corrected = jax.jit(correct_until(contraction, relative))(3.0, {}, start(), 1e-12)
    np.testing.assert_array_equal(corrected.u, start())
    np.testing.assert_array_equal(corrected.applications, 0)


def test_no_more_than_the_most_applications(x64):
    corrected = correct_until(contraction, relative, 2)(0.9, {}, start(), 1e-12)
    np.testing.assert_array_equal(corrected.applications, 2)
