"""What a run does between its steps, one callback for each thing.

`training.fit` calls them in turn after every `train.log_every` steps. Each has its own
state; one that needs to know what another found, such as the validation error, is given
the other. Those that act both before and after others, such as the timer, have a method
for each moment.
"""

import math
import time
from collections.abc import Callable
from typing import NamedTuple

from experiments.run.interruption import Interrupted, Interruption
from experiments.run.metrics import Row, log_row
from experiments.run.terminal import Console, Pace, about
from pilno_jax.runs.checkpoints import Notes
from pilno_jax.training import Progress, State, devices

Terms = dict[str, float]


class Diverged(Exception):
    """Too many consecutive steps were not finite, or the parameters are not."""


class StepTimer:
    """Milliseconds per step between two calls; the callbacks' own time is left out."""

    def __init__(self):
        self.step_ms: float | None = None  # unknown at the first call
        self._resumed: tuple[int, float] | None = None

    def pause(self, progress: Progress) -> None:
        """Before all other callbacks."""
        if self._resumed:
            step, moment = self._resumed
            seconds = time.monotonic() - moment
            self.step_ms = 1e3 * seconds / (progress.step - step)

    def resume(self, progress: Progress) -> None:
        """After all other callbacks."""
        self._resumed = progress.step, time.monotonic()


class Best(NamedTuple):
    """The lowest validation error so far, and its step."""

    validation: float = math.inf
    step: int = 0


class Validation:
    """The validation error at the steps that are due, and the best one so far.

    Args:
        measure: the validation error of a state.
        is_due: whether to measure at a step.
        best: of the steps before, if the run is resumed.
    """

    def __init__(
        self,
        measure: Callable[[State], float],
        is_due: Callable[[int], bool],
        best: Best,
    ):
        self._measure, self._is_due = measure, is_due
        self.best = best
        self.now: float | None = None  # of this call; None where it is not due
        self.latest = math.nan

    def __call__(self, progress: Progress) -> None:
        self.now = None
        if self._is_due(progress.step):
            self.now = self.latest = self._measure(progress.state)
            if self.now < self.best.validation:
                self.best = Best(self.now, progress.step)


class MetricsRows:
    """A row of metrics.jsonl for every call.

    Args:
        append: takes the row.
        elapsed: seconds the run has taken so far.
        timer, validation: have been called before, and have columns in the row.
        stage: of the run, a column too.
        first_step: steps of the stages before; rows count all steps of a run.
    """

    def __init__(
        self,
        append: Callable[[Row], None],
        elapsed: Callable[[], float],
        timer: StepTimer,
        validation: Validation,
        stage: int = 1,
        first_step: int = 0,
    ):
        self._stage, self._first_step = stage, first_step
        self._append, self._elapsed = append, elapsed
        self._timer, self._validation = timer, validation

    def __call__(self, progress: Progress) -> None:
        measured = self._timer.step_ms, self._validation.now
        row = log_row(progress, self._elapsed(), *measured)
        count = {"step": self._first_step + progress.step, "stage": self._stage}
        self._append(row | count)


class ProgressLine:
    """The line that says how far the run is, how fast, and how small its losses are.

    Args:
        console: where it is printed.
        last_step: of the run.
        loss_columns: the metrics that are shown.
        validation: its latest error is shown too.
        elapsed: seconds the run has taken so far.
        is_time_announced: whether the expected time has been printed already;
            otherwise it is, as soon as the pace is known.
    """

    def __init__(
        self,
        console: Console,
        last_step: int,
        loss_columns: frozenset[str],
        validation: Validation,
        elapsed: Callable[[], float],
        is_time_announced: bool,
    ):
        self._console, self._last_step = console, last_step
        self._loss_columns, self._validation = loss_columns, validation
        self._elapsed, self._is_time_announced = elapsed, is_time_announced
        self._pace = Pace(last_step)

    def __call__(self, progress: Progress) -> None:
        numbers = shown_terms(progress.metrics, self._loss_columns)
        if self._validation.latest > 0:
            numbers.append(f"validation {self._validation.latest:.2e}")
        if progress.skipped:
            numbers.append(f"skipped {progress.skipped}")
        pace = self._pace.describe(progress.step)
        if self._pace.seconds_left and not self._is_time_announced:
            expected = about(self._elapsed() + self._pace.seconds_left)
            self._console.line(f"expected time: {expected} in all")
            self._is_time_announced = True
        steps = f"step {progress.step}/{self._last_step}"
        self._console.update("  ".join([steps, pace, *numbers]))


