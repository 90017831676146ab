"""The contractions of a spectral layer, all of them real matrix products.

Fields are laid out (n_1, ..., n_d, batch, channels) and coefficients
(k_1, ..., k_d, 2, batch, channels), real and imaginary part next to the batch. Axis by
axis the contracted index then stands right behind those already done, so that every
product is a plain matrix product, or a batch of them, on the arrays as they lie in
memory. The same holds for the products of its derivative: no axis is moved in either
direction, which the tests count in the compiled program.
"""

import math
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp

Bases = Sequence[jax.Array]


def analyse(field: jax.Array, bases: Bases) -> jax.Array:
    """(*grid, batch, channels) -> (*modes, 2, batch, channels), bases (K_j, N_j)."""
    for axis, basis in enumerate(bases):
        rows = jnp.stack([basis.real, basis.imag], 1)
        if axis > 0:
            # Acts on a complex field: [[real, -imag], [imag, real]].
            rows = jnp.stack([rows, jnp.stack([-basis.imag, basis.real], 1)], 2)
        lead, rest = field.shape[:axis], field.shape[axis + 1 + (axis > 0) :]
        field = _apply(rows.reshape(2 * basis.shape[0], -1), field, lead)
        field = field.reshape(*lead, basis.shape[0], 2, *rest)
    return field


def synthesise(coefficients: jax.Array, bases: Bases) -> jax.Array:
    """(*modes, 2, batch, channels) -> (*grid, batch, channels), bases (N_j, K_j).

    The real part of the sum over modes; the last axis is done first.
    """
    field = coefficients
    for axis, basis in reversed(list(enumerate(bases))):
        rows = jnp.stack([basis.real, -basis.imag], -1)
        if axis > 0:
            rows = jnp.stack([rows, jnp.stack([basis.imag, basis.real], -1)])
        lead, rest = field.shape[:axis], field.shape[axis + 2 :]
        field = _apply(rows.reshape(-1, 2 * basis.shape[1]), field, lead)
        parts = (2,) if axis > 0 else ()
        field = field.reshape(*lead, *parts, basis.shape[0], *rest)
    return field


def _apply(rows: jax.Array, field: jax.Array, lead: Sequence[int]) -> jax.Array:
    """rows @ field over the axis behind `lead`, together with its pair of parts."""
    if not lead:
        return rows @ field.reshape(rows.shape[1], -1)
    count = math.prod(lead)
    # Told to contract with one matrix, XLA would move the axis; so each has its copy.
    copies = jnp.broadcast_to(rows, (count, *rows.shape))
    return copies @ field.reshape(count, rows.shape[1], -1)


def is_mixing_weight(leaf: Any) -> bool:
    """Whether an array of parameters is what `mix` takes, (*modes, in, 2, out).

    These are nearly all of a network's parameters.
    """
    return leaf.ndim >= 4 and leaf.shape[-2] == 2


def mix(
    coefficients: jax.Array,
    weights: jax.Array,
    dtype: jax.typing.DTypeLike | None = None,
) -> jax.Array:
    """A complex (in, out) matrix for each mode; weights are (*modes, in, 2, out).

    One real product yields the four partial products of each complex one. `dtype`, say
    bfloat16, is that of its operands.
    """
    *modes, _, batch, channels = coefficients.shape
    out = weights.shape[-1]
    a = coefficients.reshape(-1, 2 * batch, channels)
    b = weights.reshape(-1, channels, 2 * out)
    y = (a.astype(dtype) @ b.astype(dtype)).astype(a.dtype) if dtype else a @ b
    y = y.reshape(-1, 2, batch, 2, out)
    real = y[:, 0, :, 0] - y[:, 1, :, 1]
    imag = y[:, 0, :, 1] + y[:, 1, :, 0]
    return jnp.stack([real, imag], 1).reshape(*modes, 2, batch, out)
