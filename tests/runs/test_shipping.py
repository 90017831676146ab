"""The operators that come with the package are as good as their results say."""

import fnmatch
import json
import tomllib
from pathlib import Path

import jax
import numpy as np
import pytest

import pilno_jax
from pilno_jax import data
from pilno_jax.runs import shipping

PACKAGE = Path(pilno_jax.__file__).parent
NAMES = ("burgers", "darcy", "diffusion", "forced_kdv", "rd_forcing", "rd_ic")
LARGEST_MB = 25
COUNT = 3


def test_there_is_one_for_every_benchmark():
    assert tuple(pilno_jax.shipped()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_it_is_as_good_as_its_result_says(name):
    run = pilno_jax.load(name)
    recorded = json.loads((pilno_jax.shipped()[name] / "result.json").read_text())
    fresh = data.generate(run.problem, jax.random.key(7), COUNT)
    prediction = run.predict(fresh["inputs"], with_error=True)
    errors = pilno_jax.relative_errors(prediction.u, fresh["labels"])
    error = recorded["relative_l2"]
    # A mean of three scatters; no more than the mean of all and two deviations.
    assert error["mean"] / 5 < errors.mean() < error["mean"] + 2 * error["std"]
    # And it knows: the bound is kept by nine of ten, so rarely missed by much.
    assert np.all(errors < 2 * prediction.upper)
    assert not prediction.unlike_training.any()


def test_rounding_costs_a_few_per_cent_of_the_error():
    for folder in pilno_jax.shipped().values():
        cost = json.loads((folder / "shipping.json").read_text())["rounding"]
        assert cost["error_after"] < 1.05 * cost["error_before"]
        assert cost["fresh_inputs"] >= 50


def test_they_are_small_and_part_of_the_package():
    project = tomllib.loads((PACKAGE.parents[1] / "pyproject.toml").read_text())
    (patterns,) = project["tool"]["setuptools"]["package-data"].values()
    paths = [path for path in shipping.SHIPPED.rglob("*") if path.is_file()]
    for path in paths:
        inside = str(path.relative_to(PACKAGE))
        assert any(fnmatch.fnmatch(inside, pattern) for pattern in patterns)
    assert sum(path.stat().st_size for path in paths) < LARGEST_MB * 1e6


def test_they_name_the_code_and_the_command_but_no_folder_of_a_machine():
    for name, folder in pilno_jax.shipped().items():
        for file in ("result.json", "shipping.json"):
            text = (folder / file).read_text()
            content = json.loads(text)
            assert len(content["code"]["commit"]) == 40
            assert f"--workdir=runs/{name}" in content["command"]
            assert "=/" not in text and '"/' not in text


def test_commands_lose_their_folders():
    told = "python -m experiments.burgers --workdir=/home/me/b --cache=/c --seed=1"
    expected = "python -m experiments.burgers --workdir=runs/b --seed=1"
    assert shipping.without_places(told, "b") == expected


def test_a_run_in_a_folder_of_that_name_goes_first(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert pilno_jax.load("diffusion").problem.name == "diffusion"
    Path("diffusion").mkdir()
    Path("diffusion/config.json").write_text("{}")
    with pytest.raises(ValueError, match="config.json"):
        pilno_jax.load("diffusion")
