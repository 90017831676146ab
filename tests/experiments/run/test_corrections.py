"""What may be changed in a run that exists, and what another run may give to it."""

import json
import shutil

import jax
import numpy as np
import pytest

from experiments.run import data_sets

WRONG_CONFIG = 2


def contents(folder):
    return {p: p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


LAWS = {"evaluation.vary": "length_scale", "evaluation.over": "(0.5,)"}


@pytest.mark.parametrize(
    ("vary", "over", "told"),
    [
        ("length_scale", "(0.5, -1.0)", "evaluation.over: length_scale = -1.0"),
        ("num_x", "(32,)", "evaluation.over = 32 is not allowed"),
    ],
)
def test_laws_that_cannot_be_tested_are_told_before_training(
    launch, tmp_path, monkeypatch, vary, over, told
):
    monkeypatch.setattr(data_sets, "labelled_set", lambda *_: pytest.fail("data made"))
    fields = {"evaluation.vary": vary, "evaluation.over": over}
    code, out, err = launch(tmp_path / "run", fields)
    assert code == WRONG_CONFIG and out == [] and len(err) == 1 and told in err[0]
    assert not (tmp_path / "run").exists()


def test_a_finished_run_is_judged_again_on_what_was_corrected(
    launch, straight, tmp_path
):
    workdir = shutil.copytree(straight, tmp_path / "run")
    trained = contents(workdir / "checkpoints")
    code, out, _ = launch(workdir, LAWS)
    assert code == 0 and out[0].startswith("changed in this run: evaluation.over: ")
    old, new = (
        json.loads((w / "result.json").read_text()) for w in (straight, workdir)
    )
    assert new["relative_l2_by_law"].keys() == {"length_scale=0.5"}
    assert new["relative_l2"] == old["relative_l2"] and new["steps"] == old["steps"]
    assert contents(workdir / "checkpoints") == trained
    stored = json.loads((workdir / "config.json").read_text())
    assert stored["evaluation"] == {"vary": "length_scale", "over": [0.5]}
    _, out, _ = launch(workdir, LAWS)
    assert len(out) == 1 and "holds a finished run" in out[0]


def test_a_longer_run_is_the_run_that_was_long_from_the_start(
    launch, tmp_path, last_state
):
    """With a constant rate; other schedules depend on where they end."""
    constant = {"train.schedule": "constant", "train.checkpoint_every": 20}
    one, two = tmp_path / "one", tmp_path / "two"
    assert launch(one, {**constant, "train.steps": 20})[0] == 0
    code, out, _ = launch(one, {**constant, "train.steps": 40})
    assert code == 0 and any("resuming at step 20 of 40" in line for line in out)
    assert launch(two, {**constant, "train.steps": 40})[0] == 0
    for a, b in zip(*(jax.tree.leaves(last_state(w)) for w in (one, two)), strict=True):
        np.testing.assert_array_equal(a, b)
    assert json.loads((one / "result.json").read_text())["steps"] == 40
    assert launch(one, {**constant, "train.steps": 30})[0] == WRONG_CONFIG


def test_a_run_can_start_from_another(launch, straight, tmp_path, read_rows):
    fields = {"train.start_from": straight, "train.steps": 10, "train.warmup": 100}
    assert launch(tmp_path / "run", fields)[0] == 0
    cold, warm = (read_rows(w)[0]["loss"] for w in (straight, tmp_path / "run"))
    # Ten steps of a slow warm-up: what the other run learnt is still there.
    assert warm < 0.6 * cold


@pytest.mark.parametrize("fields", [{"model.width": 6}, {"train.start_from": "no"}])
def test_a_start_that_does_not_fit_is_told(launch, straight, tmp_path, fields):
    changes = {"train.start_from": straight, **fields}
    code, out, err = launch(tmp_path / "run", changes)
    assert code == WRONG_CONFIG and out == [] and len(err) == 1
    assert "train.start_from" in err[0] and not (tmp_path / "run").exists()
