"""The discrete Darcy operator, and its solution by conjugate gradients."""

import functools
from collections.abc import Callable

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from pilno_jax.numerics.poisson import solve_poisson

XFaces = Float[Array, "n-1 n-2"]
YFaces = Float[Array, "n-2 n-1"]


def flow(u: Float[Array, "n n"], a_x: XFaces, a_y: YFaces) -> Float[Array, "n-2 n-2"]:
    """-div(a grad u) at the interior nodes, (n - 2, n - 2).

    Differences of neighbours come first: they are exact in floating point, which is
    what keeps the float32 reference accurate despite the division by h^2.

    Args:
        u: pressure on all nodes.
        a_x: coefficients of the faces across x.
        a_y: coefficients of the faces across y.
    """
    flux_x = a_x * jnp.diff(u[:, 1:-1], axis=0)
    flux_y = a_y * jnp.diff(u[1:-1], axis=1)
    squared_spacing = 1.0 / (u.shape[0] - 1) ** 2
    return -(jnp.diff(flux_x, axis=0) + jnp.diff(flux_y, axis=1)) / squared_spacing


@functools.partial(jax.jit, static_argnames="max_steps")
def solve_flow(
    a_x: Float[Array, "edges inner"],
    a_y: Float[Array, "inner edges"],
    max_steps: int = 1000,
    source: Float[Array, "inner inner"] | None = None,
) -> Float[Array, "n n"]:
    """u (n, n), zero on the boundary, with -div(a grad u) = f. NaN if not converged.

    Conjugate gradients, preconditioned by the constant-coefficient Laplacian. They
    converge like ((sqrt(c) - 1) / (sqrt(c) + 1))^steps where c is the contrast
    max a / min a, whatever the grid. Being a linear solve to JAX, it is differentiable
    in a, at the price of one more solve.

    Args:
        a_x: coefficients of the faces across x.
        a_y: coefficients of the faces across y.
        max_steps: after which the answer is NaN. Default 1000; a contrast of 4 takes
            about 12 in float32.
        source: f on the interior nodes. Default: 1.
    """
    n = a_x.shape[0] + 1
    if source is None:
        source = jnp.ones((n - 2, n - 2), a_x.dtype)

    def apply(v: jax.Array) -> jax.Array:
        return flow(jnp.pad(v, 1), a_x, a_y)

    def solve(apply: Callable, right: jax.Array) -> jax.Array:
        return conjugate_gradients(apply, right, solve_poisson, max_steps)

    solution = jax.lax.custom_linear_solve(apply, source, solve, symmetric=True)
    return jnp.pad(solution, 1)


def conjugate_gradients(
    apply: Callable, right: jax.Array, precondition: Callable, max_steps: int = 1000
) -> jax.Array:
    """v with apply(v) = right. NaN if not converged: until the residual's H^-1 norm,
    which is equivalent to the energy norm of the error, is rounding alone.

    Args:
        apply: symmetric and positive.
        right: the right side.
        precondition: the inverse of `apply` in the medium a = 1.
        max_steps: after which the answer is NaN. Default 1000.
    """
    tolerance = max(10 * float(jnp.finfo(right.dtype).eps), 1e-12)

    def going_on(state):
        *_, squared, step = state
        return (squared > target) & (step < max_steps)

    def advance(state):
        v, residual, direction, squared, step = state
        image = apply(direction)
        length = squared / jnp.vdot(direction, image)
        v = v + length * direction
        residual = residual - length * image
        correction = precondition(residual)
        new_squared = jnp.vdot(residual, correction)
        direction = correction + (new_squared / squared) * direction
        return v, residual, direction, new_squared, step + 1

    # The barrier keeps XLA from folding the transform of a constant while compiling.
    right = jax.lax.optimization_barrier(right)
    correction = precondition(right)
    squared = jnp.vdot(right, correction)
    target = tolerance**2 * squared
    start = (jnp.zeros_like(right), right, correction, squared, 0)
    v, *_, squared, _ = jax.lax.while_loop(going_on, advance, start)
    return jnp.where(squared <= target, v, jnp.nan)
