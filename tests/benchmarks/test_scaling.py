"""The scaling benchmark: its arithmetic, and one small case of its measurements."""

import dataclasses
from pathlib import Path

import pytest

from benchmarks import scaling
from pilno_jax.runs import files

ROOT = Path(__file__).parents[2]

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


def test_estimates_are_those_of_the_committed_measurement():
    committed = files.read_json(ROOT / "results" / "scaling.json")
    *_, largest = committed["resolution"].values()
    for row, expected in zip(
        scaling.estimates(largest), committed["estimates"], strict=True
    ):
        assert row == pytest.approx(expected)
