"""How good a training is how soon, for one network and in stages:

    python -m benchmarks.time_to_accuracy --root=runs/reproduce

Errors are the validation errors that the finished runs there logged
(`experiments.benchmarks --parts=staged,fast`); of a run that is not there, the last one
is taken from results/. Seconds are their steps times what a
step takes on this machine: a training of a few steps of every stage measures it, and
what passes before the first step of each, with nothing solved or compiled before. So
runs that were trained beside other work show what they cost alone. Writes
results/time_to_accuracy.json and docs/figures/time-to-accuracy.png.
"""

import argparse
import dataclasses
import itertools
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from benchmarks import command
from experiments.paper import printed
from experiments.suite.registry import BENCHMARKS, WITH_GOAL, fields_of
from experiments.suite.run_spec import RunSpec
from pilno_jax import plotting
from pilno_jax.runs import files, metrics_log
from pilno_jax.runs.run_folder import RunFolder

RECIPES = {"fast": "one network", "staged": "in stages"}
FIGURE = Path("docs/figures/time-to-accuracy.png")
ROWS, STEPS_PER_ROW = 4, 10  # of a timed training, in each stage
Row = dict[str, Any]


@dataclasses.dataclass(frozen=True)
class StageTime:
    """Seconds before the first step of a stage, compilation and all, and of a step."""

    before: float
    step: float


def stage_times(config: str, recipe: str) -> list[StageTime]:
    """Of each stage, measured by a short training of the recipe."""
    steps = ROWS * STEPS_PER_ROW
    stages = len(fields_of(config, recipe)["stages.steps"])
    short = RunSpec(config, recipe).but(
        {
            "train.steps": steps,
            "train.log_every": STEPS_PER_ROW,
            "train.checkpoint_every": steps,
            "stages.steps": (steps,) * stages,
            # Nothing behind the last row is timed.
            "data.num_test": 2,
            "evaluation.over": (),
        }
    )
    with tempfile.TemporaryDirectory() as folder:
        root, cache = Path(folder), Path(folder) / "cache"
        subprocess.run(
            short.command(root, cache),
            check=True,
            stdout=subprocess.DEVNULL,
            env=os.environ | {"XDG_CACHE_HOME": folder},
        )
        rows = metrics_log.read_metrics(RunFolder(short.workdir(root)).metrics)
    return times_in(rows)


def times_in(rows: list[Row]) -> list[StageTime]:
    """Of each stage: the fastest step, and what passed from the stage before."""
    times, ended = [], 0.0
    for _, of_stage in itertools.groupby(rows, lambda row: row.get("stage", 1)):
        logged = list(of_stage)
        step = min(row["step_ms"] for row in logged if "step_ms" in row) / 1e3
        before = logged[0]["elapsed"] - ended - STEPS_PER_ROW * step
        times.append(StageTime(max(before, 0.0), step))
        ended = logged[-1]["elapsed"]
    return times


def curve(rows: list[Row], times: list[StageTime]) -> list[Row]:
    """Seconds, validation error and stage of each row that was validated."""
    points, seconds, last_stage, last_step = [], 0.0, 0, 0
    for row in rows:
        stage = row.get("stage", 1)
        for entered in range(last_stage, stage):
            seconds += times[entered].before
        seconds += (row["step"] - last_step) * times[stage - 1].step
        last_stage, last_step = stage, row["step"]
        if "validation" in row:
            points.append(
                {"seconds": seconds, "error": row["validation"], "stage": stage}
            )
    return points


def seconds_to(error: float, points: list[Row]) -> float | None:
    """When a curve was first below an error."""
    return next((one["seconds"] for one in points if one["error"] <= error), None)


def logged_rows(config: str, recipe: str, root: Path) -> list[Row]:
    """The log of a finished run, or its last row as results/ have it."""
    folder = RunFolder(RunSpec(config, recipe).workdir(root))
    if folder.is_finished:
        return metrics_log.read_metrics(folder.metrics)
    path = Path(f"results/{config}_{recipe}.json")
    if not path.exists():
        return []
    first, *_ = files.read_json(path)
    last_stage = 1 + len(fields_of(config, recipe)["stages.steps"])
    ended = {"step": first["steps"], "validation": first["validation"]}
    return [{**ended, "stage": last_stage}]


def measure(config: str, root: Path) -> dict[str, Any]:
    """The curves of a benchmark's finished runs, by recipe."""
    paper = printed.BENCHMARK_ERRORS.get(config)
    measured: dict[str, Any] = {"paper": paper and paper.pilno}
    for recipe in RECIPES:
        rows = logged_rows(config, recipe, root)
        if not rows:
            continue
        times = stage_times(config, recipe)
        points = curve(rows, times)
        measured[recipe] = {
            "stages": [dataclasses.asdict(one) for one in times],
            "curve": points,
            "seconds": points[-1]["seconds"],
            "seconds_to_the_papers_error": paper and seconds_to(paper.pilno, points),
        }
        print(config, recipe, measured[recipe]["stages"], flush=True)
    return measured


def draw(configs: dict[str, Any]) -> None:
    figure = plotting.time_figure(
        {
            BENCHMARKS[config].title: (
                {
                    label: (
                        [point["seconds"] for point in one[recipe]["curve"]],
                        [point["error"] for point in one[recipe]["curve"]],
                    )
                    for recipe, label in RECIPES.items()
                    if recipe in one
                },
                one["paper"],
            )
            for config, one in configs.items()
        }
    )
    plotting.save(figure, FIGURE)


def options() -> argparse.Namespace:
    parser = command.parser(__doc__, "time_to_accuracy", repeats=1)
    runs = Path("runs/reproduce")
    parser.add_argument("--root", type=Path, default=runs, help="where the runs are")
    parser.add_argument(
        "--config", type=command.names, default=WITH_GOAL, help="which benchmarks"
    )
    return parser.parse_args()


def main() -> None:
    chosen, configs = options(), {}
    for config in chosen.config:
        measured = measure(config, chosen.root)
        if measured.keys() & RECIPES.keys():
            configs[config] = measured
    command.write(chosen.output, {"configs": configs})
    draw(configs)


if __name__ == "__main__":
    main()
