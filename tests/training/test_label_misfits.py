"""Misfits against the objective's relative error, and what guides a network."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import toy

from pilno_jax import problems
from pilno_jax.training.label_misfits import label_misfits
from pilno_jax.training.objective import objective

PROBLEM = toy.decay()
BATCH = toy.batch(PROBLEM)


def test_misfits_have_the_relative_error_as_their_size_and_times_second():
    params = toy.TAYLOR.at[0].set(1.1)
    found = label_misfits(PROBLEM, toy.apply)(params, BATCH, 1.0)
    samples, times, _ = found.shape
    assert (samples, times) == (len(BATCH["labels"]), toy.NUM_T)
    sizes = np.sqrt(np.sum(np.asarray(found) ** 2, axis=(1, 2)))
    _, terms = objective(PROBLEM, toy.apply)(params, BATCH)
    assert sizes.mean() == pytest.approx(float(terms["data"]), rel=1e-5)


def test_a_guide_is_what_the_network_has_to_answer_for_the_labels_to_come_out():
    """Of a network that answers its guide, whatever the hard constraints, no misfit is
    left; and it is told how strong the pull is."""
    problem = problems.duffing(num_t=132)  # x(0) = 0 is built in: nothing to answer
    inputs = jax.vmap(problem.sample)(jax.random.split(jax.random.key(0), 2))
    labels = jnp.asarray(inputs["f"]).at[:, 0].set(0.0)
    batch = {"inputs": inputs, "labels": labels}

    def obedient(params, features, axes, guide):
        del params, features, axes
        return 4 * guide.pull * guide.towards

    misfits = label_misfits(problem, obedient, guided=True)
    np.testing.assert_allclose(misfits(None, batch, 0.25), 0.0, atol=1e-6)
    half = misfits(None, batch, 0.125)
    np.testing.assert_allclose(jnp.sum(half**2, axis=(1, 2)), 0.25, rtol=1e-4)
