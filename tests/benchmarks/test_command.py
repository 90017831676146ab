"""What the commands of benchmarks/ share."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import command

ROOT = Path(__file__).parents[2]
COMMANDS = sorted(
    path.stem
    for path in (ROOT / "benchmarks").glob("*.py")
    if "command.parser(" in path.read_text()
)


def test_every_result_has_its_command():
    """The other results are those of trainings and of experiments."""
    assert len(COMMANDS) == 11
    assert all((ROOT / "results" / f"{name}.json").exists() for name in COMMANDS)


def test_options_are_checked_and_a_result_goes_to_its_file():
    parser = command.parser("What it is.\n\nMore.", "speed", repeats=4)
    options = parser.parse_args([])
    assert (options.output, options.repeats) == (Path("results/speed.json"), 4)
    assert parser.description == "What it is."
    for wrong in (["--repeats=0"], ["--repeats=x"], ["extra"]):
        with pytest.raises(SystemExit) as stopped:
            parser.parse_args(wrong)
        assert stopped.value.code == 2


def test_versions_stand_beside_what_was_measured(tmp_path):
    command.write(tmp_path / "new" / "speed.json", {"seconds": 3.0})
    content = json.loads((tmp_path / "new" / "speed.json").read_text())
    assert content["seconds"] == 3.0
    assert {"versions", "device", "command"} <= content.keys()


def test_a_process_of_its_own_answers_in_its_last_line(tmp_path, monkeypatch):
    (tmp_path / "answering.py").write_text(
        "import os, sys\nprint('noise')\nprint('{\"a\": ' + os.environ['A'] + '}')\n"
        "sys.exit(sys.argv[1:] == ['fail'] and 'no luck')\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    answer = command.in_own_process("answering", variables={"A": "3"})
    assert answer == {"a": 3}
    with pytest.raises(RuntimeError, match="fail: exit code 1, no luck"):
        command.in_own_process("answering", "fail", variables={"A": "3"})


def test_the_peer_needs_no_jax():
    """torch's environment has none: the timing loop is imported without it."""
    code = "import sys; import benchmarks.timing; assert 'jax' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
