"""What a system in time answers to a source that is known at the nodes of an axis.

    y' = slope(y, f(t))              `driven`, by Gauss collocation of order 10,
    x(t) = int_0^t g(t - s) f(s) ds  `response_matrix`, a matrix for a linear system.

Between nodes a source is the polynomial of degree 9 through the ten nearest nodes, so
both answer the same function; what is smooth over ten nodes, they answer to rounding.
"""

import functools
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from pilno_jax.checks import require
from pilno_jax.numerics.derivatives import fornberg
from pilno_jax.numerics.grids import Axis

Slope = Callable[[jax.Array, jax.Array], jax.Array]  # (y, f at one time) -> y'

STAGES = 5  # Gauss nodes of a step; the order of the method is twice their number
SWEEPS = 10  # of Picard's iteration, whose error falls like (step * rate)^k / k!
WINDOW = 10  # nodes that a source is interpolated from


def driven(
    slope: Slope, times: Axis, steps: int = 2
) -> Callable[[Float[Array, " d"], Float[Array, " t"]], Float[Array, "d t"]]:
    """(y at the first time, f at all nodes) -> y at all nodes.

    Implicit collocation at Gauss nodes, solved by fixed-point iteration: few and long
    steps, so that single precision rounds a thousand times and not ten thousand.

    Args:
        slope: (y, f) -> y', of one time.
        times: the nodes, at least `WINDOW` of them.
        steps: between two nodes. Default 2; step * fastest rate should be below 1/2.
    """
    places, weights, integrals = gauss_collocation(STAGES)
    offsets = np.concatenate([(number + places) / steps for number in range(steps)])
    first, interpolants = _windows(times.num_points, offsets)
    h = times.spacing / steps
    at_stages = jax.vmap(slope)

    def trajectory(
        start: Float[Array, " d"], source: Float[Array, " t"]
    ) -> Float[Array, "d t"]:
        rows, sums = (
            jnp.asarray(h * array, start.dtype) for array in (integrals, weights)
        )
        nearest = source[first[:, None] + np.arange(WINDOW)]
        between = jnp.einsum(
            "iw,iqw->iq", nearest, jnp.asarray(interpolants, source.dtype)
        )

        def advance(y: jax.Array, f: jax.Array) -> tuple[jax.Array, jax.Array]:
            def sweep(_, slopes: jax.Array) -> jax.Array:
                return at_stages(y[None] + rows @ slopes, f)

            first_guess = jnp.zeros((STAGES, *y.shape), y.dtype)
            slopes = jax.lax.fori_loop(0, SWEEPS + 1, sweep, first_guess)
            y = y + sums @ slopes
            return y, y

        _, later = jax.lax.scan(advance, start, between.reshape(-1, STAGES))
        return jnp.concatenate([start[None], later])[::steps].T

    return trajectory


def response_matrix(
    impulse: Callable[[np.ndarray], np.ndarray], times: Axis
) -> Float[np.ndarray, "t t"]:
    """The matrix of f -> int_0^t g(t - s) f(s) ds at the nodes.

    Args:
        impulse: g, of an array of ages >= 0; may turn by a few radians between nodes.
        times: the nodes, at least `WINDOW` of them.
    """
    n = times.num_points
    places, weights, _ = gauss_collocation(2 * STAGES)
    first, interpolants = _windows(n, places)
    # Row m: what the source of an interval still does m intervals later.
    ages = times.spacing * (np.arange(1, n)[:, None] - places)
    kernel = times.spacing * weights * impulse(ages)
    matrix = np.zeros((n, n))
    for interval in range(n - 1):
        columns = first[interval] + np.arange(WINDOW)
        later = kernel[: n - 1 - interval] @ interpolants[interval]
        matrix[interval + 1 :, columns] += later
    return matrix


