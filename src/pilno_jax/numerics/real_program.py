"""A function's program in real arithmetic, for formats that know little else.

Formats for neural networks know neither complex numbers nor, in practice, the FFT or
factors of a matrix. The program is walked operation by operation: what depends on no
argument is computed at once, a complex array that does becomes a pair of real ones,
a Fourier transform a product with the matrix of its waves, and the solution of a dense
system of equations an elimination.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.core import Tracer
from jax.extend.core import ClosedJaxpr, Literal

from pilno_jax.numerics.elimination import solve_by_elimination
from pilno_jax.numerics.real_arithmetic import (
    RULES,
    Pair,
    bound,
    is_complex,
    pair_of,
    whole_pair,
)


class Factors(NamedTuple):
    """What stands for the factors of a matrix, which the elimination does without."""

    matrix: Any


def real_program(function: Callable, *arguments: Any) -> ClosedJaxpr:
    """What a function does, up to rounding, with real numbers alone.

    Args:
        function: of real arrays, or trees of them, with real answers.
        arguments: what it is called with, or shapes and types of that. The program
            takes and returns their leaves.

    Raises:
        NotImplementedError: The function does with complex arrays what none of the
            `RULES` is for, or with factors of a matrix anything but solve a system.
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
            return bound(operation, operands)
    if name in STRUCTURES:
        return STRUCTURES[name](operation, operands)
    if any(isinstance(operand, Factors) for operand in operands):
        text = f"{name} of a matrix's factors has no form without them: see {__name__}"
        raise NotImplementedError(text)
    atoms = (*operation.invars, *operation.outvars)
    if not any(is_complex(atom.aval) for atom in atoms):
        return bound(operation, operands)
    if name not in RULES:
        text = f"{name} of complex arrays has no form in real ones: see {__name__}"
        raise NotImplementedError(text)
    return [RULES[name](operation, *map(pair_of, operands))]


def _counted_loop(operation: Any, operands: Sequence[Any]) -> Sequence[Any]:
    """A scan whose step is walked in its turn, complex arrays as pairs throughout."""
    params, step = operation.params, operation.params["jaxpr"]
    last_constant = params["num_consts"]
    constants = operands[:last_constant]

    def once(carried: list[Any], entries: list[Any]) -> tuple[list[Any], list[Any]]:
        given = [*constants, *carried, *entries]
        answers = _walk(step.jaxpr, step.consts, given)
        arrays = _arrays(answers, step.jaxpr.outvars)
        return arrays[: len(carried)], arrays[len(carried) :]

    given = _arrays(operands[last_constant:], operation.invars[last_constant:])
    carried, entries = given[: params["num_carry"]], given[params["num_carry"] :]
    options = {"length": params["length"], "reverse": params["reverse"]}
    last, collected = lax.scan(once, carried, entries, **options)
    return [*last, *collected]


def _open_loop(operation: Any, operands: Sequence[Any]) -> Sequence[Any]:
    """A while_loop, walked likewise. Whether it goes on is part of what it carries,
    because jax2onnx loses the constants of conditions."""
    params = operation.params
    condition, step = params["cond_jaxpr"], params["body_jaxpr"]
    first = params["cond_nconsts"]
    last_constant = first + params["body_nconsts"]

    def goes_on(carried: list[Any]) -> jax.Array:
        given = [*operands[:first], *carried]
        return jnp.asarray(_walk(condition.jaxpr, condition.consts, given)[0])

    def once(state: tuple[jax.Array, list[Any]]) -> tuple[jax.Array, list[Any]]:
        given = [*operands[first:last_constant], *state[1]]
        answers = _walk(step.jaxpr, step.consts, given)
        carried = _arrays(answers, step.jaxpr.outvars)
        return goes_on(carried), carried

    start = _arrays(operands[last_constant:], operation.invars[last_constant:])
    return lax.while_loop(lambda state: state[0], once, (goes_on(start), start))[1]


def _arrays(values: Sequence[Any], atoms: Sequence[Any]) -> list[Any]:
    """What loops can carry."""
    return [
        whole_pair(value)
        if is_complex(atom.aval)
        else jnp.asarray(value, atom.aval.dtype)
        for value, atom in zip(values, atoms, strict=True)
    ]


def _solved(operation: Any, operands: Sequence[Any]) -> Sequence[Any]:
    """A linear system, by elimination if a matrix is factorised for it."""
    counts = operation.params["const_lengths"]
    first = counts.matvec + counts.vecmat
    constants = operands[first : first + counts.solve]
    right = operands[sum(counts) :]
    factors = [value for value in constants if isinstance(value, Factors)]
    if not factors:
        solve = operation.params["jaxprs"].solve
        return _walk(solve.jaxpr, solve.consts, [*constants, *right])
    matrix, (vector,) = factors[0].matrix, right
    if matrix.shape[:-1] != vector.shape or is_complex(operation.outvars[0].aval):
        text = "Systems have a form with real matrices alone, of one right side each."
        raise NotImplementedError(text)
    return [solve_by_elimination(jnp.asarray(matrix), jnp.asarray(vector))]


def _factors(operation: Any, operands: Sequence[Any]) -> Sequence[Any]:
    return [Factors(*operands)] * len(operation.outvars)


def _is_copy(operation: Any, operands: Sequence[Any]) -> bool:
    """Copies of a matrix are made where they are used: a file keeps it once."""
    repeats = operation.primitive.name == "broadcast_in_dim"
    return repeats and np.ndim(operands[0]) > 1 and not is_complex(operands[0])


def _depends(value: Any) -> bool:
    return isinstance(value, Pair | Factors | Tracer)


# Operations that call another program, and where they have it.
CALLS = {"jit": "jaxpr", "custom_jvp_call": "call_jaxpr"}
# Operations that are made of others.
STRUCTURES: dict[str, Callable[[Any, Sequence[Any]], Sequence[Any]]] = {
    "scan": _counted_loop,
    "while": _open_loop,
    "lu": _factors,
    "custom_linear_solve": _solved,
}
