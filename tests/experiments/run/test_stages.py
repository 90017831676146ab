"""A run in stages: trained, resumed in a later stage, loaded, without any label."""

import json
import shutil

import jax
import numpy as np
import pytest

import pilno_jax
from pilno_jax.runs import metrics_log
from pilno_jax.runs.run_folder import RunFolder

STAGES = {
    "train.steps": 40,
    "train.checkpoint_every": 20,
    "train.num_train": 0,
    "data.num_validation": 10,
    "stages.steps": "(40,)",
    "stages.width": "(3,)",
    "stages.last_applied": 2,
}


@pytest.fixture
def staged(tmp_path, launch):
    """The folder of a finished run of two stages."""
    code, out, err = launch(tmp_path / "run", STAGES)
    assert code == 0, [*out, *err]
    return tmp_path / "run"


def test_a_run_in_stages(staged, launch, last_state):
    rows = metrics_log.read_metrics(RunFolder(staged).metrics)
    assert [row["stage"] for row in rows] == [1] * 4 + [2] * 4
    assert [row["step"] for row in rows] == list(range(10, 90, 10))
    # Without labels there is no data term.
    assert all("data" not in row and "pde_virtual" in row for row in rows)

    result = json.loads((staged / "result.json").read_text())
    assert result["steps"] == 80
    assert len(result["relative_l2_by_stage"]) == 3  # the last one is applied twice
    run = pilno_jax.load(staged)
    assert [network.width for network in (run.model, *run.correctors)] == [4, 3]
    inputs = jax.jit(run.problem.sample)(jax.random.key(0))
    batch = jax.tree.map(lambda x: x[None], inputs)
    (expected,) = jax.jit(run.operator)(run.params, batch)
    np.testing.assert_allclose(run.predict(inputs), expected, rtol=1e-5, atol=1e-6)

    # The error of one prediction, and applications until it is good enough.
    assert 0 <= result["error_bar"]["coverage"] <= 1
    prediction = run.predict(batch, with_error=True)
    np.testing.assert_array_equal(prediction.applications, 0)
    np.testing.assert_allclose(prediction.u, run.predict(batch), rtol=1e-5, atol=1e-6)
    assert prediction.upper == run.error_bar.factor_above * prediction.error
    better = run.predict(inputs, tolerance=1e-12)
    assert better.u.shape == run.problem.grid.shape
    assert better.error <= prediction.error[0]

    # Killed in the second stage, it ends with the same bits.
    cut = shutil.copytree(staged, staged.parent / "cut")
    for name in ("result.json", "report.html"):
        (cut / name).unlink()
    shutil.rmtree(cut / "checkpoints_2" / "40")
    code, out, err = launch(cut, STAGES)
    assert code == 0, [*out, *err]
    assert any("resuming stage 2 of 2 at step 20 of 40" in line for line in out)
    again = pilno_jax.load(cut)
    jax.tree.map(np.testing.assert_array_equal, again.params, run.params)
    again_rows = metrics_log.read_metrics(RunFolder(cut).metrics)
    for row, before in zip(again_rows, rows, strict=True):
        assert (row["step"], row["loss"]) == (before["step"], before["loss"])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"stages.steps": "(0,)"}, ["stages.steps = (0,)", "above 0"]),
        (
            {"stages.steps": "(40,)", "stages.width": "(4, 4)"},
            ["stages.width = (4, 4)", "each of the 1"],
        ),
        ({"stages.last_applied": 0}, ["stages.last_applied = 0", "above 0"]),
        (
            {"train.num_train": 0, "train.batch_physics": 0},
            ["train.num_train = 0", "virtual"],
        ),
    ],
)
def test_impossible_stages_are_one_line(launch, tmp_path, changes, words):
    code, _, (line,) = launch(tmp_path / "run", changes)
    assert code == 2 and all(word in line for word in words)
