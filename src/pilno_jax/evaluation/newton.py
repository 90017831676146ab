"""A reference from the equation itself, where a problem has no solver.

    solve = newton(problem)
    u = solve(inputs).u             # of a batch; no label and no solver
    u = solve(inputs, start=predictions).u

u is the least-squares solution of the discrete equations on the problem's own grid,
with hard constraints built in and soft ones as further rows: what a perfect training
would end at. From the true solution it is as far as the discretisation is.
"""

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from pilno_jax.checks import ArgumentError, require
from pilno_jax.numerics.least_squares import Zero, gauss_newton, preconditioner
from pilno_jax.problems.base import Inputs, Problem

# A Jacobian of so many columns takes 600 MB and half a minute.
MOST_NODES = 5000
# Steps double the number of right digits: after one of this size nothing is left.
TOLERANCE = 1e-6
# With one preconditioner; then that of a sample that needs more is taken instead.
STEPS_PER_ROUND = 8
MOST_ROUNDS_IN_VAIN = 3
# What may be left of the equations, relative to what u without any network leaves.
LARGEST_LEFT = 0.1
NUM_PROBES = 8
# Of soft constraints beside the residual, whose mean square weighs 1: they are to hold.
CONSTRAINT_WEIGHT = 10.0


class NotConverged(ArgumentError):
    """Newton's method ended away from a solution; the text says where."""


class Solution(NamedTuple):
    """Solutions of the discrete equations.

    Attributes:
        u: the fields, in double precision.
        steps: of Newton's method, for each sample.
        left: of the equations, relative to what u without any network leaves.
    """

    u: Float[np.ndarray, " batch *grid"]
    steps: np.ndarray
    left: np.ndarray


Newton = Callable[..., Solution]


class _Equations(NamedTuple):
    """The equations of one sample, in terms of a vector y that is free to change."""

    field: Callable[[jax.Array], jax.Array]
    rows: Callable[[jax.Array], jax.Array]


def newton(
    problem: Problem, most_steps: int | None = None, most_nodes: int = MOST_NODES
) -> Newton:
    """(batch of inputs, start=None) -> `Solution`, compiled once for many batches.

    Computed in double precision. The first call takes the exact Jacobian of one sample,
    which preconditions all others; where that is not enough, the Jacobians of further
    ones. `start` are fields to begin with, such as an operator's predictions, which
    keep the hard constraints; None begins with what these alone say.

    Args:
        problem: its `constrain` must be affine in the network's output, as correctors
            ask for too.
        most_steps: after which a sample is left as it is, solved or not; all are
            preconditioned by the Jacobian of the first. Default None: until solved.
        most_nodes: the largest grid, each field counted. Default 5000; twice as many
            take four times the memory and eight times as long.

    Raises:
        ArgumentError: The grid is too large.
        NotConverged: By the call, if a sample has no solution that can be reached.
    """
    shape, unknowns = problem.shape, math.prod(problem.shape)
    allowed = f"at most {most_nodes} without `Problem.solve`"
    require(unknowns <= most_nodes, "number of nodes of the grid", unknowns, allowed)

    @jax.jit
    @jax.vmap
    def lift(inputs: Inputs) -> jax.Array:
        return problem.constrain(jnp.zeros(shape), inputs)

    steps = jax.jit(functools.partial(_steps, problem, most_steps or STEPS_PER_ROUND))
    jacobian = jax.jit(lambda *sample: preconditioner(*_rows_and_y(problem, *sample)))
    end = jax.jit(jax.vmap(lambda *sample: _end(problem, *sample)))
    kept: list[jax.Array] = []

    def solve(inputs: Inputs, start: np.ndarray | None = None) -> Solution:
        with jax.enable_x64(True), jax.numpy_dtype_promotion("standard"):
            inputs = jax.tree.map(_in_double, inputs)
            base = lift(inputs) if start is None else _in_double(start)
            count = len(base)
            now = Zero(
                jnp.zeros((count, unknowns)),
                jnp.full(count, jnp.inf),
                jnp.zeros(count, jnp.int32),
            )
            until_solved = most_steps is None
            now = _rounds(now, (inputs, base), steps, jacobian, kept, until_solved)
            fields, left = map(np.asarray, end(inputs, base, now.x))
            if until_solved:
                _require_solved(problem, np.asarray(now.change), left)
            return Solution(fields, np.asarray(now.steps), left)

    return solve


def _rounds(
    now: Zero,
    samples: tuple[Inputs, Any],
    steps: Callable[..., Zero],
    jacobian: Callable[..., jax.Array],
    kept: list[jax.Array],
    until_solved: bool,
) -> Zero:
    """Rounds of steps, each with the Jacobian of a sample that is not solved yet.

    `kept` holds the preconditioner from one call to the next. If not until solved, it
    is one round.
    """
    number, unsolved, in_vain = 0, len(now.change), 0
    while True:
        if not kept:
            one = jax.tree.map(lambda x, i=number: x[i], (*samples, now.x))
            kept.append(jacobian(*one))
        now = steps(kept[0], *samples, now)
        remaining = np.flatnonzero(~(np.asarray(now.change) <= TOLERANCE))
        in_vain = 0 if len(remaining) < unsolved else in_vain + 1
        ends = not len(remaining) or in_vain == MOST_ROUNDS_IN_VAIN
        if ends or not until_solved:
            return now
        number, unsolved = int(remaining[0]), len(remaining)
        kept.clear()


