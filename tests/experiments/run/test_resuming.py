"""A run that was killed or told to stop ends where an undisturbed one does."""

import random
import shutil
import signal
import time

import pytest

from experiments.run.terminal import Console

INTERRUPTED = 75


@pytest.fixture
def signal_at(monkeypatch):
    """signal_at(number, start): a signal once a line is printed that starts so.

    To this process: what a signal does to a process of its own, SIGTERM shows.
    """
    line = Console.line

    def arrange(number, start):
        def print_line(self, text):
            line(self, text)
            if text.startswith(start):
                signal.raise_signal(number)

        monkeypatch.setattr(Console, "line", print_line)

    return arrange


def test_told_to_stop_twice_and_killed_at_a_random_moment(
    runs,
    straight,
    launch,
    signal_at,
    tmp_path,
    wait_for_step,
    last_state,
    read_rows,
    assert_bit_equal,
    monkeypatch,
):
    # In this process; all signals that a run obeys are noted alike, see test_terminal.
    signal_at(signal.SIGINT, "step 30/")
    code, out, _ = launch(tmp_path)
    assert code == INTERRUPTED
    assert out[-1] == "interrupted by SIGINT; the same command resumes"
    assert int(last_state(tmp_path)["step"]) == 30, "the signal cost steps"
    monkeypatch.undo()

    process = runs.start(tmp_path)
    wait_for_step(process, tmp_path, 40)
    process.send_signal(signal.SIGTERM)
    out, _ = process.communicate(timeout=120)
    assert process.returncode == INTERRUPTED, out
    assert "resuming at step 30 of" in out and "Traceback" not in out
    assert "interrupted by SIGTERM; the same command resumes" in out
    saved = int(last_state(tmp_path)["step"])
    assert saved >= 40, "the signal cost steps"

    seed = random.randrange(1000)
    print(f"random seed {seed}")
    chance = random.Random(seed)
    process = runs.start(tmp_path)
    wait_for_step(process, tmp_path, saved + 10 * chance.randrange(1, 4))
    time.sleep(chance.uniform(0.0, 0.05))
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert not (tmp_path / "result.json").exists()

    code, out, _ = launch(tmp_path)
    assert code == 0
    assert_bit_equal(straight, tmp_path)
    columns = ("step", "loss", "data", "pde", "validation")

    def logged(workdir):
        return [[row.get(name) for name in columns] for row in read_rows(workdir)]

    assert logged(tmp_path) == logged(straight)


def test_a_signal_while_data_are_made(launch, signal_at, tmp_path):
    """The set that is being solved is the last one."""
    signal_at(signal.SIGTERM, "solving train set")
    code, out, _ = launch(tmp_path / "run", {"cache": tmp_path / "cache"})
    assert code == INTERRUPTED and "interrupted by SIGTERM" in out[-1]
    assert sum(line.startswith("solving") for line in out) == 1


def test_a_damaged_checkpoint_costs_the_steps_behind_the_one_before(
    launch, straight, tmp_path, assert_bit_equal
):
    workdir = shutil.copytree(straight, tmp_path / "run")
    for name in ("result.json", "report.html"):
        (workdir / name).unlink()
    shutil.rmtree(workdir / "checkpoints" / "110" / "state" / "d")
    code, out, err = launch(workdir)
    assert code == 0 and err == []
    said = [line for line in out if "checkpoint 110 cannot be used" in line]
    assert len(said) == 1 and said[0].endswith("taking that of step 80")
    assert any("resuming at step 80" in line for line in out)
    assert_bit_equal(straight, workdir)
    assert (workdir / "damaged" / "checkpoints-110" / "state").is_dir()


def test_a_signal_before_the_first_row_and_the_time_given_used_up(
    launch, signal_at, tmp_path, monkeypatch, read_rows, last_state
):
    """A compilation and the steps up to the first row are not cut short, but saved."""
    signal_at(signal.SIGTERM, "burgers on 16x9")
    assert launch(tmp_path)[0] == INTERRUPTED
    assert [row["step"] for row in read_rows(tmp_path)] == [10]
    assert int(last_state(tmp_path)["step"]) == 10
    monkeypatch.undo()

    def clock():
        """It jumps when the second row is there."""
        return time.monotonic() + (7200.0 if len(read_rows(tmp_path)) > 1 else 0.0)

    monkeypatch.setattr("experiments.run.interruption.monotonic", clock)
    code, out, _ = launch(tmp_path, {}, "--max_hours=1")
    assert code == INTERRUPTED
    assert any("resuming at step 10" in line for line in out)
    assert out[-1] == "interrupted by --max_hours=1; the same command resumes"
    assert int(last_state(tmp_path)["step"]) == 20
