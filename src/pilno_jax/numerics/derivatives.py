"""Derivative and interpolation matrices for one axis, applied by `along`.

A matrix is a function of static sizes only, so it is built in NumPy float64 once,
while tracing, and reaches the compiled program as a constant.
"""

import functools
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Num

from pilno_jax.checks import require
from pilno_jax.numerics.grids import Axis
from pilno_jax.numerics.precision import in_floats

Matrix = Float[np.ndarray, "m n"]


def along(
    matrix: Float[np.ndarray | Array, "m n"],
    field: Num[np.ndarray | Array, "..."],
    axis: int,
) -> Num[Array, "..."]:
    """Apply `matrix` to one axis of `field`, in its precision, or JAX's if it is whole.

    Args:
        matrix: (m, n).
        field: whose axis of n points becomes one of m.
        axis: which axis that is.
    """
    field = in_floats(field)
    moved = jnp.tensordot(jnp.asarray(matrix, field.dtype), field, axes=(1, axis))
    return jnp.moveaxis(moved, 0, axis)


def derivative(
    axis: Axis, order: int = 1, accuracy: int | None = None
) -> Float[np.ndarray, "n n"]:
    """The matrix of d^order/dx^order on `axis`.

    Args:
        axis: the nodes.
        order: of the derivative. Default 1.
        accuracy: even order of finite differences. Default None: spectral on a periodic
            axis and on Chebyshev's nodes, 4 on any other; 6 is good where the fields
            are smooth up to the ends.
    """
    if axis.periodic and accuracy is None:
        return spectral(axis.num_points, order, axis.extent)
    if axis.clustering == 1 and accuracy is None:
        return chebyshev(axis, order)
    return finite_difference(axis, order, 4 if accuracy is None else accuracy)


