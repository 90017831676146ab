"""Ship a trained operator: one folder that needs jax and no pilno_jax.

python -m experiments.export --workdir=runs/burgers --output=shipped/burgers

`--points=64,51` exports it for another grid.
"""

from absl import app, flags

from experiments.run.open_run import flags_only, open_run
from pilno_jax.runs import exporting

WORKDIR = flags.DEFINE_string("workdir", None, "A trained run.", required=True)
OUTPUT = flags.DEFINE_string("output", None, "The folder to write.", required=True)
POINTS = flags.DEFINE_list("points", [], "Points of each axis; else the run's own.")


def main(arguments: list[str]) -> None:
    flags_only(arguments)
    run = open_run(WORKDIR.value)
    if POINTS.value:
        run = run.on(*map(int, POINTS.value))
    folder = exporting.export(run, OUTPUT.value)
    for path in sorted(folder.iterdir()):
        print(f"{path.stat().st_size:10,} bytes  {path}")


if __name__ == "__main__":
    app.run(main)