def oscillation_response(
    times: Axis, damping: float
) -> Callable[[Float[Array, " t"], Float[Array, " t"]], Float[Array, " t"]]:
    """(stiffness, source) -> e of e'' + c e' + stiffness(t) e = source, from rest.

    By the trapezoidal rule, whose error falls with the square of the spacing: for what
    is an estimate anyway. The steps' matrices are made at once, the scan applies them.

    Args:
        times: the nodes.
        damping: c.
    """
    h = times.spacing / 2

    def response(
        stiffness: Float[Array, " t"], source: Float[Array, " t"]
    ) -> Float[Array, " t"]:
        now, later = stiffness[:-1], stiffness[1:]
        push = h * (source[:-1] + source[1:])
        # e_1 - h v_1 = e + h v,  (1 + h c) v_1 + h k_1 e_1 = (1 - h c) v - h k e + push
        lead = 1 + h * damping + h**2 * later

        def advance(state, step):
            e, v = state
            now, later, push, lead = step
            moved, braked = e + h * v, (1 - h * damping) * v - h * now * e + push
            v = (braked - h * later * moved) / lead
            e = moved + h * v
            return (e, v), e

        start = jnp.zeros_like(push[0]), jnp.zeros_like(push[0])
        _, after = jax.lax.scan(advance, start, (now, later, push, lead))
        return jnp.concatenate([jnp.zeros_like(after[:1]), after])

    return response


def damped_oscillation(
    stiffness: float, damping: float
) -> Callable[[np.ndarray], np.ndarray]:
    """g of x'' + damping x' + stiffness x = f: what a blow at rest leaves.

    Args:
        stiffness: the frequency squared, >= 0; with 0 nothing pulls back.
        damping: >= 0; above twice the frequency nothing oscillates.
    """
    square, decay = stiffness - damping**2 / 4, damping / 2

    def swinging(ages: np.ndarray) -> np.ndarray:
        # sin(w t) / w, also where w is 0.
        swing = ages * np.sinc(np.sqrt(square) * ages / np.pi)
        return np.exp(-decay * ages) * swing

    def creeping(ages: np.ndarray) -> np.ndarray:
        # sinh(s t) / s, whose growth is taken into the decay, since it would overflow.
        s = np.sqrt(-square)
        slow = np.exp(-stiffness / (s + decay) * ages)
        return slow * -np.expm1(-2 * s * ages) / (2 * s)

    return swinging if square >= 0 else creeping


@functools.cache
def gauss_collocation(stages: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Gauss nodes in [0, 1], their weights, and integrals of the Lagrange polynomials.

    Args:
        stages: how many nodes.

    Returns:
        nodes c_i, weights, and the matrix of int_0^{c_i} l_j.
    """
    nodes, weights = np.polynomial.legendre.leggauss(stages)
    powers = np.arange(stages)
    # In powers of s on [-1, 1]: benign for a handful of nodes.
    coefficients = np.linalg.inv(nodes[:, None] ** powers)
    primitive = nodes[:, None] ** (powers + 1) - (-1.0) ** (powers + 1)
    integrals = (primitive / (powers + 1)) @ coefficients
    return (nodes + 1) / 2, weights / 2, integrals / 2


def _windows(
    nodes: int, offsets: Float[np.ndarray, " q"]
) -> tuple[np.ndarray, np.ndarray]:
    """For each interval the first of its nearest nodes, and weights (interval, q, node)
    that interpolate from these to `offsets` in [0, 1] within the interval."""
    require(nodes >= WINDOW, "num_points of axis 't'", nodes, f"at least {WINDOW}")
    intervals = np.arange(nodes - 1)
    first = np.clip(intervals - (WINDOW // 2 - 1), 0, nodes - WINDOW)
    by_place = {
        place: np.stack([fornberg(np.arange(WINDOW) - place - x, 0) for x in offsets])
        for place in set((intervals - first).tolist())
    }
    return first, np.stack([by_place[int(place)] for place in intervals - first])
