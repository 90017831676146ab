"""Suites of runs: named once, started once, resumed, split, and their time told."""

import signal
import subprocess
import sys
import time

import pytest

from experiments.paper.baselines import LABELS_ONLY
from experiments.run.interruption import Interrupted
from experiments.run.terminal import Console
from experiments.suite import suite
from experiments.suite.protocols import PROTOCOLS
from experiments.suite.run_spec import RunSpec
from experiments.suite.suite import (
    Failed,
    run_all,
    seconds_left,
    share_of_cores,
    unique,
)
from pilno_jax.runs import files


def finish(run, root, seconds=10.0):
    workdir = run.workdir(root)
    workdir.mkdir(parents=True)
    files.write_json(workdir / "result.json", {"wall_clock_seconds": seconds})
    (workdir / "report.html").touch()


@pytest.fixture
def started(monkeypatch, tmp_path):
    """Replace the training by a program that notes its start and finishes."""
    notes = tmp_path / "started"
    program = (
        "import pathlib, sys; w = pathlib.Path(sys.argv[1]); "
        f"open({str(notes)!r}, 'a').write(w.name + '\\n'); "
        "(w / 'result.json').write_text('{\"wall_clock_seconds\": 1.0}'); "
        "(w / 'report.html').touch(); sys.exit(int(sys.argv[2]))"
    )

    def command(run, root, cache):
        code = str(dict(run.changes).get("code", 0))
        return [sys.executable, "-c", program, str(run.workdir(root)), code]

    monkeypatch.setattr(RunSpec, "command", command)
    return lambda: notes.read_text().splitlines() if notes.exists() else []


def test_a_run_is_known_by_what_it_changes():
    one = RunSpec("burgers").but({"seed": 1}).but({"train.steps": 10})
    other = RunSpec("burgers").but({"train.steps": 10, "seed": 1})
    assert one == other and one.name == other.name
    assert len({RunSpec("burgers").but({"seed": k}).name for k in range(50)}) == 50
    assert unique([one, RunSpec("burgers"), other]) == [one, RunSpec("burgers")]
    # A folder's name holds 255 bytes.
    long = RunSpec("burgers").but({f"section.field_{k}": k for k in range(100)})
    assert max(map(len, long.name.split("/"))) < 100


def test_what_the_recipe_says_anyway_is_no_change():
    """So that the default run of two artifacts is one run."""
    protocol = PROTOCOLS["paper"]
    plain = protocol.run("burgers")
    assert plain == RunSpec("burgers", "paper")
    assert protocol.run("burgers", {"train.num_train": 25, "seed": 0}) == plain
    changed = protocol.run("burgers", LABELS_ONLY, seed=3)
    assert dict(changed.changes) == {**LABELS_ONLY, "seed": 3}
    assert PROTOCOLS["cpu"].full_run("burgers") == RunSpec("burgers")
    short = dict(PROTOCOLS["cpu"].run("burgers").changes)
    assert short.keys() == {"train.steps"} and short["train.steps"] % 50 == 0


def test_the_command_is_that_of_a_user(tmp_path):
    run = RunSpec("rd_ic", "paper").but({"model.poles": (0, 4)})
    command = run.command(tmp_path, tmp_path / "cache")
    assert command[1:4] == [
        "-m",
        "experiments.reaction_diffusion",
        "--config=configs/rd_ic.py:paper",
    ]
    assert "--config.model.poles=(0, 4)" in command


def test_finished_runs_are_reused(tmp_path, started, capsys):
    runs = [RunSpec("burgers").but({"seed": seed}) for seed in range(3)]
    finish(runs[1], tmp_path)
    run_all(runs, tmp_path, tmp_path, Console())
    assert started() == [runs[k].workdir(tmp_path).name for k in (0, 2)]
    assert "3 runs, 1 of them finished" in capsys.readouterr().out
    run_all(runs, tmp_path, tmp_path, Console())
    assert len(started()) == 2


def test_a_failure_is_named_and_the_others_go_on(tmp_path, started, capsys):
    runs = [RunSpec("burgers").but({"code": code}) for code in (3, 0)]
    with pytest.raises(Failed, match=r"burgers_fast/code=3.*exit code 3"):
        run_all(runs, tmp_path, tmp_path, Console())
    assert len(started()) == 2
    assert "failed: burgers_fast/code=3" in capsys.readouterr().out


def test_a_report_that_fails_does_not_end_the_runs(tmp_path, started, capsys):
    runs = [RunSpec("burgers"), RunSpec("darcy")]
    calls = []

    def report():
        calls.append(len(started()))
        raise KeyError("a figure")

    with pytest.raises(Failed, match="KeyError: 'a figure'"):
        run_all(runs, tmp_path, tmp_path, Console(), after_each=report)
    assert calls == [1, 2]
    assert capsys.readouterr().out.count("failed: KeyError") == 2


