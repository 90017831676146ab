"""One stage of `pilno_jax.train`: its loss, its loop, and what is kept of it."""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from pilno_jax import data, operators, training
from pilno_jax.checks import require
from pilno_jax.problems.base import Problem
from pilno_jax.runs.run_folder import RunFolder
from pilno_jax.training import batches, objective, optimizers
from pilno_jax.training.stage_objective import stage_objective

Say = Callable[[str], None]

NUM_REPORTS = 10  # lines, and checkpoints, of a stage
NUM_WATCHED = 16  # inputs whose residuals choose the best parameters
MOST_SKIPPED = 20  # steps in a row that were not finite
BATCH_DATA = 4
# A handful of labels is soon known by heart, fresh inputs never are.
WEIGHTS = objective.Weights(data=0.2, virtual=3.0)


class Setting(NamedTuple):
    """What all stages share."""

    problem: Problem
    network: Any
    labelled: data.Data | None
    batch: int
    learning_rate: float
    seed: int
    say: Say


def fit_stage(
    setting: Setting,
    before: tuple[operators.Params, ...],
    count: int,
    num_stages: int,
    folder: RunFolder | None,
) -> operators.Params:
    """The parameters of the next stage, from its checkpoints on if there are any."""
    problem, number = setting.problem, len(before) + 1
    key = jax.random.key(setting.seed)
    init_key, train_key = jax.random.split(
        key if number == 1 else jax.random.fold_in(key, number)
    )
    warmup = min(100, count // 10)
    rate = optimizers.schedule("cosine", setting.learning_rate, count, warmup=warmup)
    adam = optimizers.optimizer("adam", rate)
    params = operators.initial_parameters(problem, setting.network, init_key, number)
    state = training.initial_state(params, adam, train_key)
    every = max(count // NUM_REPORTS, 1)
    with Kept(folder, number, state) as kept:
        watch = Watch(setting, before, kept, f"stage {number} of {num_stages}", count)
        state = kept.newest(state, setting.say)
        loss, draw = _loss_and_batches(setting, before)
        step = training.training_step(loss, draw, adam)
        training.fit(
            step,
            state,
            {**(setting.labelled or {}), "frozen": before},
            num_steps=count,
            steps_per_call=every,
            callbacks=(watch,),
        )
        return kept.best()


def _loss_and_batches(
    setting: Setting, before: tuple[operators.Params, ...]
) -> tuple[objective.Loss, batches.BatchFunction]:
    problem, labelled = setting.problem, setting.labelled
    make_loss = stage_objective if before else objective.objective
    apply = setting.network.apply
    loss = make_loss(problem, apply, WEIGHTS, physics_loss="root")
    num_train = len(labelled["labels"]) if labelled else 0
    draw = batches.batches(
        problem,
        num_train=num_train,
        batch_data=min(BATCH_DATA, num_train),
        batch_physics=setting.batch,
        num_virtual=None,
    )
    if before:
        draw = batches.with_fields(draw, _operator(setting, len(before)))
    return loss, draw


def _operator(setting: Setting, stages: int) -> operators.Predict:
    """(a tuple of the stages' parameters, inputs) -> u."""
    applies = [setting.network.apply] * stages
    return operators.staged_predictor(setting.problem, applies)


class Watch:
    """Between steps: what residuals tell of the error, a line, and the state kept."""

    def __init__(
        self,
        setting: Setting,
        before: tuple[operators.Params, ...],
        kept: "Kept",
        name: str,
        count: int,
    ):
        problem, self._kept, self._before = setting.problem, kept, before
        self._say, self._name, self._count = setting.say, name, count
        self._learning_rate = setting.learning_rate
        keys = jax.random.split(jax.random.key(setting.seed), NUM_WATCHED)
        self._inputs = jax.jit(jax.vmap(problem.sample))(keys)
        predict = _operator(setting, len(before) + 1)
        sizes = operators.error_sizes(problem)

        def size(params: Any, inputs: Any) -> jax.Array:
            return jnp.mean(sizes(inputs, predict(params, inputs)))

        self._size = jax.jit(size)

    def __call__(self, progress: training.Progress) -> None:
        params = (*self._before, progress.state.params)
        size = float(self._size(params, self._inputs))
        stuck = progress.in_a_row >= MOST_SKIPPED or not progress.is_finite
        allowed = f"a smaller one: at step {progress.step} nothing is finite"
        require(not stuck, "learning_rate", self._learning_rate, allowed)
        self._kept.keep(progress.step, progress.state, size)
        loss = progress.metrics["loss"]
        done = f"{self._name}: step {progress.step}/{self._count}"
        self._say(f"{done}, loss {loss:.1e}, error by the residual {size:.1e}")


class Kept:
    """The best parameters so far: in memory, or in the checkpoints of a folder."""

    def __init__(self, folder: RunFolder | None, stage: int, like: training.State):
        self._like, self._checkpoints = like, None
        self._size, self._params = np.inf, like.params
        if folder is not None:
            from pilno_jax.runs.checkpoints import Checkpoints  # Orbax is slow

            self._checkpoints = Checkpoints(folder.checkpoints_of(stage))

    def __enter__(self) -> "Kept":
        return self

    def __exit__(self, *error: object) -> None:
        if self._checkpoints:
            self._checkpoints.__exit__(*error)

    def newest(self, fresh: training.State, say: Say) -> training.State:
        """Where to go on: what was saved last and is intact, or a fresh state."""
        restored = self._checkpoints and self._checkpoints.restore_newest(self._like)
        if self._checkpoints and restored and restored.damage:
            self._checkpoints.set_aside(restored.step)
            say(f"{'; '.join(restored.damage)}; going on from step {restored.step}")
        # The loop donates what it is given; ours is still needed to restore.
        return restored.state if restored else jax.tree.map(jnp.copy, fresh)

    def keep(self, step: int, state: training.State, size: float) -> None:
        if self._checkpoints:
            self._checkpoints.save(step, state, size, {})
        elif size < self._size:
            self._size, self._params = size, jax.tree.map(jnp.copy, state.params)

    def best(self) -> operators.Params:
        if self._checkpoints:
            self._checkpoints.wait()
            return self._checkpoints.restore_best(self._like).state.averaged
        return self._params
