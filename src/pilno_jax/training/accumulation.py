"""Large batches in the memory of small ones: gradients added up piece by piece."""

from typing import Any

import jax
import jax.numpy as jnp

from pilno_jax.operators import Params
from pilno_jax.training.objective import Batch, Loss, Terms


def accumulated(loss: Loss, parts: int) -> Loss:
    """The same function in the memory of one of `parts` equal pieces of the batch.

    Every term is a mean over samples, so pieces of equal size average to the whole
    (see `batches.divisible`). Gradients are added up piece by piece: differentiating
    the loop instead would keep every piece's activations, or compute them twice.

    Args:
        loss: (params, batch) -> (total, terms), each a mean over the batch's samples.
        parts: pieces the batch is cut into; 1 returns `loss` itself.
    """
    if parts == 1:
        return loss

    def pieces(batch: Batch) -> Batch:
        return jax.tree.map(lambda x: x.reshape(parts, -1, *x.shape[1:]), batch)

    def average(stacked: Any) -> Any:
        return jax.tree.map(lambda x: jnp.mean(x, 0), stacked)

    @jax.custom_vjp
    def whole(params: Params, batch: Batch) -> tuple[jax.Array, Terms]:
        return average(jax.lax.map(lambda piece: loss(params, piece), pieces(batch)))

    def forward(params: Params, batch: Batch):
        def add(total: Params, piece: Batch):
            values, gradient = jax.value_and_grad(loss, has_aux=True)(params, piece)
            return jax.tree.map(jnp.add, total, gradient), values

        start = jax.tree.map(jnp.zeros_like, params)
        total, values = jax.lax.scan(add, start, pieces(batch))
        return average(values), jax.tree.map(lambda x: x / parts, total)

    def backward(gradient: Params, cotangent: tuple[jax.Array, Terms]):
        return jax.tree.map(lambda x: cotangent[0] * x, gradient), None

    whole.defvjp(forward, backward)

    def value_and_terms(params: Params, batch: Batch) -> tuple[jax.Array, Terms]:
        value, terms = whole(params, batch)
        # Only the value's gradient was kept.
        return value, jax.lax.stop_gradient(terms)

    return value_and_terms
