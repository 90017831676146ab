"""Where a process takes up a run: a first state, or the newest one that was saved."""

import dataclasses

import jax

import pilno_jax
from experiments.config.build import BuiltRun
from experiments.run.callbacks import Best
from experiments.run.context import Clock, RunContext
from pilno_jax import operators, training
from pilno_jax.checks import ArgumentError, require
from pilno_jax.runs.checkpoints import Restored
from pilno_jax.runs.run_folder import RunFolder
from pilno_jax.training import devices


@dataclasses.dataclass(frozen=True)
class StartingPoint:
    """Where a process takes up a run: its first state, or the latest one saved."""

    state: training.State
    best: Best
    clock: Clock


def starting_point(context: RunContext) -> StartingPoint:
    restored = context.checkpoints.restore_newest(saved_state(context))
    if restored is None:
        return StartingPoint(fresh_state(context), Best(), context.clock)
    if restored.damage:
        context.checkpoints.set_aside(restored.step)
        report_damage(context, restored)
    elapsed = restored.notes["elapsed"]
    clock = dataclasses.replace(context.clock, seconds_before=elapsed)
    return StartingPoint(restored.state, Best(**restored.notes["best"]), clock)


def warm_start(built: BuiltRun) -> operators.Params:
    """The best parameters of the run that the config names.

    Raises:
        ArgumentError: There is no such run, or its network is another one.
    """
    name, path = "train.start_from", built.config.train.start_from
    try:
        other = pilno_jax.load(path)
    except (OSError, ValueError) as error:
        raise ArgumentError(f"{name}: {error}") from error
    params = other.params[0] if other.correctors else other.params
    needed = jax.eval_shape(
        lambda key: operators.initial_parameters(built.problem, built.model, key),
        jax.random.key(0),
    )
    allowed = "a run with the same network and as many features"
    require(_shapes(params) == _shapes(needed), name, path, allowed)
    return params


def _shapes(params: operators.Params) -> dict[str, tuple[int, ...]]:
    leaves = jax.tree.leaves_with_path(params)
    return {jax.tree_util.keystr(path): leaf.shape for path, leaf in leaves}


def require_start(built: BuiltRun, folder: RunFolder) -> None:
    """What a new run is to start from is there and fits."""
    if built.config.train.start_from and not folder.checkpoints.exists():
        warm_start(built)


def report_damage(context: RunContext, restored: Restored) -> None:
    """A line that says which checkpoints were passed over, and which was taken."""
    damage = "; ".join(restored.damage)
    context.console.line(f"{damage}; taking that of step {restored.step}")


def fresh_state(context: RunContext) -> training.State:
    """The state before the first step, a function of the config and its seed alone.

    So it is with `train.start_from`, as long as that run stays as it is.
    """
    built = context.built
    init_key, train_key = keys(built)
    if built.stage == 1 and built.config.train.start_from:
        params = warm_start(built)
    else:
        params = operators.initial_parameters(
            built.problem, built.model, init_key, built.stage
        )
    state = training.initial_state(params, built.optimizer, train_key)
    return devices.shard_state(state, context.mesh)


def saved_state(context: RunContext) -> training.State:
    """What a checkpoint of this run holds: shapes and places, and any key."""
    built = context.built

    def state(init_key: jax.Array, train_key: jax.Array) -> training.State:
        params = operators.initial_parameters(
            built.problem, built.model, init_key, built.stage
        )
        return training.initial_state(params, built.optimizer, train_key)

    init_key, train_key = keys(built)
    shapes = jax.eval_shape(state, init_key, train_key)
    placed = devices.state_on_mesh(shapes, context.mesh)
    return placed._replace(key=devices.replicate(train_key, context.mesh))


def keys(built: BuiltRun) -> tuple[jax.Array, jax.Array]:
    """Of the initial parameters and of the batches, for each stage their own."""
    key = jax.random.key(built.config.seed)
    if built.stage > 1:
        key = jax.random.fold_in(key, built.stage)
    init_key, train_key = jax.random.split(key)
    return init_key, train_key
