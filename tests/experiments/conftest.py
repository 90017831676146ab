"""A run small enough to be started, killed and resumed many times."""

import fcntl
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import jax
import numpy as np
import orbax.checkpoint as ocp
import pytest

from experiments.run import entry, figures
from pilno_jax.plotting.panels import LOOK

LOOK["savefig.dpi"] = 40  # nobody looks at the pixels

ROOT = Path(__file__).parents[2]
STEPS = 110
TINY = {
    "problem.num_x": 16,
    "problem.num_t": 9,
    "problem.final_time": 0.2,
    # The network that compiles fastest; ALNO's runs are in test_shipped_configs.py and
    # test_old_run.py.
    "model.name": "fno",
    "model.width": 4,
    "model.num_layers": 1,
    "model.modes": "(3, 3)",
    "data.num_validation": 2,
    "data.num_test": 3,
    "train.num_train": 4,
    "train.batch_data": 2,
    "train.batch_physics": 2,
    "train.steps": STEPS,
    "train.log_every": 10,
    "train.checkpoint_every": 40,
    "evaluation.vary": "",
    # One network: test_stages.py has a run of several.
    "stages.steps": "()",
    "stages.last_applied": 1,
}


class Runs:
    """Starts tiny runs that share their data sets."""

    def __init__(self, shared: Path):
        self.cache = shared / "data"
        self.environment = os.environ | {"PYTHONUNBUFFERED": "1"}

    def arguments(self, workdir: Path, changes: dict) -> list[str]:
        fields = {**TINY, **changes}
        cache = fields.pop("cache", self.cache)
        flags = [f"--config.{field}={value}" for field, value in fields.items()]
        return [*flags, f"--workdir={workdir}", f"--cache={cache}"]

    def start(
        self,
        workdir: Path,
        changes: dict | None = None,
        prefix=(),
        flags=(),
        drawn: bool = False,
    ):
        """A process of its own, without figures unless they are to be drawn.

        `prefix` is a command that runs the command.
        """
        module = "experiments.burgers" if drawn else "tests.experiments.undrawn_burgers"
        command = [*prefix, sys.executable, "-m", module, *flags]
        return subprocess.Popen(
            [*command, *self.arguments(workdir, changes or {})],
            cwd=ROOT,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def complete(self, workdir: Path, changes: dict | None = None, **options) -> str:
        """A process that must succeed; what it printed."""
        process = self.start(workdir, changes, **options)
        out, _ = process.communicate(timeout=300)
        assert process.returncode == 0, out
        return out


@pytest.fixture(scope="session")
def shared(tmp_path_factory, worker_id) -> Path:
    """A folder that all workers of this session see."""
    own = tmp_path_factory.getbasetemp()
    folder = (own if worker_id == "master" else own.parent) / "shared"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def runs(shared) -> Runs:
    return Runs(shared)


@pytest.fixture(scope="session")
def straight(runs, shared) -> Path:
    """The workdir of a run that nothing disturbed; the first worker trains it."""
    workdir, printed = shared / "straight", shared / "out.txt"
    with (shared / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not printed.exists():
            printed.write_text(runs.complete(workdir, drawn=True))
    return workdir


@pytest.fixture
def launch(runs, monkeypatch, capfd):
    """launch(workdir, {field: value}, flag, ...) -> (exit code, lines, errors).

    Without figures, unless they are to be `drawn`.
    """

    def call(workdir, changes=None, *flags, config="configs/burgers.py", drawn=False):
        if not drawn:
            monkeypatch.setattr(figures, "draw_all", lambda *_: ([], []))
        arguments = runs.arguments(workdir, changes or {})
        monkeypatch.setattr(sys, "argv", ["burgers", *arguments, *flags])
        monkeypatch.chdir(ROOT)
        capfd.readouterr()
        with pytest.raises(SystemExit) as ended:
            entry.launch("burgers", config)
        out, err = capfd.readouterr()
        return ended.value.code, out.splitlines(), err.splitlines()

    return call


def rows(workdir: Path) -> list[dict]:
    path = workdir / "metrics.jsonl"
    lines = path.read_text().splitlines() if path.exists() else []
    return [json.loads(line) for line in lines if line.endswith("}")]


@pytest.fixture(scope="session")
def read_rows():
    return rows


@pytest.fixture(scope="session")
def wait_for_step():
    def wait(process, workdir: Path, step: int, seconds: float = 240) -> None:
        """Until the log of a running process reaches `step`."""
        limit = time.monotonic() + seconds
        while not any(row["step"] >= step for row in rows(workdir)):
            assert process.poll() is None, process.stdout.read()
            assert time.monotonic() < limit, f"no step {step} within {seconds} s"
            time.sleep(0.01)

    return wait


@pytest.fixture(scope="session")
def last_state():
    def read(workdir: Path) -> dict:
        """Everything in the newest checkpoint: parameters, optimiser, key, counters."""
        steps = [int(p.name) for p in (workdir / "checkpoints").iterdir()]
        folder = workdir / "checkpoints" / str(max(steps)) / "state"
        return ocp.PyTreeCheckpointer().restore(folder)

    return read


@pytest.fixture(scope="session")
def assert_bit_equal(last_state):
    def check(one: Path, two: Path) -> None:
        first, second = last_state(one), last_state(two)
        assert jax.tree.structure(first) == jax.tree.structure(second)
        assert int(first["step"]) == int(second["step"]) == STEPS
        for a, b in zip(jax.tree.leaves(first), jax.tree.leaves(second), strict=True):
            np.testing.assert_array_equal(a, b)

    return check
