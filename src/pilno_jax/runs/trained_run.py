"""A trained run, back from its folder: config.json and checkpoints/ are all it takes.

run = pilno_jax.load("runs/burgers")
u = run.predict({"u0": u0})                  # one sample, or a batch of them
fine = run.on(128, 101).predict({"u0": fine_u0})
"""

import dataclasses
import functools
import json
import math
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import orbax.checkpoint as ocp

from pilno_jax import evaluation, models, operators, problems
from pilno_jax.checks import require, require_finite
from pilno_jax.runs.run_folder import RunFolder


@dataclasses.dataclass(frozen=True)
class TrainedRun:
    """A problem, a network, and the parameters that did best on the validation set.

    step: the training step the parameters are of.
    config: what config.json says, as plain dicts, tuples and numbers.
    """

    problem: problems.Problem
    model: Any
    params: operators.Params
    step: int
    config: dict[str, Any]

    def predict(self, inputs: problems.Inputs) -> np.ndarray:
        """u on the problem's grid, for one sample or for a batch of them.

        The shapes tell which: fields shaped like those of `problem.sample(key)` are
        one sample, fields with one more axis in front a batch, and so is the answer.
        """
        if self.is_batch(inputs):
            return evaluation.predict_in_chunks(self._predictor, self.params, inputs)
        single = jax.tree.map(lambda x: jnp.asarray(x)[None], inputs)
        return np.asarray(self._predictor(self.params, single)[0])

    def on(self, *points: Any) -> "TrainedRun":
        """The same parameters on another grid: `on(num_x, num_t)` or `on(grid)`."""
        return dataclasses.replace(self, problem=self.problem.on(*points))

    @functools.cached_property
    def _predictor(self) -> operators.Predict:
        return jax.jit(operators.predictor(self.problem, self.model.apply))

    def is_batch(self, inputs: problems.Inputs) -> bool:
        """Whether inputs are many samples or one; a ValueError if they fit neither."""
        one = jax.eval_shape(self.problem.sample, jax.random.key(0))
        require(bool(inputs), "inputs", inputs, f"a dict of {sorted(one)}")
        sizes = set()
        for name, value in inputs.items():
            require(name in one, "inputs", sorted(inputs), f"some of {sorted(one)}")
            shape, wanted = np.shape(value), one[name].shape
            allowed = f"{wanted} for one sample, or a batch axis in front of that"
            fits = shape in (wanted, (*shape[:1], *wanted))
            require(fits, f"shape of {name}", shape, allowed)
            require_finite(name, value)
            sizes.add(None if shape == wanted else shape[0])
        allowed = "the same batch size in every field"
        require(len(sizes) == 1, "batch sizes of inputs", sizes, allowed)
        return sizes != {None}


def load(workdir: str | Path) -> TrainedRun:
    """The run in `workdir`, finished or not, with its best parameters so far."""
    folder = RunFolder(Path(workdir).absolute())
    config = _read_config(folder)
    try:
        problem = problems.make(**config["problem"])
        model = models.make(**config["model"])
    except (KeyError, TypeError, ValueError) as error:
        text = f"{folder.config} does not fit this version of pilno_jax: {error}"
        raise ValueError(text) from error
    step, params = _best_parameters(folder.checkpoints, problem, model)
    return TrainedRun(problem, model, params, step, config)


def _read_config(folder: RunFolder) -> dict[str, Any]:
    path = folder.config
    if not path.is_file():
        text = f"there is no run in {folder.path}: it has no {path.name}"
        raise FileNotFoundError(text)
    try:
        return _with_tuples(json.loads(path.read_text()))
    except json.JSONDecodeError as error:
        raise ValueError(f"{path} is damaged: {error}") from error


def _with_tuples(value: Any) -> Any:
    """JSON knows lists alone; factories take tuples."""
    if isinstance(value, dict):
        return {name: _with_tuples(item) for name, item in value.items()}
    return tuple(map(_with_tuples, value)) if isinstance(value, list) else value


def _best_parameters(
    folder: Path, problem: problems.Problem, model: Any
) -> tuple[int, operators.Params]:
    """The averaged parameters of the best checkpoint by validation, and its step.

    Read only, so that looking at a run that is still going leaves its half-written
    checkpoints alone; and only the parameters, so that no optimiser is needed.
    """
    if not folder.is_dir():
        raise FileNotFoundError(f"the run in {folder.parent} has no checkpoint yet")

    def initial() -> Any:
        features = problem.features(problem.sample(jax.random.key(0)))
        return model.init(jax.random.key(0), features, problem.grid.scaled)

    # Placed here, because the run may have used devices that this machine lacks.
    here = jax.sharding.SingleDeviceSharding(jax.devices()[0])
    wanted = jax.tree.map(
        lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=here),
        {"averaged": jax.eval_shape(initial)},
    )
    options = ocp.CheckpointManagerOptions(
        read_only=True,
        create=False,
        save_interval_steps=0,
        best_fn=lambda metrics: metrics.get("validation", math.inf),
        best_mode="min",
    )
    with ocp.CheckpointManager(folder, options=options) as manager:
        step = manager.best_step()
        if step is None:
            raise FileNotFoundError(f"the run in {folder.parent} has no checkpoint yet")
        arguments = ocp.args.PyTreeRestore(
            item=wanted,
            restore_args=ocp.checkpoint_utils.construct_restore_args(wanted),
            partial_restore=True,
        )
        found = manager.restore(step, args=ocp.args.Composite(state=arguments))
    return step, found.state["averaged"]
