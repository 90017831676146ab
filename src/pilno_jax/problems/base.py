"""The one record that describes a PDE family; see docs/design.md for the picture.

Every function is pure and speaks of ONE sample; `jax.vmap` makes it many. The
record is closed over by the loss, never passed through `jit`.
"""

import dataclasses
import itertools
from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from pilno_jax.checks import require
from pilno_jax.numerics.derivatives import along, running_integral
from pilno_jax.numerics.grids import Axis, Grid
from pilno_jax.numerics.linear_response import linear_response, scaled_response
from pilno_jax.numerics.norms import mean_square
from pilno_jax.problems.statement import UNSTATED, Statement

Inputs = dict[str, Any]
Measure = Callable[..., jax.Array]  # (residual, u, inputs) -> a number
ErrorOf = Callable[[jax.Array, jax.Array, Inputs], jax.Array]


def unconstrained(raw: Float[Array, "*grid"], inputs: Inputs) -> Float[Array, "*grid"]:
    """No hard constraint: the network's output is the field."""
    del inputs
    return raw


def of_size_one(inputs: Inputs) -> float:
    """The network's output and u have the same units."""
    del inputs
    return 1.0


def as_it_is(field: Float[Array, "*grid"], inputs: Inputs) -> Float[Array, "*grid"]:
    """The network sees fields where they are."""
    del inputs
    return field


def already_complete(edited: Inputs) -> Inputs:
    """No input follows from others: what a person drew is all there is."""
    return edited


@dataclasses.dataclass(frozen=True)
class InputField:
    """What a plot or a page has to know about one input.

    Args:
        axes: names of the grid's axes that the field is a function of, in the order of
            its array; () for a number. None (the default) if it does not live on the
            grid's nodes: face coefficients, say, or constants of the solver.
        symbol: its name in figures, LaTeX between dollars; the key in `inputs` if
            empty (the default).
        editable: whether a person can draw it (the default is no). The inputs that are
            not editable follow from those that are, by `Problem.complete`, or belong to
            drawn samples alone (`Problem.solver_inputs`).
    """

    axes: tuple[str, ...] | None = None
    symbol: str = ""
    editable: bool = False


