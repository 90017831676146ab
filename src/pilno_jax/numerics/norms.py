"""Distances and norms of fields: one definition each, for losses, errors and pages."""

from typing import Any

import jax.numpy as jnp
from jaxtyping import Array, Float, Num


def relative_l2(u: Num[Array, "*grid"], truth: Num[Array, "*grid"]) -> Float[Array, ""]:
    """|u - truth| / |truth| of one sample.

    Args:
        u: the field that is judged.
        truth: the field it should be, not zero.
    """
    return jnp.linalg.norm((u - truth).ravel()) / jnp.linalg.norm(truth.ravel())


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
