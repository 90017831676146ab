"""Tensor-product grids: where a field lives, and nothing about what it is.

A periodic axis leaves its right endpoint out (it is the left one again); any other
axis includes both, and may have more nodes near them than between. Scaled coordinates
run over [0, 1] on every axis, so that networks never see physical units.
"""

import dataclasses
import math

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Num

from pilno_jax.checks import require


@dataclasses.dataclass(frozen=True)
class Axis:
    """`num_points` equidistant nodes on [low, high)  or, not periodic, [low, high].

    With a clustering c, the node at the part s of the way is where

        (1 - c) s + c (1 - cos(pi s)) / 2

    says: at both ends nodes are 1 - c times as far apart as they were.

    Args:
        name: "x", "t", ...; figures and errors call it that.
        low: where it begins.
        high: where it ends, above low.
        num_points: at least 2.
        periodic: whether the right end is the left one again. Default False.
        clustering: c, of an axis that is not periodic. Default 0: equidistant; 0.9 is
            good for layers at the ends; 1 are Chebyshev's nodes.
    """

    name: str
    low: float
    high: float
    num_points: int
    periodic: bool = False
    clustering: float = 0.0

    def __post_init__(self):
        require(self.high > self.low, "high", self.high, f"a number above {self.low}")
        points = f"num_points of axis {self.name!r}"
        whole = isinstance(self.num_points, int | np.integer)
        require(whole, points, self.num_points, "a whole number")
        require(self.num_points >= 2, points, self.num_points, "at least 2")
        clustering, c = f"clustering of axis {self.name!r}", self.clustering
        require(0 <= c <= 1, clustering, c, "a number from 0 to 1")
        require(not (c and self.periodic), clustering, c, "0 on a periodic axis")

    def __str__(self) -> str:
        end = ")" if self.periodic else "]"
        nodes = f"{self.num_points} {self.name} in [{self.low:g}, {self.high:g}{end}"
        return nodes + f", clustered by {self.clustering:g}" * bool(self.clustering)

    @property
    def extent(self) -> float:
        """Its length in physical units."""
        return self.high - self.low

    @property
    def spacing(self) -> float:
        """The distance of neighbouring nodes.

        Raises:
            ArgumentError: The nodes are clustered, and have no one distance.
        """
        text, c = f"clustering of axis {self.name!r}", self.clustering
        require(not c, text, c, "0 here, where nodes must be equidistant")
        return self.extent / (self.num_points - (not self.periodic))

    @property
    def scaled(self) -> Float[np.ndarray, " n"]:
        """Coordinates mapped to [0, 1], in JAX's precision."""
        return self.unit_nodes().astype(jnp.result_type(float))

    @property
    def coordinates(self) -> Float[np.ndarray, " n"]:
        """The nodes in physical units, in JAX's precision.

        NumPy's, as `scaled` is: what is made of them while a problem is built is not
        compiled, operation by operation.
        """
        return self.nodes().astype(jnp.result_type(float))

    def nodes(self) -> Float[np.ndarray, " n"]:
        """The nodes in physical units, in NumPy's double precision."""
        return self.low + self.extent * self.unit_nodes()

    def unit_nodes(self) -> Float[np.ndarray, " n"]:
        """Coordinates mapped to [0, 1], in NumPy's double precision."""
        even = np.linspace(0.0, 1.0, self.num_points, endpoint=not self.periodic)
        if not self.clustering:
            return even
        c = self.clustering
        return (1 - c) * even + c * (1 - np.cos(np.pi * even)) / 2

    @property
    def even(self) -> "Axis":
        """As many nodes on the same interval, equidistant."""
        return dataclasses.replace(self, clustering=0.0)

    def resized(self, num_points: int) -> "Axis":
        """The same interval with another number of nodes."""
        return dataclasses.replace(self, num_points=num_points)

    def refined(self, factor: int) -> "Axis":
        """The axis with `factor` intervals in place of each; old nodes stay nodes."""
        nodes = factor * (self.num_points - (not self.periodic)) + (not self.periodic)
        return self.resized(nodes)


@dataclasses.dataclass(frozen=True)
class Grid:
    """The tensor product of its axes.

    Args:
        axes: in the order of a field's array axes; time, where there is one, last.
    """

    axes: tuple[Axis, ...]

    def __str__(self) -> str:
        return " x ".join(map(str, self.axes))

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of nodes along each axis."""
        return tuple(axis.num_points for axis in self.axes)

    @property
    def size(self) -> int:
        """Number of nodes in all."""
        return math.prod(self.shape)

    @property
    def coordinates(self) -> tuple[Float[np.ndarray, " _"], ...]:
        """Nodes of each axis in physical units, in JAX's precision."""
        return tuple(axis.coordinates for axis in self.axes)

    @property
    def scaled(self) -> tuple[Float[np.ndarray, " _"], ...]:
        """Nodes of each axis mapped to [0, 1], in JAX's precision."""
        return tuple(axis.scaled for axis in self.axes)

    def unit_nodes(self) -> tuple[Float[np.ndarray, " _"], ...]:
        """Nodes of each axis mapped to [0, 1], in NumPy's double precision."""
        return tuple(axis.unit_nodes() for axis in self.axes)

    @property
    def extents(self) -> tuple[float, ...]:
        """Length of each axis in physical units."""
        return tuple(axis.extent for axis in self.axes)

    def resized(self, *num_points: int) -> "Grid":
        """The same box with other numbers of nodes, one for each axis."""
        allowed = f"one point count for each of the {len(self.axes)} axes"
        require(len(num_points) == len(self.axes), "num_points", num_points, allowed)
        pairs = zip(self.axes, num_points, strict=True)
        return Grid(tuple(axis.resized(n) for axis, n in pairs))

    def refined(self, factor: int = 2) -> "Grid":
        """Every interval cut into `factor` (default 2); old nodes stay nodes."""
        return Grid(tuple(axis.refined(factor) for axis in self.axes))

    def broadcast(
        self, values: Num[np.ndarray | Array, " n"], axis: int
    ) -> Num[np.ndarray | Array, "..."]:
        """A function of one axis as a field on the whole grid.

        Args:
            values: on the nodes of that axis. NumPy's stay NumPy's.
            axis: its number.
        """
        shape = [1] * len(self.axes)
        shape[axis] = -1
        numpy = np if isinstance(values, np.ndarray) else jnp
        return numpy.broadcast_to(values.reshape(shape), self.shape)