@dataclasses.dataclass(frozen=True)
class Problem:
    """A PDE family: its inputs, its equation, its reference solution.

    Args:
        name: what `problems.make` calls it.
        grid: where u lives; inputs are sampled on its axes.
        sample: key -> inputs, from the labelled law.
        features: inputs -> (*grid, channels), O(1) numbers for the network.
        residual: (u, inputs) -> strong-form residual in physical units; may live on
            part of the grid (the interior, say).
        sample_virtual: key -> inputs, from the broader law of the virtual inputs.
            Default: `sample`.
        solve: inputs -> u, the reference. Default: none; labels, where they are asked
            for, then are the zeros of the residual (`evaluation.newton`).
        constrain: (raw, inputs) -> u, hard constraints and the output's scale. Default:
            u is the network's output.
        measure: (residual, u, inputs) -> the nonnegative number (or, for a variational
            measure, the functional) that training drives down. Measures that need only
            the residual default the other two. Default: the mean square.
        constraints: name -> (u, inputs) -> residual of a soft constraint. None by
            default.
        scale: inputs -> the size of u that a network output of 1 stands for. Default 1.
        fields: names of the fields of a system, ("u", "v") say: u then has one channel
            for each, along an axis behind the grid's, and so have residual, labels and
            raw; `scale` may be a number for each. Default: none, u is one field without
            such an axis.
        error_of: (residual, u, inputs) -> a field on the grid, in the units of u, that
            resembles the error which leaves this residual; its sign does not matter.
            Correctors see it (`operators.stages`). Default: `default_error`.
        into_frame: (field, inputs) -> the field as the network sees it, linear in the
            field; for `features` and `constrain` that work in a frame of their own.
            Default: as it is.
        strata: samplers a labelled set cycles through, so that families are equally
            represented. Default: `sample` alone.
        inputs: name -> `InputField`, for figures and the demo. Default: none; then
            `input_fields` derives them from the shapes of a draw.
        complete: the inputs that a person drew -> all inputs. Default: nothing to add.
        enough: names of inputs that all others follow from, by `complete`: an exported
            operator asks for these. Default: none; it asks for all that it reads.
        solver_inputs: names of inputs that `solve` alone reads and only drawn samples
            have; a user's own lack them. Default: none.
        next_window: (u, inputs) -> the inputs of the same problem that begins where u
            ends, of an autonomous problem (`operators.rollout`). Default None.
        time_axis: the array axis that is time, None (the default) for a steady problem.
        label_stride: per axis, every how many nodes carry a label. Default: every node.
        rebuild: Grid -> the same problem on that grid; `resizable` supplies it.
        statement: equation and law in the form that pages show. Default: empty.
    """

    name: str
    grid: Grid
    sample: Callable[[jax.Array], Inputs]
    features: Callable[[Inputs], jax.Array]
    residual: Callable[[jax.Array, Inputs], jax.Array]
    sample_virtual: Callable[[jax.Array], Inputs] = None  # type: ignore[assignment]
    solve: Callable[[Inputs], jax.Array] | None = None
    constrain: Callable[[jax.Array, Inputs], jax.Array] = unconstrained
    measure: Measure = mean_square
    constraints: Mapping[str, Callable[[jax.Array, Inputs], jax.Array]] = (
        dataclasses.field(default_factory=dict)
    )
    scale: Callable[[Inputs], Any] = of_size_one
    fields: tuple[str, ...] = ()
    error_of: ErrorOf = None  # type: ignore[assignment]
    into_frame: Callable[[jax.Array, Inputs], jax.Array] = as_it_is
    strata: tuple[Callable[[jax.Array], Inputs], ...] = ()
    inputs: Mapping[str, InputField] = dataclasses.field(default_factory=dict)
    complete: Callable[[Inputs], Inputs] = already_complete
    enough: tuple[str, ...] = ()
    solver_inputs: tuple[str, ...] = ()
    next_window: Callable[[jax.Array, Inputs], Inputs] | None = None
    time_axis: int | None = None
    label_stride: tuple[int, ...] = ()
    rebuild: "Callable[[Grid], Problem] | None" = None
    statement: Statement = UNSTATED

    def __post_init__(self):
        if self.sample_virtual is None:
            object.__setattr__(self, "sample_virtual", self.sample)
        if self.error_of is None:
            default = default_error(self.grid, self.time_axis)
            object.__setattr__(self, "error_of", default)
        known = {axis.name for axis in self.grid.axes}
        names, allowed = self.fields, f"different names, and none of {sorted(known)}"
        distinct = len(set(names)) == len(names) and known.isdisjoint(names)
        require(distinct, "fields", names, allowed)
        for name, field in self.inputs.items():
            axes = f"axes of input {name!r}"
            fits = field.axes is None or known.issuperset(field.axes)
            require(fits, axes, field.axes, f"names among {sorted(known)}")
            drawable = field.axes is not None or not field.editable
            require(drawable, axes, None, "axes: what is editable lives on the grid")

    @property
    def shape(self) -> tuple[int, ...]:
        """Of u: the grid's and, with several fields, their number."""
        return (*self.grid.shape, len(self.fields)) if self.fields else self.grid.shape

    def on(self, *points: Any) -> "Problem":
        """The same problem on another grid.

        Args:
            points: a `Grid`, or a number of points for each axis: `on(num_x, num_t)`.

        Raises:
            ArgumentError: `rebuild` does not answer with that grid: it may know no
                other domain, say, than the one the problem was made for.
        """
        if self.rebuild is None:
            raise ValueError(f"problem {self.name!r} has no other grid: set `rebuild`")
        given = len(points) == 1 and isinstance(points[0], Grid)
        grid = points[0] if given else self.grid.resized(*points)
        allowed = f"{self.grid}, with any numbers of points"
        require(len(grid.axes) == len(self.grid.axes), "grid", str(grid), allowed)
        rebuilt = self.rebuild(grid)
        require(rebuilt.grid == grid, "grid", str(grid), allowed)
        return rebuilt

    def restrict(self, u: Any) -> Any:
        """The labelled nodes of a field on `grid` (leading axes are left alone)."""
        if not self.label_stride:
            return u
        nodes = [slice(None, None, step) for step in self.label_stride]
        return u[(..., *nodes, *([slice(None)] if self.fields else []))]

    def input_fields(self) -> Mapping[str, InputField]:
        """`inputs`, or, of a problem that declares none, what shapes of a draw say."""
        if self.inputs:
            return self.inputs
        draw = jax.eval_shape(self.sample, jax.random.key(0))
        return {name: self._guessed(name, value.shape) for name, value in draw.items()}

    def _guessed(self, name: str, shape: tuple[int, ...]) -> InputField:
        """On the first of the grid's axes that have this shape, in their order."""
        for axes in itertools.combinations(self.grid.axes, len(shape)):
            if tuple(axis.num_points for axis in axes) == shape:
                names = tuple(axis.name for axis in axes)
                return InputField(names, name, name not in self.solver_inputs)
        return InputField(None, name)

    def solvable(self, inputs: Inputs) -> bool:
        """Whether there is a `solve` that finds here what drawn samples alone have."""
        given = all(name in inputs for name in self.solver_inputs)
        return self.solve is not None and given

    def solver(self) -> Callable[[Inputs], jax.Array]:
        """`solve`, for those who cannot do without.

        Raises:
            ArgumentError: The problem has none.
        """
        allowed = "a function inputs -> u: this needs a solver"
        require(self.solve is not None, f"`solve` of {self.name!r}", None, allowed)
        assert self.solve is not None
        return self.solve


