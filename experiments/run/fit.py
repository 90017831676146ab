"""Training as a run does it: from the latest checkpoint, watched, logged and saved."""

import dataclasses
import functools
import math
from collections.abc import Callable

import jax

from experiments.run.announce import announce
from experiments.run.callbacks import (
    Best,
    Checkpointing,
    Diverged,
    DivergenceGuard,
    EarlyStopping,
    MetricsRows,
    ProgressLine,
    StepTimer,
    StopOnRequest,
    Terms,
    Validation,
    is_out_of_patience,
    shown_terms,
)
from experiments.run.context import Clock, RunContext
from experiments.run.metrics import Row, loss_columns
from experiments.run.starting_point import StartingPoint, report_damage, starting_point
from experiments.run.workdir import disk_errors, require_space
from pilno_jax import data, evaluation, operators, training
from pilno_jax.runs import metrics_log
from pilno_jax.runs.checkpoints import Notes
from pilno_jax.training import accumulation, batches, devices


@dataclasses.dataclass(frozen=True)
class FittedRun:
    """What training leaves.

    Args:
        params: averaged parameters of the checkpoint with the lowest validation error;
            of a later stage a tuple, those of the stages before first.
        best_step: the step of that checkpoint.
        best_validation: the lowest validation error.
        last_step: where training ended.
        clock: counts the whole run, earlier processes included.
    """

    params: operators.Params
    best_step: int
    best_validation: float
    last_step: int
    clock: Clock


def fit_run(context: RunContext) -> FittedRun:
    """Train from the beginning, or from the latest checkpoint, to the end.

    Raises `Interrupted` when asked to stop and `Diverged` when steps are not finite;
    what was saved is intact in either case.
    """
    train = context.built.config.train
    labelled = labelled_on_mesh(context)
    context.console.update("preparing the first state")
    start = starting_point(context)
    step = int(start.state.step)
    require_space(context.folder, start.state)
    is_over = step >= train.steps or is_out_of_patience(
        train.patience, step, start.best
    )
    # Opening the log drops the rows behind `step`, which may be those of later stages.
    append_row = (lambda row: None) if is_over else open_log(context, step)
    is_time_announced = announce(context, start.state)
    callbacks = run_callbacks(context, start, labelled, append_row, is_time_announced)
    state = start.state
    if not is_over:
        context.console.update("compiling the training step")
        state = fit_steps(context, state, labelled, callbacks.in_order())
    callbacks.stop_on_request.ask()
    callbacks.stop_on_request.obey()
    best = callbacks.validation.best
    return best_checkpoint(context, state, best, start.clock)


def labelled_on_mesh(context: RunContext) -> data.Data:
    """The training set, with labels where the problem has them."""
    train_set = context.sets["train"]
    labels = context.built.problem.restrict(train_set["labels"])
    labelled = {"inputs": train_set["inputs"], "labels": labels}
    if context.frozen:
        labelled["frozen"] = context.frozen
    return devices.replicate(labelled, context.mesh)


def open_log(context: RunContext, step: int) -> Callable[[Row], None]:
    """Where rows of metrics go from `step` on: one process writes them."""
    if devices.is_main_process():
        last_step = context.first_step + step
        return metrics_log.MetricsLog(context.folder.metrics, last_step).append
    return lambda row: None


@dataclasses.dataclass(frozen=True)
class RunCallbacks:
    """All callbacks of a run."""

    timer: StepTimer
    validation: Validation
    metrics_rows: MetricsRows
    progress_line: ProgressLine
    divergence_guard: DivergenceGuard
    stop_on_request: StopOnRequest
    checkpointing: Checkpointing
    early_stopping: EarlyStopping

    def in_order(self) -> tuple[training.Callback, ...]:
        """Steps are logged before anything can end the run, and saved before it ends.

        A state that diverged is not saved.
        """
        return (
            self.timer.pause,
            self.validation,
            self.metrics_rows,
            self.progress_line,
            self.divergence_guard,
            self.stop_on_request.ask,
            self.checkpointing,
            self.stop_on_request.obey,
            self.timer.resume,
            self.early_stopping,
        )


