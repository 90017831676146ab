"""Steps that were logged elsewhere, in the seconds they take here."""

import pytest

from benchmarks.time_to_accuracy import StageTime, curve, seconds_to, times_in


def test_times_of_stages_are_read_from_a_short_training():
    rows = [
        {"step": 10, "elapsed": 9.0, "stage": 1},  # compiled: no time of a step
        {"step": 20, "elapsed": 11.0, "stage": 1, "step_ms": 200.0},
        {"step": 30, "elapsed": 12.0, "stage": 1, "step_ms": 100.0},
        {"step": 40, "elapsed": 20.0, "stage": 2},
        {"step": 50, "elapsed": 25.0, "stage": 2, "step_ms": 300.0},
    ]
    first, second = times_in(rows)
    assert (first.before, first.step) == pytest.approx((8.0, 0.1))
    assert (second.before, second.step) == pytest.approx((5.0, 0.3))


def test_a_curve_counts_every_step_at_the_time_of_its_stage():
    rows = [
        {"step": 100, "stage": 1},
        {"step": 200, "stage": 1, "validation": 1e-1},
        {"step": 250, "stage": 2, "validation": 1e-2},
        {"step": 300, "stage": 2, "validation": 1e-3},
    ]
    points = curve(rows, [StageTime(10.0, 0.1), StageTime(5.0, 1.0)])
    assert [one["seconds"] for one in points] == pytest.approx([30.0, 85.0, 135.0])
    assert [one["stage"] for one in points] == [1, 2, 2]
    assert seconds_to(2e-2, points) == pytest.approx(85.0)
    assert seconds_to(1e-4, points) is None
