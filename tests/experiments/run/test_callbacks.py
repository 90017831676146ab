"""What a run does between its steps, each callback alone."""

import io
import math
import os
import signal
import types
from typing import Any

import pytest

from experiments.run import callbacks
from experiments.run.interruption import Interrupted, Interruption
from experiments.run.terminal import Console
from pilno_jax.training import Progress

STATE: Any = "the state"
NO_BEST = callbacks.Best()


def progress(step, skipped=0, in_a_row=0, **metrics):
    metrics = {"data": 0.5, "gradient_norm": 9.0, "loss": 2.0, **metrics}
    return Progress(step, metrics, STATE, skipped, in_a_row)


def validation(errors, best=NO_BEST):
    """Validation that is due at the steps of {step: error}, and finds these errors."""
    now = []

    def is_due(step):
        now[:] = [step]
        return step in errors

    return callbacks.Validation(lambda state: errors[now[0]], is_due, best)


def test_the_lowest_validation_error_and_its_step_are_remembered():
    callback = validation({10: 0.3, 20: 0.1, 30: 0.2})
    for step in (10, 20, 30):
        callback(progress(step))
    assert callback.best == (0.1, 20)
    assert callback.now == callback.latest == 0.2


def test_where_validation_is_not_due_nothing_is_measured():
    callback = validation({10: 0.3})
    callback(progress(10))
    callback(progress(15))
    assert callback.now is None and callback.latest == 0.3
    assert callback.best == (0.3, 10)


def test_a_resumed_run_keeps_the_best_of_before():
    callback = validation({50: 0.3}, best=callbacks.Best(0.1, 20))
    callback(progress(50))
    assert callback.best == (0.1, 20)


def test_a_validation_error_of_nan_is_never_the_best():
    callback = validation({10: 0.3, 20: math.nan})
    callback(progress(10))
    callback(progress(20))
    assert callback.best == (0.3, 10) and math.isnan(callback.latest)


@pytest.mark.parametrize("patience", [None, 0])
def test_without_a_limit_patience_never_ends(patience):
    callback = callbacks.EarlyStopping(patience, validation({}))
    assert callback(progress(10**6)) is False


def test_patience_counts_from_the_best_step():
    judge = validation({}, best=callbacks.Best(0.1, 20))
    callback = callbacks.EarlyStopping(30, judge)
    assert [callback(progress(step)) for step in (40, 49, 50, 60)] == [
        *(False, False, True, True)
    ]
    judge.best = callbacks.Best(0.05, 50)
    assert not callback.out_of_patience(60)


def divergence_guard(max_skipped):
    def explain(now, last_finite):
        return f"at {now.step}, before that loss {last_finite.get('loss')}"

    return callbacks.DivergenceGuard(max_skipped, explain)


def test_the_guard_forgives_few_consecutive_bad_steps():
    guard = divergence_guard(10)
    for step in (10, 20, 30):
        guard(progress(step, skipped=step, in_a_row=9))


def test_the_guard_ends_a_run_of_too_many():
    guard = divergence_guard(10)
    guard(progress(10, loss=3.0))
    guard(progress(20, skipped=9, in_a_row=9, loss=math.nan))
    with pytest.raises(callbacks.Diverged, match="at 30, before that loss 3.0"):
        guard(progress(30, skipped=10, in_a_row=10, loss=math.nan))


def test_a_run_that_never_was_finite_says_so():
    with pytest.raises(callbacks.Diverged, match="before that loss None"):
        divergence_guard(1)(progress(10, skipped=10, in_a_row=10, loss=math.nan))


def test_the_timer_counts_steps_and_not_callbacks(monkeypatch):
    # Callbacks from 100 to 107 s, ten steps until 108 s, callbacks until 200 s, ...
    now = iter([107.0, 108.0, 200.0, 203.0])
    monkeypatch.setattr("time.monotonic", lambda: next(now))
    timer, timed = callbacks.StepTimer(), []
    for step in (10, 20):
        timer.pause(progress(step))
        timed.append(timer.step_ms)
        timer.resume(progress(step))
    timer.pause(progress(50))
    assert timed == [None, 100.0] and timer.step_ms == pytest.approx(100.0)


