"""Distances and norms of fields: one definition each, for losses, errors and pages."""

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Num

STRICTNESS = 20.0  # of `causal_l2`: times wait for errors of a twentieth of |truth|^2


def relative_l2(u: Num[Array, "*grid"], truth: Num[Array, "*grid"]) -> Float[Array, ""]:
    """|u - truth| / |truth| of one sample.

    Args:
        u: the field that is judged.
        truth: the field it should be, not zero.
    """
    return jnp.linalg.norm((u - truth).ravel()) / jnp.linalg.norm(truth.ravel())


def causal_l2(u: Num[Array, "*grid"], truth: Num[Array, "*grid"]) -> Float[Array, ""]:
    """The relative L2 distance with early times first; time is the last axis.

    A time counts exp(-`STRICTNESS` E), E the share of |truth|^2 that the errors before
    it make up; no gradient goes through the weights. Where what happens late depends on
    what happened early, a late error teaches nothing until the early ones are gone: an
    oscillation that is out of phase is best left alone, or flattened.

    Args:
        u: the field that is judged.
        truth: the field it should be, not zero.
    """
    squares = jnp.sum((u - truth).reshape(-1, u.shape[-1]) ** 2, 0) / jnp.sum(truth**2)
    before = jnp.cumsum(squares) - squares
    weights = jax.lax.stop_gradient(jnp.exp(-STRICTNESS * before))
    return jnp.sqrt(jnp.sum(weights * squares))


def squared_l2(u: Num[Array, "*grid"], truth: Num[Array, "*grid"]) -> Float[Array, ""]:
    """The paper's data loss: the squared L2 distance, averaged over nodes.

    Args:
        u: the field that is judged.
        truth: the field it should be.
    """
    return jnp.mean((u - truth) ** 2)


def mean_square(
    residual: Num[Array, "*nodes"], u: Any = None, inputs: Any = None
) -> Float[Array, ""]:
    """The paper's measure of a residual: its squared L2 norm, averaged over nodes.

    Args:
        residual: of one sample.
        u: what other measures need and this one does not.
        inputs: likewise.
    """
    del u, inputs
    return jnp.mean(residual**2)
