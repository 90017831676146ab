"""A corrector's loss: what it leaves, relative to what was there."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import toy

from pilno_jax.training.objective import Weights, objective
from pilno_jax.training.stage_objective import stage_objective

PROBLEM = toy.decay()
WEIGHTS = Weights(data=0.3, pde=2.0, ic=5.0, virtual=4.0)


def no_change(params, features, axes):
    """A network that leaves every field as it is."""
    del params, axes
    return jnp.zeros((*features.shape[:-1], 1))


def batch_before(params):
    """A batch whose fields are those of the Taylor polynomial `params`."""
    batch = toy.batch(PROBLEM)

    def fields(inputs):
        features = jax.vmap(PROBLEM.features)(inputs)
        return toy.apply(params, features, PROBLEM.grid.scaled)[..., 0]

    before = {"before": fields(batch["inputs"])}
    return {**batch, **before, "virtual_before": fields(batch["virtual"])}


def test_a_corrector_that_changes_nothing_has_loss_one_for_each_kind_of_sample():
    loss = stage_objective(PROBLEM, no_change, WEIGHTS)
    total, _ = loss({}, batch_before(toy.TAYLOR))
    assert float(total) == pytest.approx(0.3 + 1.0 + 4.0, rel=1e-5)


def test_terms_are_those_of_the_field_itself():
    """So that they can be compared with those of the first network."""
    batch = batch_before(toy.TAYLOR)
    _, terms = stage_objective(PROBLEM, no_change, WEIGHTS)({}, batch)
    first = objective(PROBLEM, toy.apply, WEIGHTS, physics_loss="root")
    _, expected = first(toy.TAYLOR, toy.batch(PROBLEM))
    assert terms.keys() == expected.keys()
    for name, value in expected.items():
        np.testing.assert_allclose(terms[name], value, rtol=1e-5)


def test_a_hard_sample_counts_as_much_as_an_easy_one():
    """Labels alone: halving the error of every sample halves the loss."""
    batch = batch_before(toy.TAYLOR[:3])
    truths = jax.vmap(PROBLEM.solve)(batch["inputs"])
    worse = jnp.array([1.0, 10.0, 100.0])[:, None, None]
    batch["before"] = truths + worse * (batch["before"] - truths)
    halved = {**batch, "labels": truths}

    def total(before):
        labels_only = Weights(data=1.0, pde=0.0, ic=0.0, bc=0.0)
        loss = stage_objective(PROBLEM, halving, labels_only)
        return float(loss({}, {**halved, "before": before})[0])

    def halving(params, features, axes):
        """Takes half of the error away, which it knows."""
        del params, axes
        rho = 10.0 ** features[..., -1]
        return (-0.5 * (batch["before"] - truths) / rho)[..., None]

    assert total(batch["before"]) == pytest.approx(0.5, rel=1e-3)
