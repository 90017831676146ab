"""How exactly matrix products are computed: the network's as asked, physics' in full.

The levels are those of `jax.default_matmul_precision`. What they cost depends on the
back end: a CPU computes all of them in float32; "default" and "bfloat16" are one
bfloat16 pass on a TPU and TF32 on a recent GPU, "tensorfloat32" lies in between.
"""

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from pilno_jax.checks import require_choice

PRECISIONS = ("default", "bfloat16", "tensorfloat32", "float32")


def in_precision(function: Callable[..., Any], precision: str) -> Callable[..., Any]:
    """`function` with its matrix products, and its gradient's, in that precision.

    Args:
        function: of arrays.
        precision: one of `PRECISIONS`. "default" is the fastest; "float32" costs
            nothing on a CPU and is right for solvers and residuals on any device.
    """
    require_choice("matmul_precision", precision, PRECISIONS)

    @functools.wraps(function)
    def called(*arguments: Any) -> Any:
        with jax.default_matmul_precision(precision):
            return function(*arguments)

    return called


def in_floats(values: Any) -> Any:
    """A tree of arrays whose whole numbers and truth values have become real numbers.

    A person writes a step as 0 and 1; matrices cast to whole numbers would be wrong.
    """

    def real(value: Any) -> Any:
        inexact = jnp.issubdtype(jnp.result_type(value), jnp.inexact)
        return value if inexact else jnp.asarray(value, float)

    return jax.tree.map(real, values)
