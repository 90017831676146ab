"""What the recipes of driven systems share: networks along time, and training.

The axis of time does not close, forcings turn up to 16 times on it and answers contain
their third harmonic: hence many frequencies, and the period 2, which sees zeros before
the start.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any

from experiments.config.problem_and_model import ProblemSection, model
from experiments.config.recipes import in_stages
from experiments.config.schema import Data, Evaluation, RunConfig, Train, Weights

LAWS = Evaluation(vary="law", over=("decaying", "random"))
PUBLISHED_LABELS = 200
NODES = 192  # twelve in a period of the forcing, four in one of its third harmonic


def fast_oscillator(problem: ProblemSection, **changes: Any) -> RunConfig:
    """One network that learns from the equation and published labels.

    Args:
        problem: the equation.
        changes: of the network.
    """
    sizes = {
        "width": 8,
        "num_layers": 3,
        "activation": "gelu",
        "modes": (48,),
        "poles": (16,),
        "period": (2.0,),
        "add_input": True,
        # Poles reach the forcing's frequency, and the slowest hardly decay.
        "pole_unit": 4.0,
        "initial_decay": 0.1,
        **changes,
    }
    return RunConfig(
        recipe="fast",
        problem=problem,
        model=model("alno", **sizes),
        data=Data(num_test=130),
        train=Train(
            num_train=PUBLISHED_LABELS,
            batch_data=16,
            batch_physics=16,
            steps=2000,
            learning_rate=5e-3,
        ),
        weights=Weights(data=1.0, virtual=1.0),
        evaluation=LAWS,
    )


def staged_oscillator(problem: ProblemSection, **changes: Any) -> RunConfig:
    """The network of `fast_oscillator`, and correctors of what it left."""
    one_network = fast_oscillator(problem, **changes)
    return in_stages(one_network, steps=2000, corrector_steps=(1500,))


def published_lno(
    problem: ProblemSection, training: Mapping[str, Any], poles: int, activation: str
) -> RunConfig:
    """LNO as it was published: one layer of width 4, from labels alone.

    Own poles for every pair of channels, which start in the right half plane; the rate
    halves every 100 epochs. The network sees f as it is, of the pendulum and of Lorenz'
    system also the time. Published, sums over the grid's frequencies stand for the
    integrals, in both branches alike; here both are integrals.

    Args:
        problem: the equation.
        training: learning_rate, epochs and batch of LNO's table.
        poles: of each pair of channels.
        activation: before the output: "sin", Lorenz "tanh".
    """
    epoch = PUBLISHED_LABELS // training["batch"]
    return RunConfig(
        recipe="lno",
        problem=problem,
        model=model(
            "lno",
            width=4,
            num_layers=1,
            modes=(96,),
            poles=(poles,),
            period=(1.0,),
            pole_sharing="pairwise",
            free_poles=True,
            pole_unit=20.47,  # in units of time, as theirs
            activation=activation,
            activate_last=False,
            projection_width=128,
        ),
        data=Data(num_test=130),
        train=Train(
            num_train=PUBLISHED_LABELS,
            batch_data=training["batch"],
            batch_physics=0,
            steps=training["epochs"] * epoch,
            learning_rate=training["learning_rate"],
            weight_decay=1e-4,
            schedule="step",
            decay_every=100 * epoch,
        ),
        weights=Weights(data=1.0, pde=0.0, ic=0.0, bc=0.0),
        evaluation=LAWS,
    )


def fast_wave(problem: ProblemSection, waves: int, **changes: Any) -> RunConfig:
    """One network for waves along x that ring in t.

    The fastest turn 24 times, which is frequency 48 of a series of period 2.

    Args:
        problem: the equation.
        waves: frequencies in x, the mean included.
        changes: of the network.
    """
    sizes = {
        "width": 4,
        "num_layers": 2,
        "activation": "gelu",
        "modes": (waves, 64),
        "poles": (0, 8),
        "period": (1.0, 2.0),
        "pole_unit": 8.0,
        "initial_decay": 0.1,
        "projection_width": 16,
        **changes,
    }
    return RunConfig(
        recipe="fast",
        problem=problem,
        model=model("alno", **sizes),
        train=Train(
            num_train=PUBLISHED_LABELS,
            batch_data=8,
            batch_physics=8,
            steps=2000,
            learning_rate=5e-3,
        ),
        weights=Weights(data=1.0, virtual=1.0),
    )


def staged_wave(problem: ProblemSection, waves: int, **changes: Any) -> RunConfig:
    """The network of `fast_wave`, and a corrector of what it left."""
    one_network = fast_wave(problem, waves, **changes)
    return in_stages(one_network, steps=1500, corrector_steps=(1000,))


def looped_lno(problem: ProblemSection, **changes: Any) -> RunConfig:
    """A Laplace layer that drives itself, see `models.LoopedLNO`, from labels alone.

    Args:
        problem: the equation; nothing needs to be built into x, which starts at rest.
        changes: of the network.
    """
    config = fast_oscillator(problem)
    network = model("looped_lno", **changes)
    looped = dataclasses.replace(config, recipe="looped", model=network)
    return looped.changed(
        {
            "weights.pde": 0.0,
            "weights.ic": 0.0,
            "train.batch_physics": 0,
            "train.batch_data": 24,
            "train.optimizer": "levenberg-marquardt",
            "train.steps": 300,
            "train.steps_per_call": 5,
            "train.log_every": 20,
            "train.checkpoint_every": 20,
        }
    )


def linear_lno(problem: ProblemSection, waves: int) -> RunConfig:
    """One linear layer of LNO, which *is* the system if its poles are right.

    Every wave has a pole of its own, and its conjugate. Frequencies in t cost no
    parameters: they are as many as 256 nodes integrate well.

    Args:
        problem: the equation, which is linear; nothing needs to be built into u, which
            starts from rest.
        waves: frequencies in x, the mean included.
    """
    layer = {
        "width": 1,
        "num_layers": 1,
        "activation": "identity",
        "projection_width": 1,
        "modes": (waves, 128),
        "poles": (0, 1),
        "pole_sharing": "by wave",
        "pole_unit": 32.0,
    }
    config = fast_wave(problem, waves, **layer)
    return config.changed(
        {
            "recipe": "lno",
            "model.name": "lno",
            "train.steps": 1500,
            "train.batch_data": 2,  # each has the whole linear system in it
            "train.batch_physics": 0,
            "train.learning_rate": 3e-2,  # of 1e-2 not every pole arrives in time
            "weights.pde": 0.0,
            "weights.ic": 0.0,
        }
    )


def with_deepomamba(fast: RunConfig, token_width: int) -> RunConfig:
    """A fast recipe with DeepOMamba in place of its network.

    Args:
        fast: the recipe.
        token_width: makes the sizes of both networks about equal.
    """
    network = model("deepomamba", token_width=token_width)
    return dataclasses.replace(fast, recipe="deepomamba", model=network)
