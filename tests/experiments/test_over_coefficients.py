"""The study of a coefficient: its runs, and the table of their errors."""

import json

import pytest

from experiments import over_coefficients
from experiments.over_coefficients import STUDIES
from experiments.paper.baselines import LABELS, PILNO
from experiments.suite.run_spec import RunSpec


def made_up(run, root):
    """Of one value: 1 % there and ten times that elsewhere; of the law, 1.5 %."""
    at = dict(run.changes).get("problem.viscosity")
    tested = STUDIES["burgers-viscosity"].tested
    errors = {v: 0.015 if at is None else 0.01 if v == at else 0.1 for v in tested}
    return {
        "relative_l2_by_law": {f"viscosity={v}": {"mean": errors[v]} for v in tested},
        **{"versions": {}, "device": "cpu", "command": "", "seed": 0},
        "wall_clock_seconds": 1.0,
    }


def test_an_operator_of_the_law_is_held_against_those_of_one_value(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(RunSpec, "result", made_up)
    monkeypatch.setattr(over_coefficients, "RESULTS", tmp_path)
    monkeypatch.setattr(over_coefficients, "FIGURES", tmp_path)
    study = STUDIES["burgers-viscosity"]
    path = over_coefficients.write("a", study, study.runs(), tmp_path)
    written = json.loads(path.read_text())
    assert written["worst_ratio"] == pytest.approx(1.5)
    assert written["relative_l2"][LABELS].keys() == written["relative_l2"][PILNO].keys()
    assert (tmp_path / "a.png").stat().st_size > 10_000


@pytest.mark.parametrize("name", STUDIES)
def test_values_that_are_compared_were_tested(name):
    study = STUDIES[name]
    low, high = study.law
    assert set(study.fixed) <= set(study.tested)
    # Inside the law and outside of it on both sides.
    assert min(study.tested) < low <= min(study.fixed)
    assert max(study.fixed) <= high < max(study.tested)
