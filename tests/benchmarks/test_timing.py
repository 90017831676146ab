"""The timing loop: what it counts, in which order, and when the clock stops."""

import pytest

from benchmarks import timing


@pytest.fixture
def clock(monkeypatch):
    """A clock that only moves when told to; processors are twice as busy."""
    now = [0.0]
    monkeypatch.setattr(timing.time, "perf_counter", lambda: now[0])
    monkeypatch.setattr(timing.time, "process_time", lambda: 2 * now[0])

    def pass_by(seconds):
        now[0] += seconds

    return pass_by


def lasting(clock, *seconds):
    """A call that takes so long, the first of the durations at the first time."""
    durations = iter(seconds)
    return lambda: clock(next(durations))


def test_the_round_that_warms_up_does_not_count(clock):
    times = timing.alone(lasting(clock, 100, 3, 1, 5), repeats=3)
    assert times == timing.Times(wall=(3, 1, 5), processor=(6, 2, 10))
    assert (times.fastest, times.fastest_processor, times.median) == (1, 2, 3)


def test_calls_take_turns():
    order = []
    calls = {name: lambda name=name: order.append(name) for name in "ab"}
    timing.interleaved(calls, repeats=3)
    assert order == list("ab") * 4


def test_every_call_has_its_own_times(clock):
    calls = {"a": lasting(clock, 9, 1, 2), "b": lasting(clock, 9, 10, 20)}
    times = timing.interleaved(calls, repeats=2)
    assert times["a"].wall == (1, 2) and times["b"].wall == (10, 20)


def test_the_clock_stops_when_the_result_is_there(clock):
    """A call that only promises its result is timed until it is kept."""
    times = timing.interleaved(
        {"a": lambda: 7.0}, repeats=1, wait=lambda promised: clock(promised)
    )
    assert times["a"].wall == (7.0,)


def test_jax_is_waited_for(monkeypatch):
    waited = []
    monkeypatch.setattr("jax.block_until_ready", waited.append)
    timing.alone(lambda: "result", repeats=2)
    assert waited == ["result"] * 3


def test_a_state_is_carried_from_call_to_call():
    call = timing.carrying(lambda state: (2 * state, state), 1)
    assert [call() for _ in range(3)] == [(2, 1), (4, 2), (8, 4)]


def test_without_repeats_there_is_nothing_to_report():
    with pytest.raises(ValueError, match="repeats = 0"):
        timing.alone(lambda: None, repeats=0)