def test_without_a_request_the_run_goes_on():
    with Interruption() as stop:
        callback = callbacks.StopOnRequest(stop)
        callback.ask(progress(10))
        callback.obey(progress(10))
        assert not callback.is_requested


def test_a_request_ends_the_run_after_the_checkpoint():
    with Interruption() as stop:
        callback = callbacks.StopOnRequest(stop)
        os.kill(os.getpid(), signal.SIGTERM)
        callback.obey(progress(10))  # it came after this interval's question
        callback.ask(progress(20))
        assert callback.is_requested
        with pytest.raises(Interrupted, match="SIGTERM"):
            callback.obey(progress(20))


def test_a_signal_that_reached_another_process_counts(monkeypatch):
    monkeypatch.setattr(callbacks.devices, "any_process", lambda fact: True)
    with Interruption() as stop:
        callback = callbacks.StopOnRequest(stop)
        callback.ask()
        with pytest.raises(Interrupted, match="another process"):
            callback.obey()


def saved(step, errors, patience=None, is_requested=False):
    """What is saved at a step: (step, state, error, notes), or nothing."""
    rows = []
    judge = validation(errors, best=callbacks.Best(0.2, 4))
    checkpointing = callbacks.Checkpointing(
        lambda *row: rows.append(row),
        lambda: 12.5,
        judge,
        callbacks.EarlyStopping(patience, judge),
        types.SimpleNamespace(is_requested=is_requested),  # type: ignore[arg-type]
    )
    judge(progress(step))
    checkpointing(progress(step))
    return rows


def test_a_state_is_saved_where_validation_is_due_with_its_error():
    assert saved(10, {20: 0.1}) == []
    notes = {"best": {"validation": 0.1, "step": 20}, "elapsed": 12.5}
    assert saved(20, {20: 0.1}) == [(20, STATE, 0.1, notes)]


@pytest.mark.parametrize("end", [{"patience": 6}, {"is_requested": True}])
def test_a_state_is_saved_where_the_run_ends_without_an_error(end):
    ((step, state, error, notes),) = saved(10, {20: 0.1}, **end)
    assert (step, state) == (10, STATE) and math.isnan(error)
    assert notes["best"] == {"validation": 0.2, "step": 4}


def printed_lines(is_time_announced, *moments):
    stream = io.StringIO()
    judge = validation({30: 0.125})
    line = callbacks.ProgressLine(
        Console(stream),
        100,
        frozenset({"loss", "data"}),
        judge,
        lambda: 60.0,
        is_time_announced,
    )
    for moment in moments:
        judge(moment)
        line(moment)
    return stream.getvalue().splitlines()


def test_the_line_shows_losses_validation_and_skipped_steps():
    first, second = printed_lines(True, progress(10), progress(30, skipped=3))
    shown = "data 5.00e-01  loss 2.00e+00"
    assert first == f"step 10/100  first steps compiled  {shown}"
    assert second.startswith("step 30/100  ") and "steps/s" in second
    assert second.endswith(f"{shown}  validation 1.25e-01  skipped 3")


def test_the_expected_time_is_announced_once():
    moments = progress(10), progress(20), progress(30)
    announced = [line.startswith("expected") for line in printed_lines(False, *moments)]
    assert announced == [False, True, False, False]


def test_rows_have_what_was_measured_at_the_time(monkeypatch):
    now = iter([1.0, 2.0])
    monkeypatch.setattr("time.monotonic", lambda: next(now))
    rows, timer, judge = [], callbacks.StepTimer(), validation({20: 0.25})
    stage = {"stage": 2, "first_step": 100}
    write = callbacks.MetricsRows(rows.append, lambda: 7.0, timer, judge, **stage)
    for step in (10, 20):
        for callback in (timer.pause, judge, write, timer.resume):
            if not (step == 20 and callback == timer.resume):
                callback(progress(step))
    measured = {"data": 0.5, "gradient_norm": 9.0, "loss": 2.0, "skipped": 0}
    measured |= {"elapsed": 7.0, "stage": 2}
    assert rows == [
        {"step": 110, **measured},
        {"step": 120, **measured, "step_ms": 100.0, "validation": 0.25},
    ]
