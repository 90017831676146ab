"""The size of a correction is the error, and correcting stops by itself."""

import jax
import jax.numpy as jnp
import numpy as np

from pilno_jax.operators.own_error import correct_until, error_of_fields

TRUTH = np.random.default_rng(0).normal(size=(3, 8, 5))
ERROR = np.random.default_rng(1).normal(size=(3, 8, 5))
SIZES = np.array([1e-1, 1e-3, 1e-5])


def relative(u):
    difference, truth = (x.reshape(3, -1) for x in (u - TRUTH, TRUTH))
    return jnp.linalg.norm(difference, axis=1) / jnp.linalg.norm(truth, axis=1)


def contraction(params, inputs, u):
    """Leaves `params` of an error, as a corrector does that learned to."""
    del inputs
    return TRUTH + params * (u - TRUTH)


def with_floor(params, inputs, u):
    """The same, but what it makes is never better than 1e-4: it wanders there."""
    del inputs
    return TRUTH + params * (u - TRUTH) - 1e-4 * jnp.sign(u - TRUTH) * jnp.abs(ERROR)


def start():
    return jnp.asarray(TRUTH + SIZES[:, None, None] * ERROR)


def test_the_estimate_is_the_error_up_to_what_a_correction_leaves(x64):
    estimate = error_of_fields(contraction)(0.1, {}, start())
    # |u - correct(u)| is 1 - 0.1 of the error.
    np.testing.assert_allclose(estimate / relative(start()), 0.9, rtol=0.05)


def test_each_sample_is_corrected_until_it_is_good_enough(x64):
    until = jax.jit(correct_until(contraction))
    corrected = until(0.1, {}, start(), 2e-4)
    np.testing.assert_array_equal(corrected.applications, [3, 1, 0])
    np.testing.assert_array_less(corrected.error, 2e-4)
    np.testing.assert_allclose(corrected.error, 0.9 * relative(corrected.u), rtol=0.05)
    # What was good enough is returned as it came.
    np.testing.assert_array_equal(corrected.u[2], start()[2])


def test_it_stops_where_corrections_no_longer_help(x64):
    corrected = jax.jit(correct_until(with_floor))(0.1, {}, start(), 1e-12)
    assert (np.asarray(corrected.applications) < 10).all()
    errors, before = relative(corrected.u), relative(start())
    assert (np.asarray(errors) <= np.asarray(before)).all()
    assert (np.asarray(errors) < 4e-4).all()


def test_a_corrector_that_does_harm_is_not_applied(x64):
    corrected = jax.jit(correct_until(contraction))(3.0, {}, start(), 1e-12)
    np.testing.assert_array_equal(corrected.u, start())
    np.testing.assert_array_equal(corrected.applications, 0)


def test_no_more_than_the_most_applications(x64):
    corrected = correct_until(contraction, 2)(0.9, {}, start(), 1e-12)
    np.testing.assert_array_equal(corrected.applications, 2)
