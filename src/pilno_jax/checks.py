"""Errors that name the argument, the value found and what is allowed."""

from collections.abc import Iterable, Mapping
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import dtypes
from jax.core import Tracer
from jax.tree_util import keystr, tree_leaves_with_path


class ArgumentError(ValueError):
    """A value that the caller gave and that is not allowed; its text is one line.

    A class of its own, so that a program can answer it with that line and still show
    the traceback of every other error, which is a bug.
    """


def require(condition: bool, name: str, value: Any, allowed: str) -> None:
    """An `ArgumentError` unless the condition holds.

    Args:
        condition: what must be true of the value.
        name: the argument as the caller knows it, for example `train.steps`.
        value: what was given.
        allowed: what would be right, to be read after "expected".
    """
    if not condition:
        raise ArgumentError(f"{name} = {value!r} is not allowed: expected {allowed}")


def is_number(value: Any) -> bool:
    """Whether it is one real number, of Python, NumPy or JAX."""
    return np.ndim(value) == 0 and np.asarray(value).dtype.kind in "iuf"


def require_positive(**values: float) -> None:
    for name, value in values.items():
        fits = is_number(value) and value > 0
        require(fits, name, value, "a positive number")


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
    """Real numbers that are finite, also in the precision JAX will give them."""
    if isinstance(value, Tracer):
        return
    array = np.asarray(value)
    real = array.dtype == bool or jnp.issubdtype(array.dtype, np.number)
    real = real and not jnp.issubdtype(array.dtype, np.complexfloating)
    require(real, f"dtype of {name}", str(array.dtype), "real numbers")
    precision = dtypes.canonicalize_dtype(array.dtype)
    with np.errstate(over="ignore"):
        bad = int(array.size - np.isfinite(array.astype(precision)).sum())
    given = f"<array with {bad} NaN or infinite entries>"
    require(bad == 0, name, given, f"finite numbers, in {precision}")


def require_finite_tree(name: str, tree: Any) -> None:
    """The same of every array of a tree, such as the parameters of a network."""
    for path, leaf in tree_leaves_with_path(tree):
        require_finite(f"{name} {keystr(path, simple=True, separator='/')}", leaf)