def default_error(grid: Grid, time_axis: int | None) -> ErrorOf:
    """The residual summed up over time, or, of a steady problem, the residual itself.

    Where u' = F(u), an error is to first order the integral of the residual as long as
    F has had no time to act on it.

    Args:
        grid: of the problem. A residual that lives on inner nodes alone is continued
            by zeros.
        time_axis: the array axis that is time, None for a steady problem.
    """

    def error_of(residual: jax.Array, u: jax.Array, inputs: Inputs) -> jax.Array:
        del u, inputs
        whole = on_whole_grid(residual, grid)
        if time_axis is None:
            return whole
        return along(running_integral(grid.axes[time_axis]), whole, time_axis)

    return error_of


def response_error(
    matrix: np.ndarray,
    times: Axis,
    factor: Callable[[Inputs], Any] | None = None,
) -> ErrorOf:
    """What the linear part of the equation answers to the residual, from rest.

    Args:
        matrix: A, where the equation reads u_t + A u + ... = 0 on the nodes along x
            that a residual of shape (x, t) has; where u is not free, the error is 0.
        times: the axis of time.
        factor: inputs -> a number of the sample that multiplies A. Default: none.
    """
    if factor is None:
        constant = linear_response(matrix, times)
    else:
        scaled = scaled_response(matrix, times)

    def error_of(residual: jax.Array, u: jax.Array, inputs: Inputs) -> jax.Array:
        if factor is None:
            error = constant(residual)
        else:
            error = scaled(residual, factor(inputs))
        return jnp.pad(error, _margins(u.shape, residual.shape))

    return error_of


def on_whole_grid(field: jax.Array, grid: Grid) -> Float[Array, "*grid"]:
    """A field of a grid's inner nodes, or several, with zeros on the other nodes."""
    of_fields = field.shape[len(grid.axes) :]
    return jnp.pad(field, _margins((*grid.shape, *of_fields), field.shape))


def _margins(whole: tuple[int, ...], inner: tuple[int, ...]) -> list[tuple[int, int]]:
    """How many nodes are missing at both ends of each axis."""
    missing = [n - m for n, m in zip(whole, inner, strict=True)]
    return [(n // 2, n - n // 2) for n in missing]
