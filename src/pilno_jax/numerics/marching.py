"""What follows from states that follow one from the other,

    z_{k+1} = step(w, z_k, x_k),    u_k = output(w, z_k),

and how it depends on weights w, start z_0 and drive x. A state has few entries, weights
are many. Derivatives of a step are therefore made by reverse mode, and the answers to
all weights are marched on as one matrix,

    Z_{k+1} = (ds/dz) Z_k + ds/dw,    du_k/dw = (do/dz) Z_k + do/dw.

That is far less work than JAX' own forward mode does for a Jacobian with respect to
hundreds of weights: it sends every weight through every operation of a step.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax.custom_derivatives import SymbolicZero
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Float

State = Float[Array, " states"]
Output = Float[Array, " out"]
Step = Callable[[Any, State, Any], State]  # (weights, state, drive) -> the next state
Read = Callable[[Any, State], Output]


class Guide(NamedTuple):
    """What a march is pulled towards while it is learned.

    towards: what it should answer.
    pull: share of the distance that is taken away before each step, 0 to 1.
    """

    towards: Float[Array, "*batch times out"]
    pull: float | Float[Array, ""]


@functools.partial(jax.custom_jvp, nondiff_argnums=(0, 1))
def march(
    step: Step, output: Read, weights: Any, start: State, drive: Any
) -> Float[Array, "times out"]:
    """What is read off all states from the start on, one more than there are steps.

    Args:
        step: (weights, state, drive of the step) -> the next state.
        output: (weights, state) -> what is read off it.
        weights: a tree of arrays, the same in all steps.
        start: the first state.
        drive: a tree of arrays with the steps in front.
    """
    states = _states(step, weights, start, drive)
    return jax.vmap(output, in_axes=(None, 0))(weights, states)


def _states(step: Step, weights: Any, start: State, drive: Any) -> jax.Array:
    return _march_on(lambda z, x: step(weights, z, x), start, drive)


def _march_on(onwards: Callable[..., jax.Array], start: jax.Array, drive: Any) -> Any:
    """The start and what follows from it."""

    def both(z: jax.Array, x: Any) -> tuple[jax.Array, jax.Array]:
        z = onwards(z, x)
        return z, z

    _, later = jax.lax.scan(both, start, drive)
    return jnp.concatenate([start[None], later])


def _march_jvp(step: Step, output: Read, primals: tuple, tangents: tuple) -> tuple:
    weights, start, drive = primals
    *own, change_of_drive = tangents
    u = march(step, output, weights, start, drive)
    change = jnp.zeros_like(u)
    if not _all_zero(own):
        flat, _ = ravel_pytree(jax.tree.map(_made_real, own, is_leaf=_is_zero))
        change = answers(step, output, weights, start, drive) @ flat
    if not _all_zero(change_of_drive):
        real = jax.tree.map(_made_real, change_of_drive, is_leaf=_is_zero)
        _, moved = jax.jvp(
            lambda x: _states(step, weights, start, x), (drive,), (real,)
        )
        states = _states(step, weights, start, drive)
        slope = jax.vmap(jax.jacrev(output, argnums=1), in_axes=(None, 0))
        change = change + jax.vmap(jnp.matmul)(slope(weights, states), moved)
    return u, change


march.defjvp(_march_jvp, symbolic_zeros=True)


def answers(
    step: Step, output: Read, weights: Any, start: State, drive: Any
) -> Float[Array, "times out columns"]:
    """du/d(weights, start): a column for every weight, then for every state.

    Args:
        step: see `march`; so are the others.
        output: (weights, state) -> what is read off it.
        weights: a tree of arrays.
        start: the first state.
        drive: a tree of arrays with the steps in front.
    """
    entries = start.size
    slopes = jax.jacrev(step, argnums=(0, 1))
    read = jax.jacrev(output, argnums=(0, 1))
    number = sum(leaf.size for leaf in jax.tree.leaves(weights))
    at_start = jnp.eye(entries, number + entries, number, dtype=start.dtype)

    def at(z: State, moved: jax.Array) -> jax.Array:
        by_weights, by_state = read(weights, z)
        return by_state @ moved + _beside_states(by_weights, entries)

    def onwards(carry: tuple[State, jax.Array], x: Any) -> tuple[Any, jax.Array]:
        z, moved = carry
        by_weights, by_state = slopes(weights, z, x)
        following = by_state @ moved + _beside_states(by_weights, entries)
        return (step(weights, z, x), following), at(z, moved)

    last, found = jax.lax.scan(onwards, (start, at_start), drive)
    return jnp.concatenate([found, at(*last)[None]])


def _beside_states(slopes: Any, entries: int) -> Float[Array, "rows columns"]:
    """The slopes of all weights as one matrix, and zeros for the start."""
    flat = [leaf.reshape(len(leaf), -1) for leaf in jax.tree.leaves(slopes)]
    nothing = jnp.zeros((len(flat[0]), entries), flat[0].dtype)
    return jnp.concatenate([*flat, nothing], -1)


def _is_zero(change: Any) -> bool:
    return isinstance(change, SymbolicZero)


def _all_zero(changes: Any) -> bool:
    return all(map(_is_zero, jax.tree.leaves(changes, is_leaf=_is_zero)))


def _made_real(change: Any) -> jax.Array:
    return jnp.zeros(change.shape, change.dtype) if _is_zero(change) else change
