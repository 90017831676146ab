"""A batch in pieces has the value, the terms and the gradient of the whole."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import toy

from pilno_jax.training.accumulation import accumulated
from pilno_jax.training.batches import divisible
from pilno_jax.training.objective import Weights, objective

PROBLEM = toy.decay()
BATCH = toy.batch(PROBLEM)
WEIGHTS = Weights(data=2.0, pde=3.0, ic=5.0, virtual=0.5)


@pytest.mark.parametrize("parts", [2, 4, 5])
def test_accumulation_is_the_large_batch(x64, parts):
    """Value, terms and gradient, also where 3 and 5 samples have to be filled up."""
    loss = objective(PROBLEM, toy.apply, WEIGHTS)
    batch = jax.tree.map(lambda x: x.astype(float), BATCH)
    pieces = divisible(lambda *_: batch, parts)({}, jax.random.key(0), 0)
    differentiate = jax.value_and_grad(accumulated(loss, parts), has_aux=True)
    params = jnp.asarray(toy.TAYLOR, float) + 0.1
    accumulated_values = jax.jit(differentiate)(params, pieces)
    expected = jax.value_and_grad(loss, has_aux=True)(params, batch)
    assert jax.tree.structure(accumulated_values) == jax.tree.structure(expected)
    # Double precision: what is left is the order of a few sums.
    jax.tree.map(
        lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-12),
        accumulated_values,
        expected,
    )
    # A line search asks for values alone.
    value = accumulated(loss, parts)(params, pieces)[0]
    assert float(value) == pytest.approx(float(expected[0][0]), rel=1e-12)


def test_one_piece_is_the_loss_itself():
    loss = objective(PROBLEM, toy.apply)
    assert accumulated(loss, 1) is loss
