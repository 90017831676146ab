"""Steps that are not finite, disks that are full: nothing already saved is lost."""

import dataclasses

import jax.numpy as jnp
import numpy as np
import pytest

import pilno_jax
from experiments.config import build as building
from experiments.run import data_sets, figures
from experiments.run import run as runner
from pilno_jax.runs import checkpoints, files

FAILED, DIVERGED = 1, 3
SHORT = {"train.steps": 60, "train.checkpoint_every": 20}


@pytest.fixture
def bad_steps(monkeypatch):
    """bad_steps(first, last): the labels of these steps' batches are NaN."""

    def spoil(first, last):
        def build(config):
            (run,) = building.build_stages(config)

            def batches(data, key, step):
                batch = run.batches(data, key, step)
                factor = jnp.where((first <= step) & (step <= last), jnp.nan, 1.0)
                return {**batch, "labels": factor * batch["labels"]}

            return (dataclasses.replace(run, batches=batches),)

        monkeypatch.setattr(runner, "build_stages", build)

    return spoil


def test_bad_steps_are_skipped_and_counted(launch, bad_steps, tmp_path, read_rows):
    bad_steps(14, 27)
    code, out, _ = launch(tmp_path, SHORT)
    assert code == 0
    skipped = {row["step"]: row["skipped"] for row in read_rows(tmp_path)}
    assert skipped == {10: 0, 20: 6, 30: 14, 40: 14, 50: 14, 60: 14}
    assert any("skipped 14" in line for line in out)
    result = files.read_json(tmp_path / "result.json")
    assert result["skipped_steps"] == 14
    assert np.isfinite(result["relative_l2"]["max"])


def test_too_many_in_a_row_stop_the_run(launch, bad_steps, tmp_path):
    bad_steps(34, 1000)
    changes = {**SHORT, "train.max_skipped_in_a_row": 10, "seed": 5}
    code, out, _ = launch(tmp_path, changes)
    assert code == DIVERGED
    said = out[-1]
    for part in ("diverged", "step 50", "seed 5", "data nan", "pde ", "checkpoint"):
        assert part in said
    assert "is step 40" in said
    assert not (tmp_path / "result.json").exists()
    # Of the kept checkpoints every one is whole, and has finite parameters.
    loaded = pilno_jax.load(tmp_path)
    assert loaded.step in (20, 40)
    u = loaded.predict({"u0": np.full(16, 0.1, np.float32)})
    assert np.isfinite(u).all()


def test_a_run_that_never_was_finite_does_not_end_well(launch, tmp_path):
    """Too few steps for the guard: the first update is too large for float32."""
    changes = {"train.steps": 20, "train.learning_rate": 1e38}
    code, out, _ = launch(tmp_path, {**changes, "train.warmup": 0})
    assert code == DIVERGED and out[-1].startswith("diverged: ")
    assert not (tmp_path / "result.json").exists()


@pytest.mark.parametrize("place", ["workdir", "cache"])
def test_a_folder_that_cannot_be_written_is_told_before_anything(
    launch, tmp_path, place, monkeypatch
):
    """Being root, tests cannot take rights away: a file stands in the way."""
    monkeypatch.setattr(data_sets, "labelled_set", lambda *_: pytest.fail("data made"))
    (tmp_path / "file").write_text("in the way")
    blocked = tmp_path / "file" / "folder"
    workdir = blocked if place == "workdir" else tmp_path / "run"
    code, out, err = launch(workdir, {} if place == "workdir" else {"cache": blocked})
    assert code == FAILED and err == []
    assert len(out) == 1 and "cannot read or write" in out[0] and "file" in out[0]


def test_too_little_space_is_told_before_training(launch, tmp_path, monkeypatch):
    usage = dataclasses.make_dataclass("Usage", ["free"])
    monkeypatch.setattr("shutil.disk_usage", lambda path: usage(free=1000))
    code, out, _ = launch(tmp_path, SHORT)
    assert code == FAILED
    assert "0 MB free" in out[-1] and not any(line.startswith("step") for line in out)


def test_neither_a_full_disk_nor_reports_or_figures_that_fail_cost_what_was_saved(
    launch, tmp_path, monkeypatch, last_state
):
    save = checkpoints.Checkpoints.save

    def save_up_to_20(self, step, *rest):
        if step >= 40:
            raise OSError(28, "No space left on device")
        save(self, step, *rest)

    with monkeypatch.context() as patched:
        patched.setattr(checkpoints.Checkpoints, "save", save_up_to_20)
        code, out, _ = launch(tmp_path, SHORT)
    assert code == FAILED and "No space left on device" in out[-1]
    assert int(last_state(tmp_path)["step"]) == 20

    # The result is written before the report and its figures.
    def killed(*_):
        assert (tmp_path / "result.json").exists()
        raise OSError("the disk is gone")

    with monkeypatch.context() as patched:
        patched.setattr(runner, "write_report", killed)
        code, out, _ = launch(tmp_path, SHORT)
    assert code == FAILED and any("resuming at step 20" in line for line in out)
    result = (tmp_path / "result.json").read_bytes()

    # A report that is missing is made, without the figures that cannot be drawn.
    def broken(*_):
        raise RuntimeError("no ink\nat all")

    monkeypatch.undo()
    monkeypatch.setattr(figures, "loss_terms", broken)
    code, out, _ = launch(tmp_path, SHORT, drawn=True)
    assert code == 0
    assert "no figure loss_terms: RuntimeError: no ink at all" in out
    drawn = {path.stem for path in (tmp_path / "figures").iterdir()}
    assert drawn == {
        "validation_error",
        "slices_worst",
        "field_worst",
        "field_median",
        "error_distribution",
    }
    assert (tmp_path / "report.html").exists()
    assert (tmp_path / "result.json").read_bytes() == result


def test_orbax_on_a_full_disk_ends_in_a_clear_line(runs, straight, tmp_path):
    """Files beyond 8 kB cannot be written: a checkpoint's arrays, nothing before."""
    prefix = ("bash", "-c", 'ulimit -f 8; exec "$@"', "limited")
    process = runs.start(tmp_path, prefix=prefix)
    out, _ = process.communicate(timeout=240)
    assert process.returncode == FAILED
    # Not the only line: threads of Orbax may print tracebacks of their own around it.
    assert any("error: cannot read or write" in line for line in out.splitlines())
