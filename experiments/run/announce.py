"""The first lines of a run: what is trained on what, and how long it will take."""

import jax

from experiments.run.context import RunContext
from experiments.run.metrics import median_step_ms
from experiments.run.terminal import about
from pilno_jax import operators, training
from pilno_jax.runs import metrics_log


def announce(context: RunContext, state: training.State) -> bool:
    """Print what is trained on what.

    Returns:
        Whether the expected time was known, from rows of an earlier process.
    """
    step, steps = int(state.step), context.built.config.train.steps
    rows = metrics_log.read_metrics(context.folder.metrics)
    step_ms = median_step_ms(rows)
    expected = about(step_ms * (steps - step) / 1e3) if step_ms else ""
    known = expected or "known after the first steps"
    context.console.line(
        f"{describe(context, state.params)};{where(context)} {steps} steps, "
        f"expected time: {known}"
    )
    if step:
        context.console.line(f"resuming{where(context)} at step {step} of {steps}")
    return bool(expected)


def where(context: RunContext) -> str:
    """Which stage, if there are several."""
    count = context.built.config.stages.count
    return f" stage {context.built.stage} of {count}" if count > 1 else ""


def describe(context: RunContext, params: operators.Params) -> str:
    """Problem, network, devices and samples in one line."""
    problem, config = context.built.problem, context.built.config
    train = config.train
    virtual = "fresh" if train.num_virtual is None else train.num_virtual
    sizes = [f"{len(one['labels'])} {split}" for split, one in context.sets.items()]
    return (
        f"{problem.name} on {'x'.join(map(str, problem.grid.shape))}, "
        f"{config.model.name} with {operators.count_parameters(params):,} parameters, "
        f"{context.mesh.size} x {jax.devices()[0].platform} in "
        f"{jax.tree.leaves(params)[0].dtype}; samples: {', '.join(sizes)}, "
        f"{virtual} virtual; batch {train.batch_data}+{train.batch_physics}"
    )