@functools.lru_cache
def spectral(
    num_points: int, order: int, extent: float
) -> Float[np.ndarray, "{num_points} {num_points}"]:
    """Fourier differentiation, exact for trigonometric polynomials.

    Nyquist rule: on an even number of points the mode N/2 is a cosine whose sine
    partner the grid cannot see; its odd derivatives are set to zero and its even
    ones kept, so that matrices of odd order are skew and of even order symmetric.

    Args:
        num_points: equidistant nodes on a circle.
        order: of the derivative.
        extent: the circle's length.
    """
    modes = np.fft.fftfreq(num_points, 1.0 / num_points)
    multiplier = (2j * np.pi * modes / extent) ** order
    if num_points % 2 == 0 and order % 2 == 1:
        multiplier[num_points // 2] = 0.0
    transform = np.fft.fft(np.eye(num_points), axis=0)
    matrix = np.fft.ifft(multiplier[:, None] * transform, axis=0)
    return _frozen(matrix.real)


@functools.lru_cache
def chebyshev(axis: Axis, order: int) -> Float[np.ndarray, "n n"]:
    """The derivative of the polynomial through all of Chebyshev's nodes.

    From its barycentric form; the diagonal is what makes the rows of constants zero,
    which costs no digits where nodes are close.

    Args:
        axis: of clustering 1. Up to a hundred nodes; rounding grows like their number
            to the power 2 order.
        order: of the derivative.
    """
    require(axis.clustering == 1, "clustering", axis.clustering, "1, Chebyshev's nodes")
    n = axis.num_points
    weights = (-1.0) ** np.arange(n)
    weights[[0, -1]] /= 2
    # Differences of cosines as products of sines, which keep their digits.
    angles = np.pi * np.arange(n) / (n - 1)
    half_sum, half_difference = (
        op(angles[:, None], angles[None]) / 2 for op in (np.add, np.subtract)
    )
    distances = axis.extent * np.sin(half_sum) * np.sin(half_difference)
    np.fill_diagonal(distances, 1.0)
    first = weights[None] / weights[:, None] / distances
    np.fill_diagonal(first, 0.0)
    np.fill_diagonal(first, -first.sum(1))
    return _frozen(np.linalg.matrix_power(first, order))


@functools.lru_cache
def finite_difference(
    axis: Axis, order: int, accuracy: int
) -> Float[np.ndarray, "n n"]:
    """Finite differences of any derivative order and any (even) accuracy order.

    Central stencils inside; on a periodic axis they wrap, on any other the stencil
    at the ends is shifted inwards and, being one-sided, one point wider, so that the
    order is the same everywhere. On clustered nodes the same stencils have the weights
    of where their nodes are.

    Args:
        axis: the nodes, at least order + accuracy of them.
        order: of the derivative.
        accuracy: even power of the spacing that the error falls with; 4 to 6 are good.
    """
    require(order >= 1, "order", order, "at least 1")
    allowed = "a positive even number"
    require(accuracy >= 2 and accuracy % 2 == 0, "accuracy", accuracy, allowed)
    central = 2 * ((order + 1) // 2) - 1 + accuracy
    one_sided = order + accuracy
    n, half = axis.num_points, central // 2
    needed = central if axis.periodic else max(central, one_sided)
    allowed = f"at least {needed} for derivative {order} at accuracy {accuracy}"
    require(n >= needed, f"num_points of axis {axis.name!r}", n, allowed)

    matrix, places = np.zeros((n, n)), axis.nodes()
    for row in range(n):
        if axis.periodic or half <= row < n - half:
            nodes = np.arange(row - half, row + half + 1)
        else:
            nodes = np.arange(one_sided) + (0 if row < half else n - one_sided)
        if axis.clustering:
            matrix[row, nodes] = fornberg(places[nodes] - places[row], order)
        else:
            matrix[row, nodes % n] = fornberg(nodes - row, order)
    return _frozen(matrix if axis.clustering else matrix / axis.spacing**order)


def stencil(axis: Axis, order: int, accuracy: int) -> Callable[[jax.Array], jax.Array]:
    """`finite_difference` on a vector without its matrix: for long time loops.

    Ghost values let one central stencil serve every node. On a periodic axis they
    wrap; elsewhere they continue the polynomial of the one-sided stencil, on which
    the central one is exact, so both forms are the same operator.

    Args:
        axis: the nodes.
        order: of the derivative.
        accuracy: even power of the spacing that the error falls with.
    """
    half = (2 * ((order + 1) // 2) - 1 + accuracy) // 2
    weights = fornberg(np.arange(-half, half + 1), order) / axis.spacing**order
    width, n = order + accuracy, axis.num_points
    steps_out = np.arange(-half, 0)
    ghosts = np.stack([fornberg(np.arange(width) - at, 0) for at in steps_out])

    def apply(u: Num[np.ndarray | Array, " n"]) -> Num[Array, " n"]:
        if axis.periodic:
            padded = jnp.concatenate([u[n - half :], u, u[:half]])
        else:
            outside = jnp.asarray(ghosts, u.dtype)
            left = outside @ u[:width]
            right = (outside @ u[::-1][:width])[::-1]
            padded = jnp.concatenate([left, u, right])
        # The weights sum to zero, their roundings do not: on differences from the
        # middle they cannot make u grow.
        around = [j for j in range(2 * half + 1) if j != half]
        parts = [weights[j] * (padded[j : j + n] - u) for j in around]
        return functools.reduce(jnp.add, parts)

    return apply


def running_integral(axis: Axis) -> Float[np.ndarray, "n n"]:
    """The matrix of the integral from the axis's low end, by the trapezoidal rule."""
    n = axis.num_points
    if axis.clustering:
        means = (np.eye(n)[1:] + np.eye(n)[:-1]) / 2  # of neighbours
        parts = np.diff(axis.nodes())[:, None] * means
        return np.concatenate([np.zeros((1, n)), np.cumsum(parts, 0)])
    weights = np.tril(np.ones((n, n))) - 0.5 * np.eye(n)
    weights[:, 0] -= 0.5
    return axis.spacing * weights


@functools.lru_cache
def interpolation(source: Axis, target: Axis, degree: int = 9) -> Matrix:
    """Values on `target` from values on `source`, over the same interval.

    Trigonometric on a periodic axis (exact for what the source grid resolves),
    elsewhere by local polynomials.

    Args:
        source: nodes with values.
        target: nodes without.
        degree: of the polynomials. Default 9; more loses digits to rounding.
    """
    if source.periodic:
        modes = np.fft.fftfreq(source.num_points, 1.0 / source.num_points)
        phases = np.outer(target.unit_nodes(), 2j * np.pi * modes)
        analysis = np.fft.fft(np.eye(source.num_points), axis=0) / source.num_points
        # The Nyquist mode's real part is its cosine: the symmetric choice.
        return _frozen((np.exp(phases) @ analysis).real)
    n, width = source.num_points, min(degree + 1, source.num_points)
    matrix = np.zeros((target.num_points, n))
    if source.clustering:
        places = source.unit_nodes()
        for row, x in enumerate(target.unit_nodes()):
            first = int(np.clip(np.searchsorted(places, x) - width // 2, 0, n - width))
            nodes = np.arange(first, first + width)
            matrix[row, nodes] = fornberg(places[nodes] - x, 0)
        return _frozen(matrix)
    for row, x in enumerate(target.unit_nodes() * (n - 1)):
        first = int(np.clip(np.round(x - (width - 1) / 2), 0, n - width))
        nodes = np.arange(first, first + width)
        matrix[row, nodes] = fornberg(nodes - x, 0)
    return _frozen(matrix)


def fornberg(nodes: Num[np.ndarray, " n"], order: int) -> Float[np.ndarray, " n"]:
    """Weights of the derivative at 0 of the polynomial through `nodes`.

    They solve sum_j w_j nodes_j^p = order! [p = order]: exact on all monomials the
    stencil can hold. Stencils are short, so the Vandermonde system is benign once
    its nodes are scaled to [-1, 1].

    Args:
        nodes: places relative to where the derivative is wanted.
        order: of the derivative; 0 interpolates.
    """
    nodes = np.asarray(nodes, float)
    scale = np.abs(nodes).max()
    powers = np.vander(nodes / scale, increasing=True).T
    right = np.zeros(len(nodes))
    right[order] = float(np.prod(np.arange(1, order + 1)))
    return np.linalg.solve(powers, right) / scale**order


def _frozen(matrix: np.ndarray) -> np.ndarray:
    """Read-only, because caches hand the same array to everybody."""
    matrix = np.ascontiguousarray(matrix)
    matrix.flags.writeable = False
    return matrix