def _steps(
    problem: Problem,
    most_steps: int,
    shared: jax.Array,
    inputs: Inputs,
    base: Any,
    start: Zero,
) -> Zero:
    """A round of every sample."""

    def one(inputs: Inputs, base: jax.Array, start: Zero) -> Zero:
        equations = _equations(problem, inputs, base)

        def size(change: jax.Array, y: jax.Array) -> jax.Array:
            u, before = equations.field(y), equations.field(y - change)
            return _norm(u - before) / jnp.maximum(_norm(u), jnp.finfo(u.dtype).tiny)

        limits = TOLERANCE, most_steps
        return gauss_newton(equations.rows, shared, start, size, *limits)

    return jax.vmap(one)(inputs, base, start)


def _rows_and_y(problem: Problem, inputs: Inputs, base: jax.Array, y: jax.Array) -> Any:
    """Where the Jacobian is taken; at the base, if Newton has run away."""
    return _equations(problem, inputs, base).rows, jnp.where(jnp.isfinite(y), y, 0.0)


def _end(
    problem: Problem, inputs: Inputs, base: jax.Array, y: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """The field of y, and what is left of the equations."""
    equations = _equations(problem, inputs, base)
    nothing = problem.constrain(jnp.zeros(problem.shape), inputs)
    without = _equations(problem, inputs, nothing).rows(jnp.zeros_like(y))
    smallest = jnp.finfo(y.dtype).tiny
    left = _norm(equations.rows(y)) / jnp.maximum(_norm(without), smallest)
    return equations.field(y), left


def _equations(problem: Problem, inputs: Inputs, base: jax.Array) -> _Equations:
    """y is a change of u in physical units, of which `constrain` lets through a part.

    Divided by what `constrain` multiplies it with, node by node, and seen in the
    network's frame: so y and the change of u are nearly the same, whatever the
    constraints, and the Jacobians of samples alike.
    """
    shape = problem.shape

    def let_through(raw: jax.Array) -> jax.Array:
        lifting = problem.constrain(jnp.zeros(shape), inputs)
        return problem.constrain(raw, inputs) - lifting

    def seen_change(raw: jax.Array) -> jax.Array:
        return problem.into_frame(let_through(raw), inputs)

    probes = np.random.default_rng(0).choice([-1.0, 1.0], (NUM_PROBES, *shape))
    squares = jnp.mean(jax.vmap(seen_change)(jnp.asarray(probes)) ** 2, 0)
    # A frame that moves along a periodic axis is another one for every sample.
    around = tuple(i for i, axis in enumerate(problem.grid.axes) if axis.periodic)
    factors = jnp.sqrt(jnp.mean(squares, around, keepdims=True))
    is_free = factors > jnp.finfo(factors.dtype).eps * jnp.max(factors)
    scales = jnp.where(is_free, 1.0 / jnp.where(is_free, factors, 1.0), 0.0)

    def field(y: jax.Array) -> jax.Array:
        seen = problem.into_frame(y.reshape(shape), inputs)
        return base + let_through(scales * seen)

    def rows(y: jax.Array) -> jax.Array:
        u = field(y)
        terms = [(1.0, problem.residual(u, inputs))]
        for constraint in problem.constraints.values():
            terms.append((CONSTRAINT_WEIGHT, constraint(u, inputs)))
        scaled = [(weight / term.size) ** 0.5 * term.ravel() for weight, term in terms]
        return jnp.concatenate(scaled)

    return _Equations(field, rows)


def _require_solved(problem: Problem, changes: np.ndarray, left: np.ndarray) -> None:
    """An error that says how far the worst sample is from a solution."""
    wrong = ~(changes <= TOLERANCE) | ~(left <= LARGEST_LEFT)
    if not wrong.any():
        return
    worst = int(np.flatnonzero(wrong)[0])
    raise NotConverged(
        f"Newton's method found no solution of problem {problem.name!r} for "
        f"{int(wrong.sum())} of {len(wrong)} inputs: of number {worst} the last step "
        f"was {changes[worst]:.1e} of u, and {left[worst]:.1e} of the residual is left."
        " Is it well posed, with all initial and boundary values given? A finer grid "
        "or smoother inputs help; a problem with `solve` needs no Newton"
    )


def _norm(field: jax.Array) -> jax.Array:
    return jnp.linalg.norm(field.ravel())


def _in_double(value: Any) -> np.ndarray:
    """Numbers in double precision; whole ones, such as indices, as they are."""
    array = np.asarray(value)
    return array.astype(np.float64) if array.dtype.kind == "f" else array
