"""How long the paper's recipes take beside the default ones, on one quiet machine:

    python -m benchmarks.printed_recipes

A training of a few steps of every stage measures a step and what passes before the
first, as in `time_to_accuracy`; a whole training is as many of them as its recipe has.
So trainings that ran for hours beside other work, or were too long for this machine,
stand beside those that took minutes. Writes results/printed_recipes.json.
"""

import argparse
import dataclasses
from collections.abc import Sequence
from typing import Any

from benchmarks import command
from benchmarks.time_to_accuracy import StageTime, stage_times
from experiments.suite.registry import fields_of

CONFIGS = ["burgers", "rd_ic", "diffusion", "rd_forcing"]
RECIPES = "paper", "staged"


def whole(times: Sequence[StageTime], steps: Sequence[int]) -> float:
    """Seconds of a training of so many steps in each stage."""
    each = zip(times, steps, strict=True)
    return sum(stage.before + count * stage.step for stage, count in each)


def measure(config: str, recipe: str) -> dict[str, Any]:
    """Steps and seconds of a whole training, and of its stages."""
    fields = fields_of(config, recipe)
    steps = [fields["train.steps"], *fields["stages.steps"]]
    times = stage_times(config, recipe)
    return {
        "steps": sum(steps),
        "seconds": whole(times, steps),
        "stages": [dataclasses.asdict(one) for one in times],
    }


def options() -> argparse.Namespace:
    parser = command.parser(__doc__, "printed_recipes", repeats=1)
    parser.add_argument(
        "--config", type=command.names, default=CONFIGS, help="which benchmarks"
    )
    return parser.parse_args()


def main() -> None:
    chosen, configs = options(), {}
    for config in chosen.config:
        configs[config] = {recipe: measure(config, recipe) for recipe in RECIPES}
        print(config, configs[config], flush=True)
    command.write(chosen.output, {"configs": configs})


if __name__ == "__main__":
    main()
