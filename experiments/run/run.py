"""One run: data, training, evaluation, report; resumable at any moment."""

import contextlib
import time
from pathlib import Path
from typing import Any

import jax

from experiments.config.build import BuiltRun, build_stages
from experiments.config.schema import RunConfig
from experiments.run import data_sets
from experiments.run.context import Clock, RunContext
from experiments.run.evaluate import evaluate_run, fitted_error_bar, predict_with
from experiments.run.fit import FittedRun, fit_run
from experiments.run.interruption import Interruption
from experiments.run.lock import locked
from experiments.run.outputs import require_writable
from experiments.run.own_sets import own_sets
from experiments.run.report import print_result, write_report
from experiments.run.starting_point import require_start
from experiments.run.terminal import Console
from experiments.run.workdir import (
    opened_checkpoints,
    require_same_config,
    result_of,
    settle_config,
)
from pilno_jax import data, operators, problems
from pilno_jax.checks import ArgumentError, require
from pilno_jax.problems.coefficients import under_other_law
from pilno_jax.runs import files
from pilno_jax.runs.run_folder import RunFolder
from pilno_jax.training import devices


class WrongConfig(Exception):
    """Something in the config, or its workdir, that no run can start from."""


def run(
    config: RunConfig,
    workdir: Path,
    cache: Path,
    console: Console,
    stop: Interruption,
    origin: dict[str, Any],
) -> dict[str, Any]:
    """Train, evaluate and report; the result, with `origin`, is in result.json too.

    Of several processes only the main one evaluates; it alone has a result.
    """
    clock, folder = Clock(time.monotonic()), RunFolder(workdir)
    try:
        stages = build_stages(config)
        rehearse(stages)
        require_same_config(folder, config)
        require_start(stages[0], folder)
        result = result_of(folder, stages[-1].config)
        finished = result is not None and folder.is_finished
        own = {} if finished else own_sets(config, stages[0].problem, console.line)
    except ArgumentError as error:
        raise WrongConfig(" ".join(str(error).split())) from error

    if result is not None and finished:
        text = f"{workdir} holds a finished run; its result is in {folder.result}"
        console.line(text)
        return result
    require_writable(workdir, cache)
    is_main = devices.is_main_process()
    with locked(folder, console.line) if is_main else contextlib.nullcontext():
        if is_main:
            settle_config(folder, config, console.line)
        fitted, context = fit_stages(stages, own, cache, folder, console, stop, clock)
        return finish(context, fitted, origin)


def fit_stages(
    stages: tuple[BuiltRun, ...],
    own: dict[str, data.Data],
    cache: Path,
    folder: RunFolder,
    console: Console,
    stop: Interruption,
    clock: Clock,
) -> tuple[FittedRun, RunContext]:
    """All stages, one after the other; the context is that of the last.

    `own` are the labelled sets that come from files; the others are solved.
    """
    config = stages[0].config

    def load_set(split: str, **changes: Any) -> data.Data:
        def report(done: int, total: int) -> None:
            text = f"solving {split} set: {done}/{total} references"
            console.update(text, plain=done == total)
            stop.poll()

        stop.poll()
        if split in own and not changes:
            return own[split]
        try:
            return data_sets.labelled_set(config, split, cache, report, **changes)
        except ArgumentError as error:
            raise WrongConfig(f"{split} set: {error}") from error

    sets = {split: load_set(split) for split in data_sets.SPLITS}
    fitted, context, first_step = None, None, 0
    for stage in stages:
        with opened_checkpoints(folder, stage.stage) as checkpoints:
            surroundings = checkpoints, console, stop, fitted.clock if fitted else clock
            before = stage_params(fitted), first_step
            context = RunContext(stage, sets, load_set, folder, *surroundings, *before)
            fitted = fit_run(context)
        first_step += fitted.last_step
    assert fitted is not None and context is not None  # a run has a stage at least
    return fitted, context


def stage_params(fitted: FittedRun | None) -> tuple[operators.Params, ...]:
    """The parameters of every stage that has been fitted."""
    if fitted is None:
        return ()
    return fitted.params if isinstance(fitted.params, tuple) else (fitted.params,)


def finish(
    context: RunContext, fitted: FittedRun, origin: dict[str, Any]
) -> dict[str, Any]:
    """Whatever is not done yet of result and report; the result.

    Args:
        context: of the last stage.
        fitted: all stages.
        origin: where the config came from.
    """
    if not devices.is_main_process():
        return {}
    predictions = predict_with(context, fitted, context.sets["test"]["inputs"])
    # There is one if the run was cut off between its result and its report.
    result = result_of(context.folder, context.built.config)
    if result is None:
        bar = fitted_error_bar(context, fitted)
        if bar is not None:
            files.write_json(context.folder.error_bar, bar.to_dict())
        result = evaluate_run(context, fitted, predictions, bar, origin)
        files.write_json(context.folder.result, result)
    print_result(context, result)
    write_report(context, fitted, predictions, result)
    return result


def rehearse(stages: tuple[BuiltRun, ...]) -> None:
    """What only shows when the parts meet: a trace, without any computation."""
    config, problem = stages[0].config, stages[0].problem
    devices.device_mesh(config.devices, config.weight_shards)

    def last_output(key: jax.Array) -> Any:
        params = [
            operators.initial_parameters(problem, stage.model, key, stage.stage)
            for stage in stages
        ]
        inputs = jax.tree.map(lambda x: x[None], problem.sample(key))
        whole = tuple(params) if len(params) > 1 else params[0]
        return stages[-1].predict(whole, inputs)

    jax.eval_shape(last_output, jax.random.key(0))
    rehearse_laws(config, problem)


def rehearse_laws(config: RunConfig, problem: problems.Problem) -> None:
    """The laws that a run is tested on last, built before its training."""
    key, vary = jax.random.key(0), config.evaluation.vary
    options, inputs = config.problem.to_dict(), jax.eval_shape(problem.sample, key)
    for value in config.evaluation.over if vary else ():
        try:
            law = problems.make(**under_other_law(options, {vary: value}))
        except ArgumentError as error:
            raise ArgumentError(f"evaluation.over: {error}") from error
        same = law.grid == problem.grid and jax.eval_shape(law.sample, key) == inputs
        allowed = f"values of {vary} that leave grid and inputs as they are"
        require(same, "evaluation.over", value, allowed)
