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

import jax
import jax.numpy as jnp
from jaxtyping import Array, Complex, Float

# A matrix for each axis, or one for every mode of the axes before it.
Bases = Sequence[Complex[Array, "... _ _"]]


def analyse(
    field: Float[Array, "*grid batch channels"], bases: Bases
) -> Float[Array, "*modes 2 batch channels"]:
    """Coefficients of a field; the basis of axis j is a matrix (K_j, N_j)."""
    for axis, basis in enumerate(bases):
        rows = jnp.stack([basis.real, basis.imag], -2)
        if axis > 0:
            # Acts on a complex field: [[real, -imag], [imag, real]].
            rows = jnp.stack([rows, jnp.stack([-basis.imag, basis.real], -2)], -2)
        lead, rest = field.shape[:axis], field.shape[axis + 1 + (axis > 0) :]
        *own, modes, _ = basis.shape
        field = _apply(rows.reshape(*own, 2 * modes, -1), field, lead)
        field = field.reshape(*lead, modes, 2, *rest)
    return field


def synthesise(
    coefficients: Float[Array, "*modes 2 batch channels"], bases: Bases
) -> Float[Array, "*grid batch channels"]:
    """The real part of the sum over modes; the basis of axis j is (N_j, K_j).

    The last axis is done first.
    """
    field = coefficients
    for axis, basis in reversed(list(enumerate(bases))):
        rows = jnp.stack([basis.real, -basis.imag], -1)
        if axis > 0:
            rows = jnp.stack([rows, jnp.stack([basis.imag, basis.real], -1)], -4)
        lead, rest = field.shape[:axis], field.shape[axis + 2 :]
        *own, nodes, modes = basis.shape
        field = _apply(rows.reshape(*own, -1, 2 * modes), field, lead)
        parts = (2,) if axis > 0 else ()
        field = field.reshape(*lead, *parts, nodes, *rest)
    return field


def _apply(
    rows: Float[Array, "*modes out in"], field: Float[Array, "..."], lead: Sequence[int]
) -> Float[Array, "..."]:
    """rows @ field over the axis behind `lead`, together with its pair of parts."""
    if not lead:
        return rows @ field.reshape(rows.shape[1], -1)
    count = math.prod(lead)
    # With one matrix for all, XLA would transpose the field. A copy of the matrix for
    # each leading index makes it a batched product, which leaves the field in place.
    copies = jnp.broadcast_to(rows, (*lead, *rows.shape[-2:]))
    copies = copies.reshape(count, *rows.shape[-2:])
    return copies @ field.reshape(count, rows.shape[-1], -1)


def mix(
    coefficients: Float[Array, "*modes 2 batch in"],
    weights: Float[Array, "*modes in 2 out"],
    dtype: jax.typing.DTypeLike | None = None,
) -> Float[Array, "*modes 2 batch out"]:
    """Multiply the coefficients of each mode by its complex (in, out) matrix.

    One real product yields the four partial products of each complex one.

    Args:
        coefficients: real and imaginary part of each mode, see above.
        weights: real and imaginary part of each matrix stand before its columns.
        dtype: of the product's operands, say "bfloat16"; None keeps theirs.
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
