"""How near to the truth the equations of a grid are: what training aims at."""

import jax
import numpy as np

from pilno_jax import evaluation, problems
from pilno_jax.evaluation.newton import newton


def distances_to_zeros(problem: problems.Problem, keys: jax.Array) -> list[float]:
    """From the reference of each draw to the nearest zero of the residual.

    Args:
        problem: with a solver.
        keys: one for each draw.
    """
    inputs = jax.vmap(problem.sample)(keys)
    truths = jax.jit(jax.vmap(problem.solver()))(inputs)
    zeros = newton(problem)(inputs, start=np.asarray(truths)).u
    return evaluation.relative_errors(zeros, truths).tolist()
