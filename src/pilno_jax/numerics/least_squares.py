"""Zeros of many equations at once: Gauss-Newton with a shared preconditioner.

    W = preconditioner(rows_of_one, x)            # once, from its exact Jacobian
    found = gauss_newton(rows, W, start)          # for each of many, vmapped

Each step solves its own least-squares problem by conjugate gradients. Where samples
of one family differ little, the Jacobian of one preconditions all others so well that
a few iterations are enough, and nothing of the size n^3 is done per sample.
"""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int

Vector = Float[Array, " n"]
Rows = Callable[[Vector], Float[Array, " m"]]

# Directions that change no row are damped by this share of the mean square column.
DAMPING = 1e-13
# What a step leaves of its linear equations; the steps after it take the rest.
LINEAR_TOLERANCE = 1e-4
MOST_ITERATIONS = 300
# A step is tried at these lengths, and the best is taken.
STEP_LENGTHS = (1.0, 0.5, 0.25, 0.1, 0.03, 0.01)


class Zero(NamedTuple):
    """A point and how near it is to a least-squares solution.

    Attributes:
        x: the point.
        change: the size of the last step, relative to what `size` said.
        steps: how many were taken.
    """

    x: Vector
    change: Float[Array, ""]
    steps: Int[Array, ""]


def preconditioner(rows: Rows, x: Vector) -> Float[Array, "n n"]:
    """W with W (J^T J + damping) W^T = 1, J the exact Jacobian of the rows at x.

    Args:
        rows: the equations, more of them than unknowns or not.
        x: where they are linearised. n^3 operations and 3 n^2 numbers of memory.
    """
    _, jvp = jax.linearize(rows, x)
    identity = jnp.eye(x.size, dtype=x.dtype)
    jacobian = jax.vmap(jvp, out_axes=1)(identity)
    normal = jacobian.T @ jacobian
    damping = DAMPING * jnp.trace(normal) / x.size
    lower = jnp.linalg.cholesky(normal + damping * identity)
    return jax.scipy.linalg.solve_triangular(lower, identity, lower=True)


def gauss_newton(
    rows: Rows,
    shared: Float[Array, "n n"],
    start: Zero,
    size: Callable[[Vector, Vector], Float[Array, ""]],
    tolerance: float,
    most_steps: int,
) -> Zero:
    """Steps from a start until they are small, or there were too many of them.

    Args:
        rows: the equations; the sum of their squares falls with every step.
        shared: of `preconditioner`, for these rows or similar ones.
        start: where to begin, and how many steps led there. One whose `change` is below
            the tolerance stays as it is.
        size: (change of x, x) -> how large a change is, relative to x.
        tolerance: a step of that size is the last.
        most_steps: from the start on.
    """

    def goes_on(state: tuple[Zero, Int[Array, ""]]) -> Bool[Array, ""]:
        now, taken = state
        return (now.change > tolerance) & (taken < most_steps)

    def step(state: tuple[Zero, Int[Array, ""]]) -> tuple[Zero, Int[Array, ""]]:
        now, taken = state
        direction = newton_direction(rows, shared, now.x)
        lengths = jnp.asarray(STEP_LENGTHS, now.x.dtype)

        def value(length: Float[Array, ""]) -> Float[Array, ""]:
            norm = jnp.linalg.norm(rows(now.x + length * direction))
            return jnp.where(jnp.isfinite(norm), norm, jnp.inf)

        change = lengths[jnp.argmin(jax.vmap(value)(lengths))] * direction
        after = Zero(now.x + change, size(change, now.x + change), now.steps + 1)
        return after, taken + 1

    return jax.lax.while_loop(goes_on, step, (start, jnp.int32(0)))[0]


def newton_direction(rows: Rows, shared: Float[Array, "n n"], x: Vector) -> Vector:
    """The least-squares solution d of  J d = -rows(x), by conjugate gradients.

    Args:
        rows: the equations.
        shared: of `preconditioner`: unknowns are W^T times what is iterated.
        x: where they are linearised.
    """
    values, jvp = jax.linearize(rows, x)
    transposed = jax.linear_transpose(jvp, x)

    def forward(p: Vector) -> Float[Array, " m"]:
        return jvp(shared.T @ p)

    def backward(r: Float[Array, " m"]) -> Vector:
        return shared @ transposed(r)[0]

    def goes_on(state: tuple) -> Bool[Array, ""]:
        *_, square, iterations = state
        large = square > LINEAR_TOLERANCE**2 * first_square
        return large & (iterations < MOST_ITERATIONS)

    def iterate(state: tuple) -> tuple:
        y, left, p, square, iterations = state
        q = forward(p)
        length = square / jnp.vdot(q, q)
        left = left - length * q
        gradient = backward(left)
        following = jnp.vdot(gradient, gradient)
        p_next = gradient + following / square * p
        return y + length * p, left, p_next, following, iterations + 1

    gradient = backward(-values)
    first_square = jnp.vdot(gradient, gradient)
    start = (jnp.zeros_like(x), -values, gradient, first_square, jnp.int32(0))
    return shared.T @ jax.lax.while_loop(goes_on, iterate, start)[0]
