"""Tensor-product grids: where a field lives, and nothing about what it is.

A periodic axis leaves its right endpoint out (it is the left one again); any
other axis includes both. Scaled coordinates run over [0, 1] on every axis, so
that networks never see physical units.
"""

import dataclasses
import math

import jax
import jax.numpy as jnp
import numpy as np

from pilno_jax.checks import require


@dataclasses.dataclass(frozen=True)
class Axis:
    """`num_points` equidistant nodes on [low, high)  or, not periodic, [low, high]."""

    name: str
    low: float
    high: float
    num_points: int
    periodic: bool = False

    def __post_init__(self):
        require(self.high > self.low, "high", self.high, f"a number above {self.low}")
        points = f"num_points of axis {self.name!r}"
        require(self.num_points >= 2, points, self.num_points, "at least 2")

    @property
    def extent(self) -> float:
        return self.high - self.low

    @property
    def spacing(self) -> float:
        return self.extent / (self.num_points - (not self.periodic))

    @property
    def scaled(self) -> jax.Array:
        """Coordinates mapped to [0, 1]."""
        return jnp.asarray(self._scaled())

    @property
    def coordinates(self) -> jax.Array:
        return jnp.asarray(self.low + self.extent * self._scaled())

    def _scaled(self) -> np.ndarray:
        return np.linspace(0.0, 1.0, self.num_points, endpoint=not self.periodic)

    def resized(self, num_points: int) -> "Axis":
        return dataclasses.replace(self, num_points=num_points)

    def refined(self, factor: int) -> "Axis":
        """The axis with `factor` intervals in place of each; old nodes stay nodes."""
        nodes = factor * (self.num_points - (not self.periodic)) + (not self.periodic)
        return self.resized(nodes)


@dataclasses.dataclass(frozen=True)
class Grid:
    """The tensor product of its axes, in the order of the field's array axes."""

    axes: tuple[Axis, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(axis.num_points for axis in self.axes)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def coordinates(self) -> tuple[jax.Array, ...]:
        return tuple(axis.coordinates for axis in self.axes)

    @property
    def scaled(self) -> tuple[jax.Array, ...]:
        return tuple(axis.scaled for axis in self.axes)

    @property
    def extents(self) -> tuple[float, ...]:
        return tuple(axis.extent for axis in self.axes)

    def resized(self, *num_points: int) -> "Grid":
        allowed = f"one point count for each of the {len(self.axes)} axes"
        require(len(num_points) == len(self.axes), "num_points", num_points, allowed)
        pairs = zip(self.axes, num_points, strict=True)
        return Grid(tuple(axis.resized(n) for axis, n in pairs))

    def refined(self, factor: int = 2) -> "Grid":
        return Grid(tuple(axis.refined(factor) for axis in self.axes))

    def broadcast(self, values: jax.Array, axis: int) -> jax.Array:
        """A function of one axis as a field on the whole grid."""
        shape = [1] * len(self.axes)
        shape[axis] = -1
        return jnp.broadcast_to(values.reshape(shape), self.shape)
