"""What an operator can say of its own error, without a label or a solver:

error of u  ~  |e| / |u|,   e = error_of(residual(u))

in the words of `Problem.error_of`.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Shaped

from pilno_jax.problems.base import Inputs, Problem

Fields = Float[Array, " batch *grid"]
Sizes = Callable[[Inputs, Fields], Float[Array, " batch"]]


def error_norms(problem: Problem) -> Sizes:
    """(inputs, u) -> the norm of what the residual tells of the error, per sample.

    Args:
        problem: its residual and `error_of`.
    """

    def norm(inputs: Inputs, u: Float[Array, "*grid"]) -> Float[Array, ""]:
        error = problem.error_of(problem.residual(u, inputs), u, inputs)
        return jnp.linalg.norm(error.ravel())

    return jax.vmap(norm)


def error_sizes(problem: Problem) -> Sizes:
    """(inputs, u) -> what the residual tells of the relative L2 error, per sample.

    Args:
        problem: its residual and `error_of`.
    """
    norms = error_norms(problem)

    def sizes(inputs: Inputs, u: Fields) -> Float[Array, " batch"]:
        return norms(inputs, u) / jax.vmap(lambda one: jnp.linalg.norm(one.ravel()))(u)

    return sizes


def choose(
    which: Bool[Array, " batch"],
    first: Shaped[Array, " batch *rest"],
    second: Shaped[Array, " batch *rest"],
) -> Shaped[Array, " batch *rest"]:
    """Sample by sample, the first where `which` is true and else the second."""
    return jnp.where(which.reshape((-1,) + (1,) * (first.ndim - 1)), first, second)
