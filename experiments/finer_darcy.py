"""Darcy flow on a finer grid than that of the training:

python -m experiments.finer_darcy --output=results/finer_darcy.json

The operator that comes with the package was trained on 61 x 61 nodes. Its networks are
the same on every grid, and its correctors see the residual of the grid that they are
asked on, so it can be asked on finer ones as it is. Beside its errors, what solving the
equations of each grid exactly leaves: the grid's own.
"""

from absl import flags

import pilno_jax
from experiments.run.command import run_command
from experiments.run.outputs import require_file
from experiments.suite.finer_grids import measured
from pilno_jax.runs import environment, files

OUTPUT = flags.DEFINE_string("output", None, "The json to write.", required=True)
COUNT = flags.DEFINE_integer("count", 100, "Fresh media.", lower_bound=1)
POINTS = flags.DEFINE_multi_integer("points", [61, 121], "Nodes a side.", lower_bound=7)


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
