"""A network between a problem's features and its hard constraints is an operator."""

import os
from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

import jax
from jax.core import Tracer
from jaxtyping import Array, Float

from pilno_jax.checks import require
from pilno_jax.problems.base import Inputs, Problem

Params = Any
Apply = Callable[..., Any]  # (params, features, axes) -> (*features' grid, channels)
Predict = Callable[[Params, Inputs], Float[Array, " batch *grid"]]


@runtime_checkable
class Network(Protocol):
    """What the library asks of a network; a Flax module with such a call has it.

    features: (*grid, channels), with or without a batch axis in front.
    axes: the scaled coordinates of each axis, in NumPy's arrays, whose values are known
        while a program is traced (`Grid.unit_nodes`), or in JAX's (`Grid.scaled`).
    """

    def init(self, key: jax.Array, features: Any, axes: Any, /) -> Params: ...

    def apply(self, params: Params, features: Any, axes: Any, /) -> Any: ...


def corrector_channels(problem: Problem) -> int:
    """What a corrector sees beside the features.

    Of every field its value, its error and its residual; and the size of the error.
    """
    return 3 * max(len(problem.fields), 1) + 1


def initial_parameters(
    problem: Problem, network: Network, key: jax.Array, stage: int = 1
) -> Params:
    """Parameters of a network that fit a problem's features and grid.

    Args:
        problem: its features and grid decide the shapes; none is computed.
        network: an ALNO, say, or any other Flax module called like it.
        key: of the random initial values; the same key gives the same parameters.
        stage: 1 (the default) for a first network; correctors, 2 and up, see
            `corrector_channels` beside the features.
    """
    inputs = jax.eval_shape(problem.sample, jax.random.key(0))
    features = jax.eval_shape(problem.features, inputs)
    *grid, channels = features.shape
    channels += corrector_channels(problem) if stage > 1 else 0
    blank = jax.numpy.zeros((*grid, channels), features.dtype)
    # Compiled as a whole: one by one, its many small operations take twice as long.
    return jax.jit(
        lambda key: network.init(key, blank, problem.grid.unit_nodes()),
        compiler_options=_options(key),
    )(key)


def _options(key: jax.Array) -> dict[str, int] | None:
    """On a CPU most of this program's time is that of its compilation: less of it.

    The numbers are the same bits. Inside another compiled function there is no choice,
    and whoever has made one for all programs keeps it.
    """
    level = "xla_backend_optimization_level"
    free = not isinstance(key, Tracer) and level not in os.environ.get("XLA_FLAGS", "")
    return {level: 1} if free and jax.default_backend() == "cpu" else None


def count_parameters(params: Params) -> int:
    """How many real numbers a network's parameters are."""
    return sum(leaf.size for leaf in jax.tree.leaves(params))


def predictor(problem: Problem, apply: Apply) -> Predict:
    """The operator: predict(params, inputs) -> u for a batch of inputs.

    Args:
        problem: gives the features of the inputs and the hard constraints of u.
        apply: (params, features, axes) -> the network's output, whose first channel
            counts; of several fields, a channel for each. It sees the whole batch at
            once, because a network that knows its batch axis lays its matrix products
            out better than one that is vmapped.
    """

    def predict(params: Params, inputs: Inputs) -> Float[Array, " batch *grid"]:
        features = jax.vmap(problem.features)(inputs)
        raw = of_fields(problem, apply(params, features, problem.grid.unit_nodes()))
        return jax.vmap(problem.constrain)(raw, inputs)

    return predict


def of_fields(problem: Problem, output: jax.Array) -> jax.Array:
    """What of a network's output stands for u.

    Args:
        problem: of one field, which the first channel is, or of several, each of which
            has a channel.
        output: (..., channels).
    """
    if not problem.fields:
        return output[..., 0]
    channels, names = output.shape[-1], ", ".join(problem.fields)
    allowed = f"{len(problem.fields)}, one for each of {names}"
    fits = channels == len(problem.fields)
    require(fits, "channels of the network's output", channels, allowed)
    return output
