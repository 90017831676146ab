"""Long times: an operator of [0, T] applied again and again, each time where it ended.

    answer = rollout(run, {"u0": u0}, windows=10, tolerance=0.05)
    answer.u          (windows, *grid): NaN after the estimate exceeds the tolerance
    answer.error      (windows,): what the operator says of its own relative error
    answer.windows    how many are good

For autonomous problems (`Problem.next_window`). An error of one window is wrong initial
values of the next. What becomes of it there the derivative of the operator tells, and
what the window adds of its own, its residual (`Problem.error_of`): both are fields, of
one sign convention, and add up.
"""

from typing import Any, NamedTuple, Protocol, runtime_checkable

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from pilno_jax.checks import require
from pilno_jax.problems.base import Inputs, Problem

Fields = Float[Array, " batch *grid"]


@runtime_checkable
class Operator(Protocol):
    """What is rolled out: a `TrainedRun`, or anything else with these two."""

    @property
    def problem(self) -> Problem: ...

    def apply(self, inputs: Inputs) -> jax.Array:
        """u of a batch of inputs; pure, so that it can be differentiated."""
        ...


class Rollout(NamedTuple):
    """Windows in time, one after the other.

    Attributes:
        u: the field in each window, (windows, *grid), with the batch axis of the
            inputs, if any, in front.
        error: the estimate of its relative error, (windows,). It is not calibrated: of
            a `TrainedRun`, `error_bar` says what factor to expect.
        windows: how many have an estimate within the tolerance, up to the first that
            has not.
    """

    u: Float[Array, "..."]
    error: Float[Array, "..."]
    windows: Int[Array, "..."]


def rollout(
    operator: Operator,
    inputs: Inputs,
    windows: int,
    tolerance: float | None = None,
) -> Rollout:
    """The operator's answer to [0, windows T].

    Args:
        operator: of [0, T].
        inputs: of one sample or a batch, as `Problem.sample` has them.
        windows: how many times T; 10 is far for an operator with an error of 1e-3.
        tolerance: a relative error above which a sample is given up: from the first
            window whose estimate exceeds it, u and the estimate are NaN. Default None:
            none is.

    Raises:
        ArgumentError: The problem has no `next_window`: it is steady, say, or forced.
    """
    problem = operator.problem
    allowed = "a problem that goes on where it ends: set `next_window`"
    require(problem.next_window is not None, "problem", problem.name, allowed)
    require(windows >= 1, "windows", windows, "at least 1")
    fields = {name: jnp.asarray(value) for name, value in inputs.items()}
    one = jax.eval_shape(problem.sample, jax.random.key(0))
    single = all(fields[name].shape == one[name].shape for name in fields)
    if single:
        fields = {name: value[None] for name, value in fields.items()}
    limit = np.inf if tolerance is None else tolerance
    answer = jax.jit(lambda x: _windows(operator, x, windows, limit))(fields)
    return jax.tree.map(lambda x: x[0], answer) if single else answer


def _windows(
    operator: Operator, inputs: Inputs, windows: int, tolerance: float
) -> Rollout:
    """The scan over windows, of a batch."""
    problem = operator.problem
    following: Any = jax.vmap(problem.next_window)  # type: ignore[arg-type]

    def own_error(u: Fields, inputs: Inputs) -> Fields:
        def of_one(u: jax.Array, inputs: Inputs) -> jax.Array:
            return problem.error_of(problem.residual(u, inputs), u, inputs)

        return jax.vmap(of_one)(u, inputs)

    def judged(u: Fields, error: Fields, good: jax.Array) -> tuple:
        """What goes into the answer, and which samples go on."""
        size = _norms(error) / _norms(u)
        good = good & (size <= tolerance)
        seen = good.reshape(-1, *(1,) * (u.ndim - 1))
        return jnp.where(seen, u, jnp.nan), jnp.where(good, size, jnp.nan), good

    def advance(state: tuple, _: None) -> tuple:
        inputs, u, error, good = state

        def window(u: Fields) -> tuple[Fields, Inputs]:
            there = following(u, inputs)
            return operator.apply(there), there

        (u, there), (inherited, _) = jax.jvp(window, (u,), (error,))
        error = inherited + own_error(u, there)
        *answer, good = judged(u, error, good)
        return (there, u, error, good), (*answer, good)

    u = operator.apply(inputs)
    error = own_error(u, inputs)
    *first, good = judged(u, error, jnp.ones(len(u), bool))
    _, later = jax.lax.scan(advance, (inputs, u, error, good), length=windows - 1)
    every = (
        jnp.moveaxis(jnp.concatenate([one[None], others]), 0, 1)
        for one, others in zip((*first, good), later, strict=True)
    )
    fields, sizes, goods = every
    return Rollout(fields, sizes, jnp.sum(goods, 1))


def joined(problem: Problem, u: Any) -> np.ndarray:
    """Windows as one field over [0, windows T].

    Args:
        problem: whose `time_axis` they are joined along. The first time of a window is
            the last of the one before.
        u: (windows, *grid) of one sample.
    """
    assert problem.time_axis is not None
    first, *others = np.moveaxis(np.asarray(u), problem.time_axis + 1, 1)
    whole = np.concatenate([first, *(one[1:] for one in others)])
    return np.moveaxis(whole, 0, problem.time_axis)


def _norms(fields: Fields) -> Float[Array, " batch"]:
    return jnp.linalg.norm(fields.reshape(len(fields), -1), axis=1)
