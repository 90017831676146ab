"""Labels that the equation speaks against, though all their shapes are right."""

from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np

from pilno_jax.checks import ArgumentError, require
from pilno_jax.data.user_arrays import Labelled
from pilno_jax.evaluation import error_estimate
from pilno_jax.problems.base import Problem

# Relative distance of labels from the values that inputs prescribe: noise may be in it.
LARGEST_MISMATCH = 0.1
# Labels the other way round, with less than this part of the residual, are the truth.
SMALLER_RESIDUAL = 0.3
NUM_TURNED = 8


def require_prescribed(mine: Labelled) -> None:
    """Labels have the values that hard constraints build in: the initial ones, say.

    Args:
        mine: labels on the whole grid, and their distances from those values.

    Raises:
        ArgumentError: Some are far from them.
    """
    if mine.mismatches is None:
        return
    worst = int(np.argmax(mine.mismatches))
    distance = float(mine.mismatches[worst])
    allowed = (
        f"at most {LARGEST_MISMATCH:g} of the size of u, in sample {worst}: are "
        "inputs and labels in the same order, and the axes of u those of the grid?"
    )
    text = "distance of labels from the initial and boundary values of their inputs"
    fits = distance <= LARGEST_MISMATCH
    require(fits, text, float(f"{distance:.2g}"), allowed)


def require_this_way_round(problem: Problem, mine: Labelled) -> None:
    """No other order of the labels along their axes leaves much less of the residual.

    Axes that are reversed, or exchanged with one as long, have the right shape.

    Args:
        problem: with the residual that tells.
        mine: labels on the whole grid, and what the residual is as they are.

    Raises:
        ArgumentError: One does, and is named.
    """
    if mine.residuals is None or not len(mine.residuals):
        return
    few = {k: v[:NUM_TURNED] for k, v in mine.data["inputs"].items()}
    labels = mine.data["labels"][:NUM_TURNED]
    residuals = jax.jit(error_estimate.residuals(problem))
    as_given = float(np.median(mine.residuals[:NUM_TURNED]))
    for turned, words in _turned(problem, labels):
        residual = float(np.median(residuals(jnp.asarray(turned), few)))
        if residual < SMALLER_RESIDUAL * as_given:
            raise ArgumentError(
                f"u seems to have {words}: so its residual is {residual:.1e}, as given "
                f"{as_given:.1e}"
            )


def _turned(problem: Problem, labels: np.ndarray) -> Iterator[tuple[np.ndarray, str]]:
    axes = problem.grid.axes
    for number, axis in enumerate(axes, 1):
        yield np.flip(labels, number), f"its axis {axis.name} reversed"
        for other, second in enumerate(axes[number:], number + 1):
            if axis.num_points == second.num_points:
                words = f"its axes {axis.name} and {second.name} exchanged"
                yield np.swapaxes(labels, number, other), words
