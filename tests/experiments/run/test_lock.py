"""One process writes to a workdir; a second one learns whose it is."""

import os
import re
import socket
import subprocess
import sys

import pytest

from experiments.run import data_sets
from experiments.run.lock import WorkdirInUse, locked
from pilno_jax.runs.run_folder import RunFolder

FAILED = 1
HOLD = """
import sys, time
from pathlib import Path
from experiments.run.lock import locked
from pilno_jax.runs.run_folder import RunFolder
with locked(RunFolder(Path(sys.argv[1])), print):
    print("held", flush=True)
    time.sleep(600)
"""


def test_a_second_run_names_the_first_and_computes_nothing(
    launch, tmp_path, monkeypatch
):
    monkeypatch.setattr(data_sets, "labelled_set", lambda *_: pytest.fail("data made"))
    with locked(RunFolder(tmp_path), print):
        code, out, err = launch(tmp_path)
    holder = f"process {os.getpid()} on {re.escape(socket.gethostname())}, since 20"
    assert code == FAILED and err == [] and len(out) == 1
    assert re.search(f"in use by {holder}", out[0])
    assert not (tmp_path / "config.json").exists()


def test_what_a_killed_process_left_is_noticed_and_no_obstacle(tmp_path):
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "held\n"
    folder, said = RunFolder(tmp_path), []
    with pytest.raises(WorkdirInUse, match=f"process {process.pid} on"):
        locked(folder, said.append).__enter__()
    process.kill()
    process.wait()
    for _ in range(2):
        with locked(folder, said.append):
            assert f"process {os.getpid()} " in folder.lock.read_text()
        assert folder.lock.read_text() == ""
    assert len(said) == 1 and f"process {process.pid} on" in said[0]
