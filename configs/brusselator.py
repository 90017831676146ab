"""The Brusselator in x, 25 labels at length scale 0.5: the benchmark of two fields.

    python -m experiments.brusselator --config=configs/brusselator.py

The paper has no such problem; `:paper` takes its common settings and layer sizes. The
recipes are those of Burgers' equation, which is as oscillatory, with a channel for each
field.
"""

from experiments.config.problem_and_model import model, problem
from experiments.config.recipes import (
    LENGTH_SCALES,
    PAPER_WEIGHTS,
    choose,
    exponential_causality,
    in_stages,
    paper_training,
)
from experiments.config.schema import RunConfig, Train


def get_config(recipe: str = "staged") -> RunConfig:
    return choose(recipe, staged, fast, paper)


def staged() -> RunConfig:
    """The network of `fast`, trained for less time, and a corrector of what it left.

    By Muon, which needs fewer steps, as reaction-diffusion's recipe does.
    """
    stages = in_stages(fast(), steps=600, corrector_steps=(400,))
    return stages.changed({"train.optimizer": "muon"})


def fast() -> RunConfig:
    return RunConfig(
        recipe="fast",
        problem=problem("brusselator"),
        model=model(
            "alno",
            width=32,
            num_layers=4,
            activation="gelu",
            out_channels=2,
            modes=(10, 10),
            poles=(4, 4),
            period=(1.0, 1.5),
        ),
        train=Train(steps=6000),
        evaluation=LENGTH_SCALES,
    )


def paper() -> RunConfig:
    return RunConfig(
        recipe="paper",
        problem=problem("brusselator", hard_constraints=False),
        model=model(
            "alno",
            width=32,
            num_layers=4,
            activation="tanh",
            out_channels=2,
            modes=(14, 14),
            poles=(14, 14),
        ),
        train=paper_training(num_virtual=1000),
        weights=PAPER_WEIGHTS,
        causality=exponential_causality(rate=5.0),
        evaluation=LENGTH_SCALES,
    )
