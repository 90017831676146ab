"""The sine transform of nodes inside the unit square, and Poisson's equation by it.

Fields hold the interior nodes of an n x n grid on [0, 1]^2, boundary nodes left out
because the fields vanish there. The transform (DST-I) is a symmetric orthogonal
matrix, so it is its own inverse; at n <= 241 two matrix products are as fast as an
FFT and run on every backend. They ask for full precision: tensor cores and TPUs
would otherwise round the operands to three digits.
"""

import functools

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float


@functools.lru_cache
def sine_matrix(num_points: int) -> Float[np.ndarray, "inner inner"]:
    """sqrt(2 h) sin(pi j k h), j, k = 1, ..., n - 2, with h = 1 / (n - 1)."""
    k = np.arange(1, num_points - 1)
    h = 1.0 / (num_points - 1)
    return np.sqrt(2 * h) * np.sin(np.pi * h * np.outer(k, k))


@functools.lru_cache
def laplacian_eigenvalues(num_points: int) -> Float[np.ndarray, "inner inner"]:
    """Eigenvalues, (n - 2, n - 2), of the 5-point -Laplace on the sine products."""
    k = np.arange(1, num_points - 1)
    h = 1.0 / (num_points - 1)
    one_axis = (2 / h * np.sin(np.pi * h * k / 2)) ** 2
    return one_axis[:, None] + one_axis


def sine_transform(
    field: Float[Array, "inner inner"],
) -> Float[Array, "inner inner"]:
    """Coefficients of an interior field (n - 2, n - 2); applied twice, the field."""
    matrix = jnp.asarray(sine_matrix(field.shape[-1] + 2), field.dtype)
    rows = jnp.matmul(matrix, field, precision="highest")
    return jnp.matmul(rows, matrix, precision="highest")


def solve_poisson(
    field: Float[Array, "inner inner"],
) -> Float[Array, "inner inner"]:
    """v with -Laplace_h v = field, v = 0 on the boundary; interior nodes only."""
    eigenvalues = laplacian_eigenvalues(field.shape[-1] + 2)
    inverse = jnp.asarray(1.0 / eigenvalues, field.dtype)
    return sine_transform(inverse * sine_transform(field))


@functools.lru_cache
def unit_membrane(
    num_points: int,
) -> Float[np.ndarray, "{num_points} {num_points}"]:
    """w on all n x n nodes with -Laplace_h w = 1, w = 0 on the boundary (float64)."""
    matrix = sine_matrix(num_points)
    ones = matrix.sum(axis=0)
    coefficients = np.outer(ones, ones) / laplacian_eigenvalues(num_points)
    return np.pad(matrix @ coefficients @ matrix, 1)


@functools.lru_cache
def _mirrored(num_points: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Cosines cos(pi (k + 1/2) x), flat at x = 0 and zero at x = 1, on all nodes but
    the last, as an orthogonal matrix; the eigenvalues of -Laplace on their products
    with sines of y; the roots of the nodes' weights, of which that at x = 0 has half a
    cell."""
    k = np.arange(num_points - 1)
    h = 1.0 / (num_points - 1)
    roots = np.where(k == 0, np.sqrt(0.5), 1.0)
    cosines = np.cos(np.pi * h * np.outer(k, k + 0.5))
    of_x = (2 / h * np.sin(np.pi * h * (k + 0.5) / 2)) ** 2
    of_y = np.diag(laplacian_eigenvalues(num_points)) / 2
    matrix = np.sqrt(2 * h) * roots[:, None] * cosines
    return matrix, of_x[:, None] + of_y, roots


@functools.lru_cache
def mirrored_membrane_sum(num_points: int) -> float:
    """The integral of w, over h^2, with -Laplace_h w = 1 and a mirror at x = 0."""
    cosines, eigenvalues, roots = _mirrored(num_points)
    ones = np.outer(roots @ cosines, sine_matrix(num_points).sum(axis=0))
    return float(np.sum(ones**2 / eigenvalues))


def solve_mirrored_poisson(
    field: Float[Array, "free inner"],
) -> Float[Array, "free inner"]:
    """v with -Laplace_h v = field, v_x = 0 at x = 0 and v = 0 on the other sides.

    The 5-point scheme at x = 0 has the neighbour outside of the square as a mirror.

    Args:
        field: on the nodes that are free, (n - 1, n - 2): with those of x = 0.
    """
    n = field.shape[-1] + 2
    cosines, eigenvalues, roots = _mirrored(n)
    in_x, in_y = (jnp.asarray(m, field.dtype) for m in (cosines, sine_matrix(n)))
    weights = jnp.asarray(roots[:, None], field.dtype)
    inverse = jnp.asarray(1.0 / eigenvalues, field.dtype)

    def product(*matrices: Array) -> Array:
        return jnp.linalg.multi_dot(matrices, precision="highest")

    coefficients = inverse * product(in_x.T, weights * field, in_y)
    return product(in_x, coefficients, in_y) / weights
