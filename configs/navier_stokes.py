"""Vorticity in the plane, 25 labels: the example of three axes.

    python -m experiments.navier_stokes --config=configs/navier_stokes.py

The paper has no such problem; `:paper` takes its common settings and layer sizes. x and
y are periodic: their transient branch keeps the Fourier modes, only time has poles.
"""

from experiments.config.problem_and_model import model, problem
from experiments.config.recipes import (
    PAPER_WEIGHTS,
    choose,
    exponential_causality,
    in_few_stages,
    paper_training,
)
from experiments.config.schema import Evaluation, RunConfig, Train, Weights

TWO_LENGTH_SCALES = Evaluation(vary="length_scale", over=(1.0, 2.0))


def get_config(recipe: str = "staged") -> RunConfig:
    return choose(recipe, staged, fast, paper)


def staged() -> RunConfig:
    """The network of `fast`, trained for less time, and a corrector of what it left."""
    return in_few_stages(fast())


def fast() -> RunConfig:
    return RunConfig(
        recipe="fast",
        problem=problem("navier_stokes"),
        model=model(
            "alno",
            width=16,
            num_layers=3,
            activation="gelu",
            modes=(6, 6, 5),
            poles=(0, 0, 3),
            period=(1.0, 1.0, 1.5),
        ),
        train=Train(batch_data=2, batch_physics=6, steps=4000),
        # Residuals are in units of sigma / T per vortex turned: ten times u's own.
        weights=Weights(data=1.0, pde=0.1, virtual=1.0),
        evaluation=TWO_LENGTH_SCALES,
    )


def paper() -> RunConfig:
    return RunConfig(
        recipe="paper",
        problem=problem("navier_stokes", hard_constraints=False),
        model=model(
            "alno",
            width=32,
            num_layers=4,
            activation="tanh",
            modes=(8, 8, 6),
            poles=(8, 8, 6),
            period=(1.0, 1.0, 1.5),
        ),
        train=paper_training(num_virtual=1000),
        weights=PAPER_WEIGHTS,
        causality=exponential_causality(rate=5.0),
        evaluation=TWO_LENGTH_SCALES,
    )
