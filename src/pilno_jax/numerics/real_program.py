"""A function's program in real arithmetic, its Fourier transforms as matrix products.

Formats for neural networks know neither complex numbers nor, in practice, the FFT. The
program is walked operation by operation: what depends on no argument is computed at
once, a complex array that does becomes a pair of real ones, and a Fourier transform a
product with the matrix of its waves.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.core import Tracer
from jax.extend.core import ClosedJaxpr, Literal


class Pair(NamedTuple):
    """A complex array, in real ones; `imag` is None where it is known to be zero."""

    real: Any
    imag: Any


def real_program(function: Callable, *arguments: Any) -> ClosedJaxpr:
    """What a function does, up to rounding, with real numbers alone.

    Args:
        function: of real arrays, or trees of them, with real answers.
        arguments: what it is called with, or shapes and types of that. The program
            takes and returns their leaves.

    Raises:
        NotImplementedError: The function does with complex arrays what none of the
            `RULES` is for.
    """

    def real(*arguments: Any) -> list[jax.Array]:
        program = jax.make_jaxpr(function)(*arguments)
        answers = _walk(program.jaxpr, program.consts, jax.tree.leaves(arguments))
        return [jnp.asarray(answer) for answer in answers]

    return jax.make_jaxpr(real)(*arguments)


def _walk(jaxpr: Any, constants: Sequence[Any], arguments: Sequence[Any]) -> list[Any]:
    """The answers of a program for these arguments."""
    values: dict[Any, Any] = {}
    values.update(zip(jaxpr.constvars, constants, strict=True))
    values.update(zip(jaxpr.invars, arguments, strict=True))

    def value(atom: Any) -> Any:
        return atom.val if isinstance(atom, Literal) else values[atom]

    for operation in jaxpr.eqns:
        operands = [value(atom) for atom in operation.invars]
        answers = _carried_out(operation, operands)
        values.update(zip(operation.outvars, answers, strict=True))
    return [value(atom) for atom in jaxpr.outvars]


def _carried_out(operation: Any, operands: list[Any]) -> Sequence[Any]:
    name = operation.primitive.name
    if name in CALLS:
        inner = operation.params[CALLS[name]]
        return _walk(inner.jaxpr, inner.consts, operands)
    if not any(map(_depends, operands)) and not _is_copy(operation, operands):
        with jax.ensure_compile_time_eval():
            return _bound(operation, operands)
    if name == "scan":
        return _loop(operation, operands)
    atoms = (*operation.invars, *operation.outvars)
    if not any(_is_complex(atom.aval) for atom in atoms):
        return _bound(operation, operands)
    if name not in RULES:
        text = f"{name} of complex arrays has no form in real ones: see {__name__}"
        raise NotImplementedError(text)
    return [RULES[name](operation, *map(_pair, operands))]


def _loop(operation: Any, operands: Sequence[Any]) -> Sequence[Any]:
    """A scan whose step is walked in its turn, complex arrays as pairs throughout."""
    params, step = operation.params, operation.params["jaxpr"]
    last_constant = params["num_consts"]
    last_carried = last_constant + params["num_carry"]
    constants = operands[:last_constant]
    whole = [
        _whole_pair(value) if _is_complex(atom.aval) else value
        for value, atom in zip(operands, operation.invars, strict=True)
    ]

    def once(carried: list[Any], entries: list[Any]) -> tuple[list[Any], list[Any]]:
        given = [*constants, *carried, *entries]
        answers = [
            _whole_pair(answer) if _is_complex(atom.aval) else jnp.asarray(answer)
            for answer, atom in zip(
                _walk(step.jaxpr, step.consts, given), step.jaxpr.outvars, strict=True
            )
        ]
        return answers[: len(carried)], answers[len(carried) :]

    carried, entries = whole[last_constant:last_carried], whole[last_carried:]
    options = {"length": params["length"], "reverse": params["reverse"]}
    last, collected = lax.scan(once, carried, entries, **options)
    return [*last, *collected]


def _bound(operation: Any, operands: Sequence[Any]) -> Sequence[Any]:
    if operation.primitive.name == "stack":  # too new for other formats
        axis = operation.params["axis"]
        return [jnp.concatenate([jnp.expand_dims(x, axis) for x in operands], axis)]
    answer = operation.primitive.bind(*operands, **operation.params)
    return answer if operation.primitive.multiple_results else [answer]


def _depends(value: Any) -> bool:
    return isinstance(value, Pair | Tracer)


def _is_complex(value: Any) -> bool:
    return jnp.issubdtype(value.dtype, jnp.complexfloating)


def _is_copy(operation: Any, operands: Sequence[Any]) -> bool:
    """Copies of a matrix are made where they are used: a file keeps it once."""
    repeats = operation.primitive.name == "broadcast_in_dim"
    return repeats and np.ndim(operands[0]) > 1 and not _is_complex(operands[0])


def _pair(value: Any) -> Pair:
    if isinstance(value, Pair):
        return value
    if _depends(value):
        return Pair(value, None)
    constant = np.asarray(value)
    imag = np.imag(constant) if _is_complex(constant) else None
    return Pair(np.real(constant), imag)


def _whole_pair(value: Any) -> Pair:
    """With an imaginary part, zero or not, and both parts arrays of JAX."""
    pair = _pair(value)
    return Pair(jnp.asarray(pair.real), jnp.asarray(_imag(pair)))


def _imag(pair: Pair) -> Any:
    return jnp.zeros_like(pair.real) if pair.imag is None else pair.imag


def _each_part(operation: Any, *pairs: Pair) -> Pair:
    """Of a linear operation, which the two parts go through by themselves."""
    real = _bound(operation, [pair.real for pair in pairs])[0]
    if all(pair.imag is None for pair in pairs):
        return Pair(real, None)
    return Pair(real, _bound(operation, [_imag(pair) for pair in pairs])[0])


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


# Operations that call another program, and where they have it.
CALLS = {"jit": "jaxpr", "custom_jvp_call": "call_jaxpr"}
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
