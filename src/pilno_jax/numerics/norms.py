"""Distances and norms of fields: one definition each, for losses, errors and pages."""

from typing import Any

import jax
import jax.numpy as jnp


def relative_l2(u: jax.Array, truth: jax.Array) -> jax.Array:
    """|u - truth| / |truth| of one sample."""
    return jnp.linalg.norm((u - truth).ravel()) / jnp.linalg.norm(truth.ravel())


def squared_l2(u: jax.Array, truth: jax.Array) -> jax.Array:
    """The paper's data loss: the squared L2 distance, averaged over nodes."""
    return jnp.mean((u - truth) ** 2)


def mean_square(residual: jax.Array, u: Any = None, inputs: Any = None) -> jax.Array:
    """The paper's measure of a residual: its squared L2 norm, averaged over nodes.

    u and inputs are what other measures need and this one does not.
    """
    del u, inputs
    return jnp.mean(residual**2)
