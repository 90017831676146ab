"""What a run leaves in its workdir, and whom it lets in afterwards."""

import hashlib
import json
import re

import numpy as np
import pytest

import pilno_jax
from experiments.config.schema import RunConfig
from experiments.run.data_sets import labelled_set
from experiments.run.entry import default_workdir
from pilno_jax import evaluation

WRONG_CONFIG = 2
FIELDS = """problem model recipe seed num_train steps relative_l2 relative_l2_global
relative_l2_by_law wall_clock_seconds step_ms num_params versions device command"""


def fingerprint(folder):
    return {
        path: (path.stat().st_mtime_ns, hashlib.sha256(path.read_bytes()).digest())
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_the_result_has_every_field(straight):
    result = json.loads((straight / "result.json").read_text())
    assert set(result) >= set(FIELDS.split())
    assert set(result["relative_l2"]) == {"mean", "std", "max"}
    assert result["steps"] == 110 and result["step_ms"] > 0
    assert "experiments.burgers" in result["command"]


def test_metrics_have_step_and_loss_and_no_step_twice(straight, read_rows):
    rows = read_rows(straight)
    assert [row["step"] for row in rows] == list(range(10, 111, 10))
    assert all(np.isfinite(row["loss"]) for row in rows)
    assert [row["step"] for row in rows if "validation" in row][-2:] == [80, 110]


def test_the_first_line_says_what_runs_on_what(straight):
    lines = (straight.parent / "out.txt").read_text().splitlines()
    first = next(line for line in lines if "parameters" in line)
    for part in ("cpu", "float32", "4 train, 2 validation, 3 test", "expected time"):
        assert part in first
    assert any(re.match(r"expected time: about \d+ (s|min)", line) for line in lines)
    assert sum(line.startswith("step ") for line in lines) == 11


def test_figures_and_a_report_that_needs_nothing_else(straight):
    drawn = {path.stem for path in (straight / "figures").iterdir()}
    assert drawn == {
        "loss_terms",
        "validation_error",
        "slices_worst",
        "field_worst",
        "field_median",
        "error_distribution",
    }
    page = (straight / "report.html").read_text()
    assert page.count("data:image/png;base64,") == len(drawn)
    assert "<script" not in page and "http" not in page
    # The answer first; settings and raw numbers are one click away.
    first, _, later = page.partition("<h2>")
    assert "Burgers" in first and "<math" in first and "on average" in first
    assert "relative_l2" not in first
    _, _, folded = later.partition("<details>")
    assert "train.learning_rate" in folded and "relative_l2.mean" in folded


def test_a_loaded_run_predicts_what_the_run_reported(straight, runs):
    run = pilno_jax.load(straight)
    result = json.loads((straight / "result.json").read_text())
    assert run.step == result["best_step"]
    config = RunConfig.from_dict(run.config)
    test = labelled_set(config, "test", runs.cache)
    summary = evaluation.summary(run.predict(test["inputs"]), test["labels"])
    assert summary["relative_l2"] == result["relative_l2"]


def test_a_finished_run_says_so_and_touches_nothing(straight, launch):
    before = fingerprint(straight)
    code, out, _ = launch(straight)
    assert code == 0 and len(out) == 1 and "finished" in out[0]
    assert fingerprint(straight) == before


def test_another_config_is_refused_and_the_differences_are_named(straight, launch):
    before = fingerprint(straight)
    changes = {"seed": 7, "train.learning_rate": 0.5}
    code, out, err = launch(straight, changes)
    assert code == WRONG_CONFIG and out == [] and len(err) == 1
    assert "seed: 0 there, 7 asked for" in err[0]
    assert "train.learning_rate: 0.01 there, 0.5 asked for" in err[0]
    assert "train.steps" not in err[0]
    assert fingerprint(straight) == before


@pytest.mark.parametrize(
    ("chosen", "workdir"),
    [
        ("configs/burgers.py", "runs/burgers"),
        ("configs/burgers.py:paper", "runs/burgers_paper"),
        ("configs/burgers.py:fast", "runs/burgers_fast"),
    ],
)
def test_a_run_without_a_workdir_is_where_its_recipe_says(chosen, workdir):
    assert default_workdir("burgers", chosen) == workdir
