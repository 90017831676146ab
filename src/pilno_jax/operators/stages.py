"""An operator in stages: a first network, then correctors of what it left.

    u_1     = constrain(network_1(features))
    u_{k+1} = u_k + rho_k (constrain(raw_k) - constrain(0)) / scale
    raw_k   = network_k(features, (u_k - constrain(0)) / scale,
                        e_k / rho_k, asinh(r_k / |r_k|), log10(rho_k / scale))

r_k is the residual of u_k, e_k what it tells of the error (`Problem.error_of`) and
rho_k the size of e_k, a number per sample. Because rho_k multiplies the output and
divides what the network sees, a corrector has no scale: it learns directions, and the
next one sees numbers of size one again. `constrain` is affine in raw, so a correction
cannot break a hard constraint. Several fields share one rho, in units of the scale of
each; |r_k| is a number for each, since equations have units of their own.
"""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from pilno_jax.operators.error_sizes import Fields, choose, error_norms
from pilno_jax.operators.predictor import (
    Apply,
    Params,
    Predict,
    of_fields,
    predictor,
)
from pilno_jax.problems.base import Inputs, Problem, on_whole_grid

Correct = Callable[[Params, Inputs, Fields], Fields]

# Below this share of the solution's scale a residual is rounding, not information.
SMALLEST = 1e-10


def corrector(problem: Problem, apply: Apply) -> Correct:
    """(params, inputs, u) -> a better u, for a batch of inputs and their fields.

    Args:
        problem: its residual, `error_of`, `scale` and `into_frame` make what the
            network sees, its `constrain` what becomes of the network's output.
        apply: (params, features, axes) -> the network's output, whose first channel
            counts; of several fields, a channel for each. Its features are the
            problem's and `corrector_channels` more.
    """
    several = bool(problem.fields)

    def look(inputs: Inputs, u: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Of one sample, the channels of a corrector and the size rho of e."""
        scale = _scale(inputs, u)
        residual = problem.residual(u, inputs)
        error = problem.error_of(residual, u, inputs)
        if several:
            rho = scale * jnp.maximum(_rms(error / scale), SMALLEST)
        else:
            rho = jnp.maximum(_rms(error), SMALLEST * scale)
        residual = on_whole_grid(residual, problem.grid)
        size = _rms(residual, each_field=several)
        residual = residual / jnp.maximum(size, jnp.finfo(u.dtype).tiny)
        fields = [(u - _lifting(u, inputs)) / scale, error / rho, jnp.arcsinh(residual)]
        if several:
            log_rho = jnp.log10(rho / scale).ravel()[0]  # of each field the same
            log_rho = jnp.full((*u.shape[:-1], 1), log_rho)
        else:
            log_rho = jnp.full_like(u, jnp.log10(rho / scale))
        seen = [problem.into_frame(field, inputs) for field in fields]
        together = jnp.concatenate if several else jnp.stack
        return together([*seen, log_rho], -1), rho

    def change(raw: jax.Array, inputs: Inputs, rho: jax.Array) -> jax.Array:
        """Of one sample, the correction that the network's output stands for."""
        constrained = problem.constrain(raw, inputs) - _lifting(raw, inputs)
        return rho / _scale(inputs, raw) * constrained

    def _scale(inputs: Inputs, u: jax.Array) -> Any:
        """A number or, of several fields, one for each, to be multiplied with them."""
        scale = problem.scale(inputs)
        if not several:
            return scale
        ones = jnp.ones((1,) * len(problem.grid.axes) + u.shape[-1:], u.dtype)
        return ones * jnp.reshape(scale, (1,) * len(problem.grid.axes) + (-1,))

    def _lifting(like: jax.Array, inputs: Inputs) -> jax.Array:
        """What the hard constraints alone say."""
        return problem.constrain(jnp.zeros_like(like), inputs)

    def correct(params: Params, inputs: Inputs, u: Fields) -> Fields:
        channels, rho = jax.vmap(look)(inputs, u)
        features = [jax.vmap(problem.features)(inputs), channels]
        raw = apply(params, jnp.concatenate(features, -1), problem.grid.unit_nodes())
        return u + jax.vmap(change)(of_fields(problem, raw), inputs, rho)

    return correct


def staged_predictor(
    problem: Problem, applies: Sequence[Apply], last_applied: int = 1
) -> Predict:
    """(a tuple of the stages' parameters, inputs) -> u, one stage after the other.

    Args:
        problem: the PDE family.
        applies: the stages' networks: the first predicts, the others correct.
        last_applied: how often the last corrector is applied, as long as what
            residuals tell of errors falls. Default 1; 2 often gains another factor for
            the time of one more network.
    """
    every_field = stage_fields(problem, applies, last_applied)

    def staged(params: Sequence[Params], inputs: Inputs) -> Fields:
        return every_field(params, inputs)[-1]

    return staged


def stage_fields(
    problem: Problem, applies: Sequence[Apply], last_applied: int = 1
) -> Callable[[Sequence[Params], Inputs], list[Fields]]:
    """(parameters, inputs) -> the field after the first network and each correction.

    Args:
        problem: the PDE family.
        applies: the stages' networks.
        last_applied: how often the last corrector is applied. Default 1.
    """
    first, *others = applies
    predict = predictor(problem, first)
    correctors = [corrector(problem, apply) for apply in others]
    norms = error_norms(problem)

    def fields(params: Sequence[Params], inputs: Inputs) -> list[Fields]:
        after = [predict(params[0], inputs)]
        repeated = last_applied > 1 and bool(correctors)
        once = correctors[:-1] if repeated else correctors
        for correct, own in zip(once, params[1:], strict=not repeated):
            after.append(correct(own, inputs, after[-1]))
        if repeated:
            after.extend(_repeat(correctors[-1], params[-1], inputs, after[-1]))
        return after

    def _repeat(
        correct: Correct, own: Params, inputs: Inputs, u: Fields
    ) -> list[Fields]:
        """The fields after each application, in a loop that is compiled once."""

        def apply_once(best: tuple, _: None) -> tuple[tuple, Fields]:
            following = correct(own, inputs, best[0])
            norm = norms(inputs, following)
            # Far from its training a corrector may amplify what it has left.
            better = norm < best[1]
            u = choose(better, following, best[0])
            return (u, choose(better, norm, best[1])), u

        start = u, jnp.full(u.shape[:1], jnp.inf, u.dtype)  # the first one is taken
        return list(jax.lax.scan(apply_once, start, length=last_applied)[1])

    return fields


def _rms(field: jax.Array, each_field: bool = False) -> jax.Array:
    if each_field:
        nodes = tuple(range(field.ndim - 1))
        return jnp.sqrt(jnp.mean(field**2, nodes, keepdims=True))
    return jnp.sqrt(jnp.mean(field**2))