def test_several_runs_at_once_have_their_own_cores(tmp_path, monkeypatch):
    """Two runs that wait for each other end only if they go together."""
    program = (
        "import os, pathlib, sys, time; w = pathlib.Path(sys.argv[1]); "
        "time.sleep(0.5); (w / 'cores').write_text(str(os.sched_getaffinity(0))); "
        "limit = time.monotonic() + 30\n"
        "while len(list(w.parent.glob('*/cores'))) < 2: "
        "assert time.monotonic() < limit; time.sleep(0.05)\n"
    )
    monkeypatch.setattr(
        RunSpec,
        "command",
        lambda run, root, cache: [sys.executable, "-c", program, run.workdir(root)],
    )
    runs = [RunSpec("burgers").but({"seed": seed}) for seed in range(2)]
    ends = []
    run_all(runs, tmp_path, tmp_path, Console(), 2, lambda: ends.append(1))
    assert len(ends) == 2
    cores = [(run.workdir(tmp_path) / "cores").read_text() for run in runs]
    assert cores == [str(set(share_of_cores(lane, 2))) for lane in range(2)]


def test_what_a_user_says_of_compilation_stands(tmp_path, monkeypatch, started):
    seen = []
    popen = subprocess.Popen
    monkeypatch.setattr(
        suite.subprocess,
        "Popen",
        lambda *a, **k: (seen.append(k["env"]), popen(*a, **k))[1],
    )
    monkeypatch.delenv("JAX_COMPILATION_CACHE_DIR", raising=False)
    run_all([RunSpec("burgers")], tmp_path, tmp_path / "cache", Console())
    monkeypatch.setenv("JAX_COMPILATION_CACHE_DIR", "elsewhere")
    run_all([RunSpec("burgers").but({"seed": 1})], tmp_path, tmp_path, Console())
    folders = [environment["JAX_COMPILATION_CACHE_DIR"] for environment in seen]
    assert folders[0].startswith(str(tmp_path / "cache" / "compiled-"))
    assert folders[1] == "elsewhere"


def test_cores_are_shared_evenly(monkeypatch):
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(2, 10)))
    shares = [share_of_cores(lane, 3) for lane in range(3)]
    assert shares == [[2, 3], [4, 5], [6, 7]]
    # More runs than cores go in turns.
    assert [share_of_cores(lane, 10)[0] for lane in range(10)] == [*range(2, 10), 2, 3]


def test_an_interrupted_run_ends_the_suite(tmp_path, started):
    runs = [RunSpec("burgers").but({"code": code}) for code in (75, 0)]
    with pytest.raises(Interrupted):
        run_all(runs, tmp_path, tmp_path, Console())
    assert len(started()) == 1


def test_a_signal_reaches_the_run(tmp_path, monkeypatch):
    """SIGTERM to the suite alone, as a scheduler sends it: the run saves and ends."""
    program = f"""
import sys
from pathlib import Path
from experiments.run.terminal import Console
from experiments.suite.run_spec import RunSpec
from experiments.suite.suite import run_all
inner = "import signal, sys, time\\n" \\
        "signal.signal(signal.SIGTERM, lambda *_: sys.exit(75))\\n" \\
        "print('up', flush=True); time.sleep(60)"
RunSpec.command = lambda self, root, cache: [sys.executable, "-c", inner]
run_all([RunSpec("burgers")], Path({str(tmp_path)!r}), Path("."), Console())
"""
    process = subprocess.Popen(
        [sys.executable, "-c", program], stderr=subprocess.PIPE, text=True
    )
    log = RunSpec("burgers").workdir(tmp_path) / "log.txt"
    limit = time.monotonic() + 60
    while not (log.exists() and "up" in log.read_text()):
        assert time.monotonic() < limit and process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=30)
    assert "Interrupted: SIGTERM" in errors


def test_the_time_left_is_that_of_runs_alike(tmp_path):
    slow, fast = RunSpec("darcy"), RunSpec("burgers")
    runs = [slow, slow.but({"seed": 1}), fast, fast.but({"seed": 1})]
    assert seconds_left(runs, runs, tmp_path) is None
    finish(slow, tmp_path, 100.0)
    finish(fast, tmp_path, 10.0)
    assert seconds_left([runs[1], runs[3]], runs, tmp_path) == 110.0
    other = RunSpec("diffusion")
    assert seconds_left([other], [*runs, other], tmp_path) == 55.0
