"""Ship a trained operator: one folder that needs jax and no pilno_jax.

python -m experiments.export --workdir=runs/burgers --output=shipped/burgers
python -m experiments.export --workdir=burgers --output=burgers_onnx --format=onnx

`--points=64,51` exports it for another grid. ONNX programs need no jax either, and
answer one sample at a time; pip install "pilno-jax[onnx]" writes them.
"""

from pathlib import Path

from absl import flags

from experiments.run import outputs
from experiments.run.command import run_command
from experiments.run.open_run import open_run
from pilno_jax.checks import ArgumentError, require
from pilno_jax.runs import exporting, exporting_onnx
from pilno_jax.runs.trained_run import TrainedRun

WORKDIR = flags.DEFINE_string("workdir", None, "A trained run.", required=True)
OUTPUT = flags.DEFINE_string("output", None, "The folder to write.", required=True)
POINTS = flags.DEFINE_list("points", [], "Points of each axis; else the run's own.")
FORMAT = flags.DEFINE_enum(
    "format", "jax", ["jax", "onnx"], "Programs for jax, or one for ONNX runtimes."
)


def main(words: list[str]) -> None:
    del words
    points = POINTS.value
    whole = all(number.strip().isdigit() for number in points)
    require(whole, "points", ",".join(points), "whole numbers, as in 64,51")
    output = outputs.require_folder("output", OUTPUT.value)
    run = open_run(WORKDIR.value)
    if points:
        run = run.on(*map(int, points))
    outputs.require_writable(output)
    folder = _exported(run, output)
    for path in sorted(folder.iterdir()):
        print(f"{path.stat().st_size:10,} bytes  {path}")


def _exported(run: TrainedRun, output: Path) -> Path:
    if FORMAT.value == "jax":
        return exporting.export(run, output)
    try:
        return exporting_onnx.export_onnx(run, output)
    except NotImplementedError as error:
        raise ArgumentError(f"format: {error}") from error


if __name__ == "__main__":
    run_command(main)
