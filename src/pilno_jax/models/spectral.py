"""The contractions of a spectral layer, all of them real matrix products.

Fields are laid out (n_1, ..., n_d, batch, channels) and coefficients
(k_1, ..., k_d, 2, batch, channels), real and imaginary part next to the batch. Axis by
axis the contracted index then stands first among those not yet (or no longer)
contracted, so every product is a plain matrix product or a batch of them on the
arrays as they lie in memory, and no axis is ever moved.

Autodiff would differentiate a product into others of permuted axes and pay for the
transposition; `matmul` brings its own derivative, which keeps the layout.
"""

import math
from collections.abc import Sequence
from functools import partial

import jax
import jax.numpy as jnp

from pilno_jax.bases import hermitian_weights

Bases = Sequence[jax.Array]


def _dot(a: jax.Array, b: jax.Array, transpose: str) -> jax.Array:
    """a b ("nn"), a b^T ("nt") or a^T b ("tn"), batched over the leading axes."""
    batch = tuple(range(a.ndim - 2))
    left = a.ndim - (2 if transpose[0] == "t" else 1)
    right = b.ndim - (1 if transpose[1] == "t" else 2)
    return jax.lax.dot_general(a, b, (((left,), (right,)), (batch, batch)))


@partial(jax.custom_vjp, nondiff_argnums=(2,))
def _own_vjp(a: jax.Array, b: jax.Array, transpose: str) -> jax.Array:
    return _dot(a, b, transpose)


def _forward(a: jax.Array, b: jax.Array, transpose: str):
    return _own_vjp(a, b, transpose), (a, b)


def _backward(transpose: str, operands, g: jax.Array):
    """The three products are closed under differentiation, hence to any order."""
    a, b = operands
    if transpose == "nn":
        return _own_vjp(g, b, "nt"), _own_vjp(a, g, "tn")
    if transpose == "nt":
        return _own_vjp(g, b, "nn"), _own_vjp(g, a, "tn")
    return _own_vjp(b, g, "nt"), _own_vjp(a, g, "nn")


_own_vjp.defvjp(_forward, _backward)


def matmul(a: jax.Array, b: jax.Array, forward_mode: bool = False) -> jax.Array:
    """a @ b of equal rank; `forward_mode` leaves differentiation to JAX, both ways."""
    return _dot(a, b, "nn") if forward_mode else _own_vjp(a, b, "nn")


def analyse(field: jax.Array, bases: Bases, forward_mode: bool = False) -> jax.Array:
    """(*grid, batch, channels) -> (*modes, 2, batch, channels); bases are (K_j, N_j)."""
    for axis, basis in enumerate(bases):
        real, imag = basis.real, basis.imag
        if axis == 0:
            rows = jnp.stack([real, imag], 1)
        else:
            rows = jnp.stack([jnp.stack([real, -imag], 1), jnp.stack([imag, real], 1)], 1)
        rows = rows.reshape(2 * basis.shape[0], -1)
        lead = field.shape[:axis]
        rest = field.shape[axis + (2 if axis else 1) :]
        field = _apply(rows, field, lead, forward_mode)
        field = field.reshape(*lead, basis.shape[0], 2, *rest)
    return field


def synthesise(
    coefficients: jax.Array, bases: Bases, forward_mode: bool = False
) -> jax.Array:
    """(*modes, 2, batch, channels) -> (*grid, batch, channels), the real part.

    Bases are (N_j, K_j).
    """
    field = coefficients
    for axis, basis in reversed(list(enumerate(bases))):
        real, imag = basis.real, basis.imag
        rows = jnp.stack([real, -imag], -1)
        if axis > 0:
            rows = jnp.stack([rows, jnp.stack([imag, real], -1)])
        rows = rows.reshape(-1, 2 * basis.shape[1])
        lead, rest = field.shape[:axis], field.shape[axis + 2 :]
        field = _apply(rows, field, lead, forward_mode)
        parts = (2,) if axis else ()
        field = field.reshape(*lead, *parts, basis.shape[0], *rest)
    return field


def _apply(rows: jax.Array, field: jax.Array, lead, forward_mode: bool) -> jax.Array:
    """rows @ field over the first axis after `lead` (with its real/imaginary pair)."""
    if not lead:
        return matmul(rows, field.reshape(rows.shape[1], -1), forward_mode)
    count = math.prod(lead)
    rows = jnp.broadcast_to(rows, (count, *rows.shape))
    return matmul(rows, field.reshape(count, rows.shape[2], -1), forward_mode)


def mix(
    coefficients: jax.Array,
    weights: jax.Array,
    forward_mode: bool = False,
    dtype: jax.typing.DTypeLike | None = None,
) -> jax.Array:
    """A complex (in, out) matrix for each mode; weights are (*modes, in, 2, out).

    One real product gives the four partial products of each complex one; `dtype`, say
    bfloat16, is that of its operands.
    """
    *modes, _, batch, channels = coefficients.shape
    out = weights.shape[-1]
    a = coefficients.reshape(-1, 2 * batch, channels)
    b = weights.reshape(-1, channels, 2 * out)
    if dtype is None:
        y = matmul(a, b, forward_mode)
    else:
        y = matmul(a.astype(dtype), b.astype(dtype), forward_mode).astype(a.dtype)
    y = y.reshape(-1, 2, batch, 2, out)
    real = y[:, 0, :, 0] - y[:, 1, :, 1]
    imag = y[:, 0, :, 1] + y[:, 1, :, 0]
    return jnp.stack([real, imag], 1).reshape(*modes, 2, batch, out)
