"""A run that older code began is continued by today's, through the entry point."""

import shutil
from pathlib import Path

import pytest

from pilno_jax.runs import format, metrics_log

ROOT = Path(__file__).parents[3]
OLD = ROOT / "tests" / "runs" / "old_run"
WRONG_CONFIG = 2
# What the old run was started with.
CHANGES = {
    "recipe": "fast",
    "problem.num_x": 16,
    "problem.num_t": 9,
    "problem.final_time": 0.2,
    "problem.time_accuracy": 6,
    "model.name": "alno",
    "model.add_input": False,
    "model.width": 4,
    "model.num_layers": 1,
    "model.modes": "(3, 3)",
    "model.poles": "(2, 2)",
    "data.num_validation": 2,
    "data.num_test": 3,
    "train.num_train": 4,
    "train.batch_data": 2,
    "train.batch_physics": 2,
    "train.steps": 80,
    "train.log_every": 10,
    "train.checkpoint_every": 40,
    "evaluation.vary": "",
}


@pytest.fixture
def folder(tmp_path):
    return shutil.copytree(OLD, tmp_path / "run")


def test_an_old_run_goes_on_where_it_was_and_ends_where_it_would_have(folder, launch):
    old_rows = metrics_log.read_metrics(OLD / "metrics.jsonl")
    code, out, err = launch(folder, CHANGES)
    assert code == 0, [*out, *err]
    rows = metrics_log.read_metrics(folder / "metrics.jsonl")
    # Up to the checkpoint the rows are the old ones, times of the clock included.
    assert rows[:4] == old_rows[:4] and rows[4:] != old_rows[4:]
    for row, old_row in zip(rows, old_rows, strict=True):
        # Forty steps carry the rounding of another machine on, to the fourth digit.
        assert row["step"] == old_row["step"]
        assert row["loss"] == pytest.approx(old_row["loss"], rel=1e-3)
    result = format.read_result(folder)
    assert result["format_version"] == format.FORMAT_VERSION
    assert result["steps"] == result["best_step"] == 80
    assert result["complete_config"]["train"]["steps"] == 80
    assert set(result["code"]) == {"version", "commit", "dirty"}


@pytest.mark.parametrize("name", ["config.json", "result.json"])
def test_a_damaged_folder_is_refused_in_a_line(folder, launch, name):
    (folder / name).write_text('{"problem": ')
    code, out, (line,) = launch(folder, CHANGES)
    assert code == WRONG_CONFIG and out == []
    assert f"{folder}/{name} is damaged" in line


def test_another_config_than_the_old_one_is_refused(folder, launch):
    code, _, (line,) = launch(folder, {**CHANGES, "train.steps": 70})
    assert code == WRONG_CONFIG
    assert line.endswith("(train.steps: 80 there, 70 asked for)")
