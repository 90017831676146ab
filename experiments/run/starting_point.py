"""Where a process takes up a run: a first state, or the newest one that was saved."""

import dataclasses

import jax

from experiments.run.callbacks import Best
from experiments.run.context import Clock, RunContext
from pilno_jax import operators, training
from pilno_jax.operators.stages import NUM_CHANNELS
from pilno_jax.runs.checkpoints import Restored
from pilno_jax.training import devices


@dataclasses.dataclass(frozen=True)
class StartingPoint:
    """Where a process takes up a run: its first state, or the latest one saved."""

    state: training.State
    best: Best
    clock: Clock


def starting_point(context: RunContext) -> StartingPoint:
    fresh = fresh_state(context)
    restored = context.checkpoints.restore_newest(fresh)
    if restored is None:
        return StartingPoint(fresh, Best(), context.clock)
    if restored.damage:
        context.checkpoints.set_aside(restored.step)
        report_damage(context, restored)
    elapsed = restored.notes["elapsed"]
    clock = dataclasses.replace(context.clock, seconds_before=elapsed)
    return StartingPoint(restored.state, Best(**restored.notes["best"]), clock)


def report_damage(context: RunContext, restored: Restored) -> None:
    """A line that says which checkpoints were passed over, and which was taken."""
    damage = "; ".join(restored.damage)
    context.console.line(f"{damage}; taking that of step {restored.step}")


def fresh_state(context: RunContext) -> training.State:
    """The state before the first step, a function of the config and its seed alone."""
    built = context.built
    key, more_channels = jax.random.key(built.config.seed), 0
    if built.stage > 1:
        key, more_channels = jax.random.fold_in(key, built.stage), NUM_CHANNELS
    init_key, train_key = jax.random.split(key)
    params = operators.initial_parameters(
        built.problem, built.model, init_key, more_channels
    )
    state = training.initial_state(params, built.optimizer, train_key)
    return devices.shard_state(state, context.mesh)
