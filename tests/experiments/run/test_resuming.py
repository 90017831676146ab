"""A run that was killed or told to stop ends where an undisturbed one does."""

import random
import signal
import time

import pytest

INTERRUPTED = 75


def test_killed_at_a_random_moment(
    runs, straight, tmp_path, wait_for_step, assert_bit_equal, read_rows
):
    seed = random.randrange(1000)
    print(f"random seed {seed}")
    chance = random.Random(seed)
    process = runs.start(tmp_path)
    wait_for_step(process, tmp_path, 10 * chance.randrange(1, 8))
    time.sleep(chance.uniform(0.0, 0.05))
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert not (tmp_path / "result.json").exists()

    runs.complete(tmp_path)
    assert_bit_equal(straight, tmp_path)
    columns = ("step", "loss", "data", "pde", "validation")

    def logged(workdir):
        return [[row.get(name) for name in columns] for row in read_rows(workdir)]

    assert logged(tmp_path) == logged(straight)


def test_told_to_stop_by_every_signal_in_turn(
    runs, straight, tmp_path, wait_for_step, assert_bit_equal, last_state
):
    moments = [(signal.SIGTERM, 20), (signal.SIGUSR1, 50), (signal.SIGINT, 90)]
    reached = 0
    for number, step in moments:
        process = runs.start(tmp_path)
        wait_for_step(process, tmp_path, step)
        process.send_signal(number)
        out, _ = process.communicate(timeout=120)
        assert process.returncode == INTERRUPTED, out
        assert f"interrupted by {number.name}; the same command resumes" in out
        assert "Traceback" not in out
        saved = int(last_state(tmp_path)["step"])
        assert saved >= max(step, reached), "the signal cost steps"
        reached = saved
    out = runs.complete(tmp_path)
    assert f"resuming at step {reached}" in out
    assert_bit_equal(straight, tmp_path)


def test_begun_on_four_devices_and_finished_on_one(
    runs, straight, tmp_path, wait_for_step, read_rows
):
    """The weights were split in two; a checkpoint knows nothing of that."""
    process = runs.start(tmp_path, {"devices": 4, "weight_shards": 2})
    wait_for_step(process, tmp_path, 50)
    process.send_signal(signal.SIGTERM)
    out, _ = process.communicate(timeout=120)
    assert process.returncode == INTERRUPTED and "4 x cpu" in out, out
    saved = read_rows(tmp_path)[-1]["step"]
    out = runs.complete(tmp_path)
    assert "1 x cpu" in out and f"resuming at step {saved} of" in out
    found, alone = ([row["loss"] for row in read_rows(w)] for w in (tmp_path, straight))
    assert len(found) == len(alone)
    # The first row has the same numbers summed in another order; later rows multiply
    # that rounding by training's sensitivity.
    assert found[0] == pytest.approx(alone[0], rel=1e-5)
    assert found == pytest.approx(alone, rel=1e-2)


@pytest.mark.parametrize("moment", ["solving train set", "burgers on 16x9"])
def test_a_signal_before_the_first_row(runs, tmp_path, read_rows, moment):
    """While data are made, or the step compiles, a signal ends the run soon."""
    compiling = moment.startswith("burgers")
    workdir = tmp_path / "run"
    unseen = {"cache": tmp_path / "cache", "data.num_test": 5000}
    changes = {"model.width": 5} if compiling else unseen
    process = runs.start(workdir, changes)
    for line in process.stdout:
        if line.startswith(moment):
            break
    process.send_signal(signal.SIGTERM)
    sent = time.monotonic()
    out, _ = process.communicate(timeout=120)
    assert process.returncode == INTERRUPTED, out
    assert "interrupted by SIGTERM" in out and "Traceback" not in out
    # What cannot be cut short: a chunk of references, or a compilation and the steps
    # up to the first row, which are saved.
    assert [row["step"] for row in read_rows(workdir)] == ([10] if compiling else [])
    assert time.monotonic() - sent < 60


def test_the_time_given_is_used_up(
    launch, tmp_path, monkeypatch, read_rows, last_state
):
    """The clock jumps when the first row is there: a checkpoint, exit code 75."""

    def clock():
        return time.monotonic() + (7200.0 if read_rows(tmp_path) else 0.0)

    changes = {"train.steps": 40}
    with monkeypatch.context() as patched:
        patched.setattr("experiments.run.interruption.monotonic", clock)
        code, out, _ = launch(tmp_path, changes, "--max_hours=1")
    assert code == INTERRUPTED
    assert out[-1] == "interrupted by --max_hours=1; the same command resumes"
    assert int(last_state(tmp_path)["step"]) == 10
    code, out, _ = launch(tmp_path, changes, "--max_hours=1")
    assert code == 0 and any("resuming at step 10" in line for line in out)