def run_callbacks(
    context: RunContext,
    start: StartingPoint,
    labelled: data.Data,
    append_row: Callable[[Row], None],
    is_time_announced: bool,
) -> RunCallbacks:
    """The callbacks of a run, in the state they have at its starting point.

    Args:
        context: of the run.
        start: where it is taken up.
        labelled: the training set on the mesh.
        append_row: takes a row of metrics.jsonl.
        is_time_announced: whether the expected time has been printed.
    """
    train, elapsed = context.built.config.train, start.clock.elapsed
    columns = loss_columns(context.built.problem)

    def is_due(step: int) -> bool:
        return step % train.checkpoint_every == 0 or step == train.steps

    measure = functools.partial(validation_error, context)
    explain = functools.partial(explain_divergence, context, labelled)
    save = functools.partial(save_checkpoint, context)
    timer = StepTimer()
    validation = Validation(measure, is_due, start.best)
    early_stopping = EarlyStopping(train.patience, validation)
    stop_on_request = StopOnRequest(context.stop)
    return RunCallbacks(
        timer,
        validation,
        MetricsRows(
            append_row,
            elapsed,
            timer,
            validation,
            context.built.stage,
            context.first_step,
        ),
        ProgressLine(
            context.console,
            train.steps,
            columns,
            validation,
            elapsed,
            is_time_announced,
        ),
        DivergenceGuard(train.max_skipped_in_a_row, explain),
        stop_on_request,
        Checkpointing(save, elapsed, validation, early_stopping, stop_on_request),
        early_stopping,
    )


def validation_error(context: RunContext, state: training.State) -> float:
    """The mean relative L2 error of the averaged parameters on the validation set."""
    validation_set = context.sets["validation"]
    params = context.operator_params(
        devices.to_host_local(state.averaged, context.mesh)
    )
    predictions = evaluation.predict_in_chunks(
        context.predict, params, validation_set["inputs"]
    )
    errors = evaluation.relative_errors(predictions, validation_set["labels"])
    return float(errors.mean())


def save_checkpoint(
    context: RunContext,
    step: int,
    state: training.State,
    validation: float,
    notes: Notes,
) -> None:
    with disk_errors(context.folder):
        context.checkpoints.save(step, state, validation, notes)


def explain_divergence(
    context: RunContext,
    labelled: data.Data,
    progress: training.Progress,
    last_finite: Terms,
) -> str:
    built, columns = context.built, loss_columns(context.built.problem)
    state, samples = devices.to_host_local((progress.state, labelled), context.mesh)
    draw = built.batches
    if built.predict_before is not None:
        draw = batches.with_fields(draw, built.predict_before)

    @jax.jit
    def terms(state: training.State, samples: data.Data) -> dict[str, jax.Array]:
        return built.loss(state.params, draw(samples, state.key, state.step))[1]

    now = {name: float(value) for name, value in terms(state, samples).items()}
    what = (
        f"{progress.in_a_row} steps in a row were not finite"
        if progress.is_finite
        else "parameters are not finite (is train.learning_rate too large?)"
    )
    return (
        f"{what}, up to step {progress.step}; seed {built.config.seed}; terms "
        f"{', '.join(shown_terms(now, columns)) or 'none'}, before that "
        f"{', '.join(shown_terms(last_finite, columns)) or 'none'}; the last good "
        f"checkpoint is step {context.checkpoints.latest} in "
        f"{context.folder.checkpoints_of(built.stage)}"
    )


def fit_steps(
    context: RunContext,
    state: training.State,
    labelled: data.Data,
    callbacks: tuple[training.Callback, ...],
) -> training.State:
    """Train `state` up to the config's last step, or until a callback ends it."""
    built, train, mesh = context.built, context.built.config.train, context.mesh
    step = training.training_step(
        devices.over_devices(
            accumulation.accumulated(built.loss, train.accumulate), mesh
        ),
        stage_batches(context),
        built.optimizer,
        train.averaging,
    )
    return training.fit(
        step,
        state,
        labelled,
        num_steps=train.steps,
        steps_per_call=train.steps_per_call,
        callback_every=train.log_every,
        callbacks=callbacks,
    )


def stage_batches(context: RunContext) -> batches.BatchFunction:
    """Batches for every device, in a later stage with the fields that it corrects."""
    built, mesh = context.built, context.mesh
    pieces = built.config.train.accumulate * mesh.size
    divided = batches.divisible(built.batches, pieces)
    if built.predict_before is None:
        return divided
    return batches.with_fields(
        divided, devices.sharing_samples(built.predict_before, mesh)
    )


def best_checkpoint(
    context: RunContext, last: training.State, best: Best, clock: Clock
) -> FittedRun:
    """The fitted run, with the best parameters saved; restoring takes every process."""
    if not math.isfinite(best.validation):
        raise Diverged("no checkpoint has a finite validation error")
    with disk_errors(context.folder):
        context.checkpoints.wait()
    restored = context.checkpoints.restore_best(last)
    if restored.damage:
        report_damage(context, restored)
    params = devices.to_host_local(restored.state.averaged, context.mesh)
    params = context.operator_params(params)
    validation = restored.validation if restored.damage else best.validation
    return FittedRun(params, restored.step, validation, int(last.step), clock)
