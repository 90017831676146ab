"""The scaling benchmark: its arithmetic, and one small case of its measurements."""

import dataclasses

import pytest

from benchmarks import scaling

TINY = scaling.Case(points=11, virtual=3, accumulate=2, width=4, modes=2, repeats=1)


def test_exponents_are_those_of_a_power_law():
    sizes = [31.0**2, 61.0**2, 121.0**2]
    values = [3.0 * size**1.15 for size in sizes]
    assert scaling.exponent(sizes, values) == pytest.approx(1.15)


def test_the_plan_holds_every_part():
    cases = scaling.plan(TINY, [11, 21, 31], large=21)
    assert list(cases) == ["resolution", "large", "options", "weak", "weights"]
    assert [case.points for case in cases["resolution"].values()] == [11, 21, 31]
    assert cases["large"]["21"].virtual == 50
    assert all(c.width == TINY.width for part in cases.values() for c in part.values())
    weak = cases["weak"].values()
    assert {(c.labelled + c.virtual) / c.devices for c in weak} == {8}


def test_a_case_is_measured():
    found = scaling.measure(TINY)
    assert found.items() >= dataclasses.asdict(TINY).items()
    for name in ("step_seconds", "resident_gb", "planned_gb", "gflop", "parameters"):
        assert found[name] > 0
    assert "11" in scaling.describe(found)


def test_a_case_that_fails_says_why():
    impossible = dataclasses.replace(TINY, points=10)
    with pytest.raises(RuntimeError, match="exit code 1, .*num_points = 10"):
        scaling.apart(impossible)


def test_estimates_follow_the_roofline():
    hardware = scaling.Hardware("d", 4, flops=1e12, bandwidth=1e11, link=1e9)
    few = scaling.estimate(hardware, 1.0, 0.01, parameters=10**6, count=8)
    # 2 samples a device: 2 GFLOP at 0.4 TFLOP/s, 0.02 GB at 0.04 TB/s; and of a ring's
    # gradient, 2 * 3/4 * 4 MB at 1 GB/s.
    assert few["compute_ms"] == pytest.approx(5.0)
    assert few["memory_ms"] == pytest.approx(0.5)
    assert few["all_reduce_ms"] == pytest.approx(6.0)
    assert few["step_ms"] == pytest.approx(11.0)
    alone = scaling.Hardware("1", 1, flops=1e12, bandwidth=1e11, link=1e9)
    assert scaling.estimate(alone, 1.0, 0.01, 10**6, 8)["all_reduce_ms"] == 0
