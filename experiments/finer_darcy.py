"""Darcy flow on a finer grid than that of the training:

python -m experiments.finer_darcy --output=results/finer_darcy.json

The operator that comes with the package was trained on 61 x 61 nodes. Its networks are
the same on every grid, and its correctors see the residual of the grid that they are
asked on, so it can be asked on finer ones as it is. Beside its errors, what solving the
equations of each grid exactly leaves: the grid's own.
"""

from typing import Any

import jax
import numpy as np
from absl import flags

import pilno_jax
from experiments.run.command import run_command
from experiments.run.outputs import require_file
from pilno_jax import data, evaluation
from pilno_jax.problems.darcy.solver import solve_flow
from pilno_jax.runs import environment, files

OUTPUT = flags.DEFINE_string("output", None, "The json to write.", required=True)
COUNT = flags.DEFINE_integer("count", 100, "Fresh media.", lower_bound=1)
POINTS = flags.DEFINE_multi_integer("points", [61, 121], "Nodes a side.", lower_bound=7)

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


def main(words: list[str]) -> None:
    del words
    output = require_file("output", OUTPUT.value)
    run = pilno_jax.load("darcy")
    rows = []
    for points in POINTS.value:
        rows.append(measured(run, points, COUNT.value))
        row = rows[-1]
        print(
            f"{points} x {points}: error {row['error']:.2e}, with "
            f"{row['corrections']:.1f} more corrections {row['corrected_error']:.2e}, "
            f"the grid's own {row['grid_error']:.2e}",
            flush=True,
        )
    content = {"count": COUNT.value, "rows": rows, **environment.environment()}
    files.write_json(output, content)


if __name__ == "__main__":
    run_command(main)
