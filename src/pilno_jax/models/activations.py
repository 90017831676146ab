"""Activations by name, each in the form that XLA vectorises."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

# Minimax coefficients of sin(r) = r + r^3 P(r^2) on [-pi/2, pi/2]; error 5e-9.
_SINE = (-1.6666657096e-1, 8.333017291e-3, -1.980661517e-4, 2.6000547e-6)
# pi in two parts: the first has few enough bits for n * PI_HIGH to be exact.
_PI_HIGH, _PI_LOW = 3.140625, 9.67653589793e-4


@jax.custom_jvp
def sine(x: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
    """sin(x) by range reduction and an odd polynomial.

    XLA-CPU calls a scalar routine for `jnp.sin`, eight times the cost of a tanh. The
    polynomial has single precision; in double precision it is left to `jnp.sin`.
    """
    if x.dtype == jnp.float64:
        return jnp.sin(x)
    n = jnp.round(x / jnp.pi)
    r = (x - n * _PI_HIGH) - n * _PI_LOW
    square = r * r
    a, b, c, d = _SINE
    odd = r + r * square * (a + square * (b + square * (c + square * d)))
    return odd * (1 - 2 * jnp.abs(n - 2 * jnp.round(n / 2)))


@sine.defjvp
def _sine_jvp(primals, tangents):
    (x,), (dx,) = primals, tangents
    return sine(x), sine(x + jnp.pi / 2) * dx


def gelu(x: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
    """The tanh form: erf does not vectorise on every backend, tanh does."""
    return jax.nn.gelu(x, approximate=True)


ACTIVATIONS: dict[str, Callable[[jax.Array], jax.Array]] = {
    "tanh": jnp.tanh,
    "gelu": gelu,
    "sin": sine,
    # A linear network, whose poles can be held against those of a linear system.
    "identity": lambda x: x,
}