def shown_terms(metrics: Terms, loss_columns: frozenset[str]) -> list[str]:
    return [f"{k} {value:.2e}" for k, value in metrics.items() if k in loss_columns]


class DivergenceGuard:
    """Raises `Diverged` when nothing good can come of further steps.

    Args:
        max_skipped: so many consecutive steps that were not finite are too many.
        explain: (progress, metrics of the last call with a finite step) -> message.
    """

    def __init__(self, max_skipped: int, explain: Callable[[Progress, Terms], str]):
        self._max_skipped, self._explain = max_skipped, explain
        self._last_finite: Terms = {}

    def __call__(self, progress: Progress) -> None:
        if math.isfinite(progress.metrics["loss"]):
            self._last_finite = progress.metrics
        if progress.in_a_row >= self._max_skipped or not progress.is_finite:
            raise Diverged(self._explain(progress, self._last_finite))


class StopOnRequest:
    """Ends the run when a signal or the time limit asks for it, once it is saved.

    A signal may have reached one process only: all of them stop, or none.
    """

    def __init__(self, stop: Interruption):
        self._stop = stop
        self.is_requested = False

    def ask(self, progress: Progress | None = None) -> None:
        """Before the checkpoint; by all processes at the same moment."""
        del progress
        self.is_requested = devices.any_process(bool(self._stop.requested))

    def obey(self, progress: Progress | None = None) -> None:
        """After the checkpoint."""
        del progress
        if self.is_requested:
            raise Interrupted(self._stop.requested or "another process")


def is_out_of_patience(patience: int | None, step: int, best: Best) -> bool:
    """Whether the best error is `patience` steps old; never, if that is None or 0."""
    return bool(patience and step - best.step >= patience)


class EarlyStopping:
    """Ends the training when the validation error has not improved for long.

    Args:
        patience: so many steps without a new best error; None or 0 for never.
        validation: whose best error counts.
    """

    def __init__(self, patience: int | None, validation: Validation):
        self._patience, self._validation = patience, validation

    def out_of_patience(self, step: int) -> bool:
        return is_out_of_patience(self._patience, step, self._validation.best)

    def __call__(self, progress: Progress) -> bool:
        return self.out_of_patience(progress.step)


class Checkpointing:
    """Saves the state where validation is due, and where the run is about to end.

    Args:
        save: takes step, state, validation error (NaN where it was not measured) and
            what a resumed run must know beside the state.
        elapsed: seconds the run has taken so far.
        validation, early_stopping, stop_on_request: have been called before.
    """

    def __init__(
        self,
        save: Callable[[int, State, float, Notes], None],
        elapsed: Callable[[], float],
        validation: Validation,
        early_stopping: EarlyStopping,
        stop_on_request: StopOnRequest,
    ):
        self._save, self._elapsed, self._validation = save, elapsed, validation
        self._early_stopping, self._stop_on_request = early_stopping, stop_on_request

    def __call__(self, progress: Progress) -> None:
        error = self._validation.now
        is_ending = (
            self._early_stopping.out_of_patience(progress.step)
            or self._stop_on_request.is_requested
        )
        if error is not None or is_ending:
            notes = {
                "best": self._validation.best._asdict(),
                "elapsed": self._elapsed(),
            }
            error = math.nan if error is None else error
            self._save(progress.step, progress.state, error, notes)
