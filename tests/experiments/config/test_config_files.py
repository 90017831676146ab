"""A user's own config file: what it may return, and whose fault an error in it is."""

import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest

from experiments.config.command_line import read_config
from experiments.run import entry
from experiments.run.exit_codes import FAILED, WRONG_CONFIG
from pilno_jax import problems
from pilno_jax.checks import ArgumentError

ROOT = Path(__file__).parents[3]
SECTIONS = """{
    "problem": {"name": "burgers", "viscosity": 0.02},
    "model": {"name": "fno", "modes": [3, 4]},
    "train": {"steps": 30, "num_virtual": None},
}"""


def written(folder, text):
    path = folder / "mine.py"
    path.write_text(text)
    return path


@pytest.mark.parametrize("kind", ["dict", "ConfigDict"])
def test_a_dict_will_do(kind, tmp_path):
    text = f"from ml_collections import ConfigDict\nget_config = lambda: {kind}("
    config = read_config(str(written(tmp_path, f"{text}{SECTIONS})")))
    assert config.problem.options["viscosity"] == 0.02
    assert config.model.name == "fno" and config.model.options["modes"] == (3, 4)
    assert config.train.steps == 30 and config.train.num_virtual is None
    assert config.train.learning_rate == 1e-2  # a field left out has its default


@pytest.mark.parametrize(
    ("text", "recipe", "expected"),
    [
        ("x = 1", "", "no function get_config"),
        ("def get_config():\n    return 7", "", "returned int: expected a RunConfig"),
        ("def get_config():\n    return None", "", "returned NoneType"),
        ("def get_config():\n    return {}", "", "problem is missing"),
        (
            "def get_config():\n    return {'problem': {}, 'model': {}}",
            "",
            "problem.name is missing",
        ),
        (
            "def get_config():\n"
            "    return {'problem': {'name': 'burgers', 'speed': 1},"
            " 'model': {'name': 'fno'}}",
            "",
            "problem.speed is no field of problem 'burgers'",
        ),
        ("def get_config():\n    return 7", ":paper", "takes no recipe"),
        ("def get_config(recipe):\n    return 7", "", "takes a recipe"),
        (
            "from experiments.config.schema import Train\n"
            "def get_config():\n    return Train(steps=0)",
            "",
            "train.steps = 0 is not allowed: expected a number above 0",
        ),
    ],
)
def test_a_slip_in_a_config_file_is_one_line(launch, tmp_path, text, recipe, expected):
    path = written(tmp_path, text)
    code, out, err = launch(tmp_path / "run", {}, f"--config={path}{recipe}")
    assert code == WRONG_CONFIG and out == [] and len(err) == 1
    assert str(path) in err[0] and expected in err[0]


@pytest.mark.parametrize(
    ("text", "error", "where"),
    [
        ("def get_config():\n    return 1 / 0\n", "ZeroDivisionError", "line 2"),
        ("def get_config():\n    return 1 +\n", "SyntaxError", "line 2"),
        ("import no_such_module\n", "ModuleNotFoundError", "line 1"),
        ("def get_config():\n    return int('a')\n", "ValueError", "line 2"),
    ],
)
def test_a_bug_in_a_config_file_keeps_its_traceback(
    launch, tmp_path, text, error, where
):
    path = written(tmp_path, text)
    code, _, err = launch(tmp_path / "run", {}, f"--config={path}")
    assert code == FAILED
    assert any(str(path) in line and where in line for line in err[:-1])
    assert any(line.startswith(error) for line in err[:-1])
    assert err[-1].startswith(f"error: config = '{path}': {error}")
    assert not any("runpy" in line for line in err)  # the file's own lines only


def test_a_bug_in_a_users_own_pde_keeps_its_traceback(launch, tmp_path, monkeypatch):
    """A ValueError is the hardest: an ArgumentError is one too."""

    def mine(**options):
        raise ValueError("shapes (3,) and (4,) do not match")

    mine.__signature__ = inspect.signature(problems.burgers)
    monkeypatch.setitem(problems.FACTORIES, "burgers", mine)
    with pytest.raises(ValueError, match="do not match") as raised:
        launch(tmp_path / "run", {})
    assert not isinstance(raised.value, ArgumentError)
    assert raised.traceback[-1].name == "mine"


OWN_PDE = """
import jax.numpy as jnp
from experiments.config.problem_and_model import model, problem
from experiments.config.schema import RunConfig
from pilno_jax import problems

def mine(*, speed: float = 1.0):
    return jnp.zeros(3) @ jnp.zeros(4)

problems.FACTORIES["mine"] = mine

def get_config():
    return RunConfig(problem=problem("mine", speed=2.0), model=model("fno"))
"""


def test_the_command_for_any_config_ends_a_bug_with_code_1(tmp_path):
    path = written(tmp_path, OWN_PDE)
    command = [sys.executable, "-m", "experiments.train", f"--config={path}"]
    ended = subprocess.run(
        command, cwd=ROOT, env=os.environ, capture_output=True, text=True, timeout=240
    )
    assert ended.returncode == FAILED
    assert "Traceback" in ended.stderr and "jnp.zeros(3) @ jnp.zeros(4)" in ended.stderr


def test_the_command_for_any_config_has_no_default(monkeypatch, capfd):
    assert entry.answer("train", "", []) == WRONG_CONFIG
    assert (
        capfd.readouterr().err == "error: config is missing: expected --config=FILE\n"
    )
    monkeypatch.chdir(ROOT)
    assert entry.answer("train", "", ["--help"]) == 0
    assert "usage: python -m experiments.train" in capfd.readouterr().out
    options = ["--config=configs/rd_ic.py", "--print_config"]
    assert entry.answer("train", "", options) == 0
    assert 'task = "ic"' in capfd.readouterr().out
