"""What predictions are compared with: the solver, or a zero of the residual."""

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from pilno_jax.evaluation.newton import MOST_NODES, NotConverged, newton
from pilno_jax.problems import Inputs, Problem

OWN_INPUT = (
    "inputs of your own have no closed-form solution here; what the operator says of "
    "its own error still holds"
)


class NoReference(Exception):
    """Why there is nothing to compare a prediction with."""


def reference(problem: Problem) -> Callable[[Inputs, jax.Array], Any]:
    """(inputs, prediction) -> the truth, by the solver or from the residual alone."""
    if problem.solve is not None:
        solve = jax.jit(problem.solve)

        def by_solver(inputs: Inputs, u: jax.Array) -> jax.Array:
            del u
            if not problem.solvable(inputs):
                raise NoReference(OWN_INPUT)
            return solve(inputs)

        return by_solver
    if problem.grid.size > MOST_NODES:
        return _without_reference
    find = newton(problem)

    def by_newton(inputs: Inputs, u: jax.Array) -> np.ndarray:
        batch = jax.tree.map(lambda x: np.asarray(x)[None], inputs)
        try:
            return find(batch, start=np.asarray(u)[None]).u[0]
        except NotConverged:
            raise NoReference("Newton's method finds no solution") from None

    return by_newton


def _without_reference(inputs: Inputs, u: jax.Array) -> jax.Array:
    del inputs, u
    raise NoReference("the problem has no solver, and too many nodes for Newton")
