"""Two processes over the loopback device train as one, and stop as one."""

import random
import signal

import pytest

INTERRUPTED = 75


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
            changes = {"devices": 2, "weight_shards": 2}
            return runs.start(workdir, changes, prefix, ["--distributed"])

        return process(0), process(1)

    return start


def test_train_as_one_stop_together_and_go_on_alone(
    start_pair, straight, launch, tmp_path, wait_for_step, read_rows
):
    """Four devices in all, on which weights were split in two; a checkpoint knows
    nothing of that, and one device goes on from it."""
    first, second = start_pair(tmp_path)
    wait_for_step(first, tmp_path, 50)
    second.send_signal(signal.SIGTERM)
    said, silent = (p.communicate(timeout=120)[0] for p in (first, second))
    assert (first.returncode, second.returncode) == (INTERRUPTED, INTERRUPTED)
    assert "4 x cpu" in said and "interrupted by another process" in said
    assert "step" not in silent.replace("stopping", "")
    stopped = read_rows(tmp_path)[-1]["step"]
    # Unfinished checkpoints have other names.
    names = [path.name for path in (tmp_path / "checkpoints").iterdir()]
    saved = max(int(name) for name in names if name.isdigit())
    assert saved == stopped >= 50, "the signal cost steps"

    code, lines, _ = launch(tmp_path)
    out = "\n".join(lines)
    assert code == 0 and "1 x cpu" in out and f"resuming at step {stopped} of" in out
    found, alone = ([row["loss"] for row in read_rows(w)] for w in (tmp_path, straight))
    assert len(found) == len(alone)
    # The first row has the same numbers summed in another order; later rows multiply
    # that rounding by training's sensitivity.
    assert found[0] == pytest.approx(alone[0], rel=1e-5)
    assert found == pytest.approx(alone, rel=1e-2)
    assert (tmp_path / "report.html").exists()
