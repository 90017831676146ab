"""What every part of a run is given and none of them changes."""

import dataclasses
import functools
import time
from collections.abc import Callable, Mapping

import jax

from experiments.config.build import BuiltRun
from experiments.run.interruption import Interruption
from experiments.run.terminal import Console
from pilno_jax import data, operators
from pilno_jax.runs.checkpoints import Checkpoints
from pilno_jax.runs.run_folder import RunFolder
from pilno_jax.training import devices


@dataclasses.dataclass(frozen=True)
class Clock:
    """Seconds a run has taken, all its processes one after the other counted.

    Args:
        started: `time.monotonic()` at the beginning of this process' part.
        seconds_before: what earlier processes took, up to the checkpoint resumed from.
    """

    started: float
    seconds_before: float = 0.0

    def elapsed(self) -> float:
        return self.seconds_before + time.monotonic() - self.started


@dataclasses.dataclass(frozen=True)
class RunContext:
    """A run's objects, data, folder and surroundings.

    Args:
        built: problem, network, loss, batches and optimiser, built from the config.
        sets: the labelled sets, by "train", "validation" and "test".
        load_set: (split, **changed problem options) -> a labelled set, for test sets
            of other laws.
        folder: where the run's files are.
        checkpoints: the open checkpoints of that folder.
        console: where progress is printed.
        stop: whether somebody asked the run to end.
        clock: counts from the start of this process.
        frozen: parameters of the stages before; none in the first.
        first_step: how many steps the stages before have taken in all.
    """

    built: BuiltRun
    sets: Mapping[str, data.Data]
    load_set: Callable[..., data.Data]
    folder: RunFolder
    checkpoints: Checkpoints
    console: Console
    stop: Interruption
    clock: Clock
    frozen: tuple[operators.Params, ...] = ()
    first_step: int = 0

    @functools.cached_property
    def mesh(self) -> jax.sharding.Mesh:
        config = self.built.config
        return devices.device_mesh(config.devices, config.weight_shards)

    @functools.cached_property
    def predict(self) -> operators.Predict:
        """The operator up to this stage, compiled once for validation and test.

        Of the last corrector one program also has the fields before each correction.
        """
        if 1 < self.built.stage == self.built.config.stages.count:
            return lambda params, inputs: self.stage_fields(params, inputs)[-1]
        return jax.jit(self.built.predict)

    @functools.cached_property
    def stage_fields(self) -> Callable[..., list[jax.Array]]:
        """(params, inputs) -> fields after every correction, compiled once."""
        built, repeats = self.built, self.built.config.stages.last_applied
        return jax.jit(operators.stage_fields(built.problem, built.applies, repeats))

    @functools.cached_property
    def error_sizes(self) -> operators.Sizes:
        """(inputs, u) -> what residuals tell of the errors, compiled once."""
        return jax.jit(operators.error_sizes(self.built.problem))

    def operator_params(self, params: operators.Params) -> operators.Params:
        """What `predict` takes, given the parameters of this stage's network."""
        return (*self.frozen, params) if self.frozen else params
