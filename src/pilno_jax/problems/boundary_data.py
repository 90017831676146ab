"""Boundary data as inputs of a problem, built in by a lifting.

A lifting is any field with the given data on the boundary (and at the start). What a
network adds to it has zero data, as in the problem without: so the problem's hard
constraints keep their form, and penalties see u less the lifting.
"""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp

from pilno_jax.problems.base import InputField, Inputs, Problem

FieldOf = Callable[[Inputs], jax.Array]


def with_boundary_data(
    problem: Problem,
    *,
    draw: Callable[[jax.Array], Inputs],
    lifting: FieldOf,
    channels: FieldOf,
    declared: Mapping[str, InputField],
) -> Problem:
    """The problem with zero data, with others instead that every sample draws.

    Args:
        problem: its `solve` reads the data already.
        draw: key of the whole sample -> the data.
        lifting: inputs -> a field with these data, of as many axes as u; one that does
            not change along an axis may have the length 1 there.
        channels: inputs -> (*grid, channels), what the network sees of the data.
        declared: the data among the problem's inputs.
    """

    def with_draw(
        sample: Callable[[jax.Array], Inputs],
    ) -> Callable[[jax.Array], Inputs]:
        return lambda key: sample(key) | draw(key)

    def features(inputs: Inputs) -> jax.Array:
        return jnp.concatenate([problem.features(inputs), channels(inputs)], -1)

    def constrain(raw: jax.Array, inputs: Inputs) -> jax.Array:
        return lifting(inputs) + problem.constrain(raw, inputs)

    def off(penalty: Callable[..., Any]) -> Callable[..., Any]:
        return lambda u, inputs: penalty(u - lifting(inputs), inputs)

    # Data on another grid have words behind their symbol, and are the same data.
    symbols = [one.symbol.strip("$") for one in declared.values()]
    symbols = [symbol for symbol in symbols if "$" not in symbol]
    return dataclasses.replace(
        problem,
        sample=with_draw(problem.sample),
        sample_virtual=with_draw(problem.sample_virtual),
        features=features,
        constrain=constrain,
        constraints={k: off(one) for k, one in problem.constraints.items()},
        inputs={**problem.inputs, **declared},
        statement=problem.statement.with_constants([], symbols),
    )
