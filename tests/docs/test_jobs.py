"""The job scripts as far as a machine without a scheduler can run them."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from experiments.run.exit_codes import DIVERGED, DONE, FAILED, INTERRUPTED

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted((ROOT / "jobs").glob("*.sh"))
TASK = {"SLURM_JOB_ID": "17", "SLURM_ARRAY_TASK_ID": "3", "SLURM_ARRAY_TASK_COUNT": "8"}
TPU = {"TPU_NAME": "mine", "ZONE": "here", "BUCKET": "gs://ours"}


def run(script, *arguments, **variables):
    return subprocess.run(
        [ROOT / "jobs" / script, *arguments],
        env=os.environ | TASK | TPU | variables,
        cwd=ROOT,
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_the_shell_understands_them(script):
    subprocess.run(["bash", "-n", script], check=True)
    if shutil.which("shellcheck"):
        subprocess.run(["shellcheck", "-x", script], check=True, cwd=ROOT)


@pytest.mark.parametrize(
    "script, arguments, command",
    [
        (
            "reproduce_array.sh",
            ["--protocol=paper"],
            "srun python -m experiments.reproduce --artifact=all --shard=3/8 "
            "--protocol=paper",
        ),
        (
            "train_nodes.sh",
            ["darcy", "--workdir=runs/d"],
            "srun --kill-on-bad-exit=1 python -m experiments.darcy --distributed "
            "--workdir=runs/d",
        ),
    ],
)
def test_a_dry_run_prints_the_command(script, arguments, command):
    found = run(script, *arguments, DRY_RUN="1")
    assert (found.returncode, found.stdout.strip()) == (0, command)


def test_the_measurements_are_commands_that_there_are():
    lines = run("first_gpu_run.sh", "there", DRY_RUN="1").stdout.splitlines()
    modules = [line.split()[2] for line in lines if line.startswith("python -m")]
    assert len(modules) == 5 and lines[-1].endswith("-czf there.tar.gz there")
    for module in modules:
        assert (ROOT / f"{module.replace('.', '/')}.py").is_file()
    assert not (ROOT / "there").exists()


def test_the_tpu_command_reaches_every_host():
    said = run("tpu_vm.sh", "burgers", "--config.devices=4", DRY_RUN="1").stdout
    assert said.startswith("gcloud compute tpus tpu-vm ssh mine --zone=here")
    assert "--worker=all" in said and "gcsfuse ours ~/runs" in said
    assert "experiments.burgers --distributed" in said and "--config.devices=4" in said


@pytest.mark.parametrize("script", ["train_nodes.sh", "tpu_vm.sh"])
def test_an_experiment_has_to_be_named(script):
    found = run(script, DRY_RUN="1")
    assert found.returncode != 0 and "which experiment?" in found.stderr


@pytest.mark.parametrize(
    "code, passed_on",
    [(DONE, 0), (INTERRUPTED, 0), (FAILED, FAILED), (DIVERGED, DIVERGED)],
)
def test_only_an_interrupted_job_is_requeued(tmp_path, code, passed_on):
    """With stand-ins for srun and scontrol."""
    for name, body in (("srun", f"exit {code}"), ("scontrol", 'echo "asked: $*"')):
        (tmp_path / name).write_text(f"#!/bin/sh\n{body}\n")
        (tmp_path / name).chmod(0o755)
    found = run("reproduce_array.sh", PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert found.returncode == passed_on, found.stderr
    assert found.stdout.strip() == ("asked: requeue 17" if code == INTERRUPTED else "")
