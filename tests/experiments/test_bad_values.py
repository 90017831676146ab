"""A bad value of any flag or field is answered with one line and no traceback."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_bad_values_of_every_flag_and_field(tmp_path):
    """Exit code 1 or 2, one line that begins with "error: ", nothing written."""
    command = [sys.executable, "-m", "tests.experiments.bad_values", str(tmp_path)]
    # A value that is taken starts a server, say, which nobody would end.
    options = {"capture_output": True, "text": True, "timeout": 300}
    answer = subprocess.run(command, cwd=ROOT, **options)
    assert answer.returncode == 0, answer.stderr
    found = json.loads(answer.stdout)
    assert found["wrong"] == {} and found["tried"] > 400
