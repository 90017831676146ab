"""Two processes over the loopback device train as one, and stop as one."""

import random
import signal

import pytest

INTERRUPTED = 75
CHANGES = {"train.steps": 200, "train.checkpoint_every": 50}


@pytest.fixture
def start_pair(runs):
    """start_pair(workdir) -> the leading and the other process of one training.

    They find each other through the variables that SLURM's srun sets.
    """

    def start(workdir):
        job = random.randrange(2**12)  # SLURM's job number becomes the port

        def process(number):
            variables = {
                "SLURM_JOB_ID": job,
                "SLURM_STEP_NODELIST": "localhost",
                "SLURM_NTASKS": 2,
                "SLURM_PROCID": number,
                "SLURM_LOCALID": number,
            }
            prefix = ["env", *(f"{name}={value}" for name, value in variables.items())]
            # Each with two devices that share the weights.
            changes = CHANGES | {"devices": 2, "weight_shards": 2}
            return runs.start(workdir, changes, prefix, ["--distributed"])

        return process(0), process(1)

    return start


def last_saved(workdir):
    """Unfinished checkpoints have other names."""
    names = [path.name for path in (workdir / "checkpoints").iterdir()]
    return max(int(name) for name in names if name.isdigit())


def test_train_stop_together_die_and_go_on_alone(
    start_pair, launch, tmp_path, wait_for_step, read_rows
):
    first, second = start_pair(tmp_path)
    wait_for_step(first, tmp_path, 20)
    second.send_signal(signal.SIGTERM)
    said, silent = (p.communicate(timeout=120)[0] for p in (first, second))
    assert (first.returncode, second.returncode) == (INTERRUPTED, INTERRUPTED)
    assert "4 x cpu" in said and "interrupted by another process" in said
    assert "step" not in silent.replace("stopping", "")
    stopped = last_saved(tmp_path)
    assert stopped == read_rows(tmp_path)[-1]["step"] >= 20

    first, second = start_pair(tmp_path)
    # Some rows past the next checkpoint: they will be written again.
    wait_for_step(first, tmp_path, 50 * (stopped // 50 + 1) + 20)
    for process in (first, second):
        process.kill()
        process.communicate()
    together = {row["step"]: row["loss"] for row in read_rows(tmp_path)}
    saved = last_saved(tmp_path)

    code, lines, _ = launch(tmp_path, CHANGES)
    out = "\n".join(lines)
    assert code == 0, out
    assert "1 x cpu" in out and f"resuming at step {saved} of 200" in out
    alone = {row["step"]: row["loss"] for row in read_rows(tmp_path)}
    assert list(alone) == list(range(10, 201, 10))
    # Rows that both have written: sums in another order, and what Adam makes of it.
    both = [step for step in together if step > saved]
    assert both
    for step in both:
        assert alone[step] == pytest.approx(together[step], rel=1e-2)
    assert (tmp_path / "report.html").exists()
