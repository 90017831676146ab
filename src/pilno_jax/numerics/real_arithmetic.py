"""Complex arithmetic in real numbers: operations of pairs of real and imaginary parts.

`RULES` has them by the names of JAX's primitives. A Fourier transform is a product with
the matrix of its waves.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.core import Tracer


class Pair(NamedTuple):
    """A complex array, in real ones; `imag` is None where it is known to be zero."""

    real: Any
    imag: Any


def bound(operation: Any, operands: Sequence[Any]) -> Sequence[Any]:
    """The answers of an operation as it is."""
    if operation.primitive.name == "stack":  # too new for other formats
        axis = operation.params["axis"]
        return [jnp.concatenate([jnp.expand_dims(x, axis) for x in operands], axis)]
    answer = operation.primitive.bind(*operands, **operation.params)
    return answer if operation.primitive.multiple_results else [answer]


def is_complex(value: Any) -> bool:
    return jnp.issubdtype(value.dtype, jnp.complexfloating)


def pair_of(value: Any) -> Pair:
    if isinstance(value, Pair):
        return value
    if isinstance(value, Tracer):
        return Pair(value, None)
    constant = np.asarray(value)
    imag = np.imag(constant) if is_complex(constant) else None
    return Pair(np.real(constant), imag)


def whole_pair(value: Any) -> Pair:
    """With an imaginary part, zero or not, and both parts arrays of JAX."""
    pair = pair_of(value)
    return Pair(jnp.asarray(pair.real), jnp.asarray(_imag(pair)))


def _imag(pair: Pair) -> Any:
    return jnp.zeros_like(pair.real) if pair.imag is None else pair.imag


def _each_part(operation: Any, *pairs: Pair) -> Pair:
    """Of a linear operation, which the two parts go through by themselves."""
    real = bound(operation, [pair.real for pair in pairs])[0]
    if all(pair.imag is None for pair in pairs):
        return Pair(real, None)
    return Pair(real, bound(operation, [_imag(pair) for pair in pairs])[0])


def _bilinear(operation: Any, a: Pair, b: Pair) -> Pair:
    """A product, of matrices or entry by entry."""
    options = dict(operation.params)
    if options.get("preferred_element_type") is not None:
        options["preferred_element_type"] = jnp.dtype(a.real.dtype)

    def times(x: Any, y: Any) -> Any:
        return operation.primitive.bind(jnp.asarray(x), jnp.asarray(y), **options)

    return _product(times, a, b)


def _product(times: Callable[[Any, Any], Any], a: Pair, b: Pair) -> Pair:
    real = times(a.real, b.real)
    if a.imag is None:
        return Pair(real, None if b.imag is None else times(a.real, b.imag))
    if b.imag is None:
        return Pair(real, times(a.imag, b.real))
    imag = times(a.real, b.imag) + times(a.imag, b.real)
    return Pair(real - times(a.imag, b.imag), imag)


def _quotient(operation: Any, a: Pair, b: Pair) -> Pair:
    if b.imag is None:
        return Pair(a.real / b.real, None if a.imag is None else a.imag / b.real)
    size = b.real**2 + b.imag**2
    return _product(jnp.multiply, a, Pair(b.real / size, -b.imag / size))


def _exponential(operation: Any, z: Pair) -> Pair:
    growth, angle = jnp.exp(z.real), _imag(z)
    return Pair(growth * jnp.cos(angle), growth * jnp.sin(angle))


def _conjugate(operation: Any, z: Pair) -> Pair:
    return Pair(z.real, None if z.imag is None else -z.imag)


def _converted(operation: Any, z: Pair) -> Any:
    """Between real and complex, or between precisions."""
    wanted = operation.params["new_dtype"]
    part = np.zeros((), wanted).real.dtype
    real = lax.convert_element_type(z.real, part)
    if not jnp.issubdtype(wanted, jnp.complexfloating):
        return real
    imag = None if z.imag is None else lax.convert_element_type(z.imag, part)
    return Pair(real, imag)


def _fourier(operation: Any, z: Pair) -> Any:
    """Transforms of the last axes, one after the other; real ones end or begin last."""
    lengths, kind = operation.params["fft_lengths"], operation.params["fft_type"].name
    axes = range(z.real.ndim - len(lengths), z.real.ndim)
    several = list(zip(axes, lengths, strict=True))
    last_axis, last_length = several[-1]
    rest = several if kind in ("FFT", "IFFT") else several[:-1]
    if kind == "RFFT":
        z = _along(last_axis, _waves(last_length, -1)[: last_length // 2 + 1], z)
    sign = 1 if kind in ("IFFT", "IRFFT") else -1
    for axis, length in rest:
        z = _along(axis, _waves(length, sign), z)
    if kind != "IRFFT":
        return z
    # Negative frequencies count by the conjugates that stand for them.
    count = last_length // 2 + 1
    weights = np.where(2 * np.arange(count) % last_length == 0, 1.0, 2.0)
    return _along(last_axis, weights * _waves(last_length, 1)[:, :count], z).real


def _waves(length: int, sign: int) -> np.ndarray:
    """The matrix of a Fourier transform, its inverse's for the sign 1."""
    # Whole turns taken out: the angles of large products would be rounded.
    turns = np.outer(np.arange(length), np.arange(length)) % length / length
    matrix = np.exp(sign * 2j * np.pi * turns)
    return matrix / length if sign > 0 else matrix


def _along(axis: int, matrix: np.ndarray, z: Pair) -> Pair:
    def times(rows: Any, x: Any) -> Any:
        return jnp.moveaxis(jnp.matmul(jnp.moveaxis(x, axis, -1), rows.T), -1, axis)

    parts = (part.astype(z.real.dtype) for part in (np.real(matrix), np.imag(matrix)))
    return _product(times, Pair(*parts), z)


LINEAR = "add sub neg slice squeeze reshape transpose concatenate broadcast_in_dim "
LINEAR += "pad reduce_sum rev stack"
RULES: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(LINEAR.split(), _each_part),
    "mul": _bilinear,
    "dot_general": _bilinear,
    "div": _quotient,
    "exp": _exponential,
    "conj": _conjugate,
    "convert_element_type": _converted,
    "complex": lambda operation, real, imag: Pair(real.real, imag.real),
    "real": lambda operation, z: z.real,
    "imag": lambda operation, z: _imag(z),
    "fft": _fourier,
}
