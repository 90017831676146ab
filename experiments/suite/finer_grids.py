"""Darcy's operator on another grid than that of its training, beside the grid's own."""

from typing import Any

import jax
import numpy as np

import pilno_jax
from pilno_jax import data, evaluation
from pilno_jax.problems.darcy.solver import solve_flow

# Below any error: corrections go on as long as the estimate falls.
TOLERANCE = 1e-6


def measured(run: pilno_jax.TrainedRun, points: int, count: int) -> dict[str, Any]:
    """Errors on a grid of so many nodes a side.

    Args:
        run: Darcy's operator.
        points: nodes a side.
        count: fresh media, of which the reference solves a finer grid.
    """
    asked = run.on(points, points)
    labelled = data.generate(asked.problem, jax.random.key(0), count)
    inputs, truths = labelled["inputs"], labelled["labels"]
    errors = evaluation.relative_errors(asked.predict(inputs), truths)
    further = asked.predict(inputs, tolerance=TOLERANCE)
    exact = jax.lax.map(lambda a: solve_flow(*a), (inputs["a_x"], inputs["a_y"]))
    grid_errors = evaluation.relative_errors(np.asarray(exact), truths)
    corrected = evaluation.relative_errors(further.u, truths)
    return {
        "points": points,
        "error": float(errors.mean()),
        "largest": float(errors.max()),
        "corrected_error": float(corrected.mean()),
        "corrections": float(np.mean(further.applications)),
        "grid_error": float(grid_errors.mean()),
    }
