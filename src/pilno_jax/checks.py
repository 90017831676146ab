"""Errors that name the argument, the value found and what is allowed."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from jax.core import Tracer


def require(condition: bool, name: str, value: Any, allowed: str) -> None:
    if not condition:
        raise ValueError(f"{name} = {value!r} is not allowed: expected {allowed}")


def require_positive(**values: float) -> None:
    for name, value in values.items():
        require(value > 0, name, value, "a positive number")


def require_choice(name: str, value: Any, choices: Iterable[Any]) -> None:
    choices = list(choices)
    require(value in choices, name, value, f"one of {choices}")


def require_fields(
    inputs: Mapping[str, Any], shapes: Mapping[str, tuple[int, ...]]
) -> None:
    """`inputs` holds every named field, in its shape and, where known, finite.

    Shapes are known while tracing; values only outside it, so the finiteness of a
    traced field is left to whoever made the concrete one.
    """
    for name, shape in shapes.items():
        require(name in inputs, "inputs", sorted(inputs), f"an entry {name!r}")
        found = np.shape(inputs[name])
        require(found == shape, f"shape of {name}", found, f"{shape}, one sample")
        require_finite(name, inputs[name])


def require_finite(name: str, value: Any) -> None:
    if isinstance(value, Tracer):
        return
    bad = int(np.size(value) - np.isfinite(value).sum())
    require(bad == 0, name, f"<array with {bad} NaN or infinite entries>", "finite")
