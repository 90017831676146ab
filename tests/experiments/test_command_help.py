"""What `--help` shows of every command begins with an example of its use."""

import ast
from pathlib import Path

import pytest

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
COMMANDS = {
    **{path.stem: path for path in EXPERIMENTS.glob("*.py")},
    "demo": EXPERIMENTS / "demo" / "__main__.py",
}
del COMMANDS["__init__"]


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_an_example(name):
    told = ast.get_docstring(ast.parse(COMMANDS[name].read_text())) or ""
    assert f"python -m experiments.{name}" in told
