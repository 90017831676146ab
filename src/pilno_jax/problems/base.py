"""The one record that describes a PDE family; see docs/design.md for the picture.

Every function is pure and speaks of ONE sample; `jax.vmap` makes it many. The
record is closed over by the loss, never passed through `jit`.
"""

import dataclasses
import functools
from collections.abc import Callable, Mapping
from typing import Any

import jax

from pilno_jax.numerics.grids import Grid
from pilno_jax.numerics.norms import mean_square

Inputs = dict[str, Any]


def unconstrained(raw: jax.Array, inputs: Inputs) -> jax.Array:
    """No hard constraint: the network's output is the field."""
    del inputs
    return raw


@dataclasses.dataclass(frozen=True)
class Problem:
    """A PDE family: its inputs, its equation, its reference solution.

    name: what `problems.make` calls it.
    grid: where u lives; inputs are sampled on its axes.
    sample: key -> inputs, from the labelled law.
    sample_virtual: key -> inputs, from the broader law of the virtual inputs.
    solve: inputs -> u, the reference.
    features: inputs -> (*grid, channels), O(1) numbers for the network.
    residual: (u, inputs) -> strong-form residual in physical units; may live on
        part of the grid (the interior, say).
    constrain: (raw, inputs) -> u, hard constraints and the output's scale.
    measure: (residual, u, inputs) -> the nonnegative number (or, for a variational
        measure, the functional) that training drives down. Measures that need only
        the residual default the other two.
    constraints: name -> (u, inputs) -> residual of a soft constraint.
    strata: samplers a labelled set cycles through, so that families are equally
        represented; just `sample` where there is one family.
    solver_inputs: names of inputs that `solve` alone reads; a user's own lack them.
    time_axis: the array axis that is time, None for a steady problem.
    label_stride: per axis, every how many nodes carry a label.
    rebuild: Grid -> the same problem on that grid; `resizable` supplies it.
    """

    name: str
    grid: Grid
    sample: Callable[[jax.Array], Inputs]
    sample_virtual: Callable[[jax.Array], Inputs]
    solve: Callable[[Inputs], jax.Array]
    features: Callable[[Inputs], jax.Array]
    residual: Callable[[jax.Array, Inputs], jax.Array]
    constrain: Callable[[jax.Array, Inputs], jax.Array] = unconstrained
    measure: Callable[..., jax.Array] = mean_square
    constraints: Mapping[str, Callable[[jax.Array, Inputs], jax.Array]] = (
        dataclasses.field(default_factory=dict)
    )
    strata: tuple[Callable[[jax.Array], Inputs], ...] = ()
    solver_inputs: tuple[str, ...] = ()
    time_axis: int | None = None
    label_stride: tuple[int, ...] = ()
    rebuild: "Callable[[Grid], Problem] | None" = None

    def on(self, *points: Any) -> "Problem":
        """The same problem on another grid: `on(grid)` or `on(num_x, num_t)`."""
        if self.rebuild is None:
            raise ValueError(f"problem {self.name!r} has no other grid: set `rebuild`")
        given = len(points) == 1 and isinstance(points[0], Grid)
        return self.rebuild(points[0] if given else self.grid.resized(*points))

    def restrict(self, u: Any) -> Any:
        """The labelled nodes of a field on `grid` (leading axes are left alone)."""
        if not self.label_stride:
            return u
        return u[(..., *(slice(None, None, step) for step in self.label_stride))]


def resizable(*size_names: str) -> Callable[[Callable[..., Problem]], Any]:
    """Give the problems of a keyword-only factory their `on`.

    `size_names` are the factory's arguments for the point counts of the grid's axes;
    another grid is the same call with other counts.
    """

    def decorate(factory: Callable[..., Problem]) -> Callable[..., Problem]:
        @functools.wraps(factory)
        def build(**options: Any) -> Problem:
            def rebuild(grid: Grid) -> Problem:
                return build(
                    **options | dict(zip(size_names, grid.shape, strict=False))
                )

            return dataclasses.replace(factory(**options), rebuild=rebuild)

        return build

    return decorate
