"""What a network sees of a medium, as channels of order one on the nodes."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from pilno_jax.checks import require_fields
from pilno_jax.numerics.grids import Grid
from pilno_jax.numerics.poisson import solve_poisson
from pilno_jax.problems.base import Inputs
from pilno_jax.problems.darcy.medium import face_shapes
from pilno_jax.problems.darcy.solver import flow

Features = Callable[[Inputs], jax.Array]
Channels = Callable[[Inputs], list[jax.Array]]


def paper_features(
    grid: Grid, values: tuple[float, float], response_scale: float
) -> Features:
    """a and the coordinates, (n, n, 3).

    Args:
        grid: the nodes.
        values: the two permeabilities, which become -1 and 1.
        response_scale: unused; `rich_features` has a use for it.
    """
    del response_scale
    log_scaled = _log_scaled(values)
    return _with_coordinates(grid, lambda inputs: [log_scaled(inputs["a"])])


def rich_features(
    grid: Grid, values: tuple[float, float], response_scale: float
) -> Features:
    """a, its faces in x and y, both `first_responses`, the coordinates: (n, n, 7).

    Args:
        grid: the nodes.
        values: the two permeabilities, which become -1 and 1.
        response_scale: the first responses are those to a source of this size; what
            brings them to order one is the source over the size of u.
    """
    log_scaled = _log_scaled(values)

    def channels(inputs: Inputs) -> list[jax.Array]:
        a_x, a_y = inputs["a_x"], inputs["a_y"]
        return [
            log_scaled(inputs["a"]),
            _on_nodes(log_scaled(a_x), 0),
            _on_nodes(log_scaled(a_y), 1),
            *(response_scale * each for each in first_responses(a_x, a_y)),
        ]

    return _with_coordinates(grid, channels)


FEATURES = {"rich": rich_features, "paper": paper_features}


def first_responses(
    a_x: Float[Array, "edges inner"], a_y: Float[Array, "inner edges"]
) -> tuple[Float[Array, "n n"], Float[Array, "n n"]]:
    """How the flow answers a unit source, to lowest order, and the first correction.

    Two steps of steepest descent in the energy, each along the answer of the medium
    a = 1 to what is left of the source. Their sum is a rough guess at the solution, but
    it has the solution's kinks along the interfaces, which a few global modes cannot
    make from a's jumps.

    Args:
        a_x: coefficients of the faces across x.
        a_y: coefficients of the faces across y.
    """
    n = a_x.shape[0] + 1
    left = jnp.ones((n - 2, n - 2), a_x.dtype)
    responses = []
    for _ in range(2):
        direction = solve_poisson(left)
        image = flow(jnp.pad(direction, 1), a_x, a_y)
        length = jnp.vdot(left, direction) / jnp.vdot(direction, image)
        responses.append(length * jnp.pad(direction, 1))
        left = left - length * image
    return responses[0], responses[1]


def _with_coordinates(grid: Grid, channels: Channels) -> Features:
    n = grid.shape[0]
    shapes = {"a": (n, n)} | face_shapes(n)

    def features(inputs: Inputs) -> jax.Array:
        require_fields(inputs, shapes)
        of_the_medium = channels(inputs)
        scaled = zip(grid.scaled, (0, 1), strict=True)
        coordinates = [grid.broadcast(points, axis) for points, axis in scaled]
        return jnp.stack([*of_the_medium, *coordinates], axis=-1)

    return features


def _log_scaled(values: tuple[float, float]) -> Callable[[jax.Array], jax.Array]:
    """-1 and 1 at the two values; the logarithm because a and 1 / a matter alike."""
    centre = np.log(values[0] * values[1]) / 2
    half_range = np.abs(np.log(values[1] / values[0])) / 2
    return lambda a: (jnp.log(a) - centre) / half_range


def _on_nodes(faces: jax.Array, axis: int) -> jax.Array:
    """Means of the two faces at each interior node, repeated onto the boundary."""
    before = jax.lax.slice_in_dim(faces, 0, -1, axis=axis)
    after = jax.lax.slice_in_dim(faces, 1, None, axis=axis)
    return jnp.pad((before + after) / 2, 1, mode="edge")
