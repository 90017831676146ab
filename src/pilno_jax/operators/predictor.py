"""A network between a problem's features and its hard constraints is an operator."""

from collections.abc import Callable
from typing import Any, Protocol

import jax

from pilno_jax.problems.base import Inputs, Problem

Params = Any
Apply = Callable[..., Any]  # (params, features, axes) -> (*features' grid, channels)
Predict = Callable[[Params, Inputs], jax.Array]


class Network(Protocol):
    """What the library asks of a network; every Flax module with such a call has it."""

    def init(self, key: jax.Array, features: jax.Array, axes: Any) -> Params: ...

    def apply(self, params: Params, features: jax.Array, axes: Any) -> Any: ...


def initial_parameters(problem: Problem, network: Network, key: jax.Array) -> Params:
    """Parameters of `network` for `problem`; no value of a sample enters them."""
    features = jax.eval_shape(problem.features, _any_inputs(problem))
    blank = jax.numpy.zeros(features.shape, features.dtype)
    return network.init(key, blank, problem.grid.scaled)


def _any_inputs(problem: Problem) -> Inputs:
    return jax.eval_shape(problem.sample, jax.random.key(0))


def count_parameters(params: Params) -> int:
    """How many real numbers a network's parameters are."""
    return sum(leaf.size for leaf in jax.tree.leaves(params))


def predictor(problem: Problem, apply: Apply) -> Predict:
    """predict(params, inputs) -> u for a batch of inputs.

    `apply` sees the whole batch at once, because a network that knows its batch axis
    lays its matrix products out better than one that is vmapped.
    """

    def predict(params: Params, inputs: Inputs) -> jax.Array:
        features = jax.vmap(problem.features)(inputs)
        raw = apply(params, features, problem.grid.scaled)[..., 0]
        return jax.vmap(problem.constrain)(raw, inputs)

    return predict
