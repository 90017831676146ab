"""Dense systems of equations, solved by a loop of products, sums and comparisons.

For formats that have no factorisation of matrices. Where there is one, as in JAX
itself, `jnp.linalg.solve` is faster.
"""

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float


def solve_by_elimination(
    matrix: Float[Array, "*batch n n"], right: Float[Array, "*batch n"]
) -> Float[Array, "*batch n"]:
    """x with matrix @ x = right, by Gauss-Jordan elimination with partial pivoting.

    Systems are solved one after the other. If a matrix is singular, its x is not
    finite.

    Args:
        matrix: of each system.
        right: its right-hand side.
    """
    n = right.shape[-1]
    systems = jnp.concatenate([matrix, right[..., None]], -1)
    solutions = lax.map(_solved, systems.reshape(-1, n, n + 1))
    return solutions.reshape(right.shape)


def _solved(system: Float[Array, "n n+1"]) -> Float[Array, " n"]:
    """The unknowns of one system, whose last column is its right-hand side.

    Rows stay in their places: which of them a column has for its pivot is a column of
    zeros and a one. Everything is a matrix, for loops of few operations.
    """
    n = len(system)
    numbers = jnp.arange(n)[:, None]

    def clear(carried: tuple, column: jax.Array) -> tuple[tuple, jax.Array]:
        """Make a column zero outside the row of its pivot."""
        rows, handicap = carried  # infinite for rows that have been chosen
        entries = rows @ column
        largest = jnp.argmax(jnp.abs(entries) - handicap, axis=0, keepdims=True)
        chosen = numbers == largest
        one = chosen.astype(rows.dtype)
        row = one.T @ rows
        factors = jnp.where(chosen, 0.0, entries / (row @ column))
        handicap = jnp.where(chosen, jnp.inf, handicap)
        return (rows - factors * row, handicap), one

    columns = jnp.eye(n, n + 1, dtype=system.dtype)[..., None]
    start = (system, jnp.zeros((n, 1), system.dtype))
    (rows, _), chosen = lax.scan(clear, start, columns)
    pivotal = chosen[..., 0] @ rows
    return pivotal[:, -1] / jnp.diagonal(pivotal)
