"""Every config in configs/, in both recipes, takes two steps and reports."""

import ast
import re
from pathlib import Path
from typing import Any

import pytest

from experiments.config import command_line
from experiments.pages import benchmark_results
from experiments.run import entry
from experiments.suite.registry import BENCHMARKS, WITH_GOAL
from pilno_jax.runs import files

ROOT = Path(__file__).parents[3]
FILES = sorted((ROOT / "configs").glob("[!_]*.py"))
# Sizes alone: the code that runs is the recipe's.
SMALL = {
    "problem": {
        "num_x": 16,
        "num_y": 16,
        "num_t": 12,
        "num_points": 13,
        "num_fine": 25,
        "label_points": 5,
    },
    "model": {"width": 4, "num_layers": 1, "modes": 4, "poles": 2},
    "data": {"num_validation": 2, "num_test": 2},
    "train": {
        "num_train": 3,
        "batch_data": 2,
        "batch_physics": 2,
        "steps": 2,
        "steps_per_call": 2,
        "log_every": 2,
        "checkpoint_every": 2,
    },
}


def test_every_benchmark_has_a_config():
    assert {path.stem for path in FILES} == BENCHMARKS.keys()


@pytest.mark.parametrize("recipe", ["fast", "paper"])
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_two_steps(path, recipe, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(ROOT)
    config = command_line.read_config(f"{path}:{recipe}")
    changes: dict[str, Any] = {"evaluation.over": config.evaluation.over[:1]}
    if config.train.num_virtual:
        changes["train.num_virtual"] = 5
    sections = config.to_dict()
    for section, sizes in SMALL.items():
        for name in sizes.keys() & sections[section].keys():
            now = sections[section][name]
            size = (sizes[name],) * len(now) if isinstance(now, tuple) else sizes[name]
            changes[f"{section}.{name}"] = size
    config = config.changed(changes)
    code = entry.guarded(config, tmp_path / "run", tmp_path / "cache", origin={})
    assert code == 0, capfd.readouterr()
    result = files.read_json(tmp_path / "run" / "result.json")
    assert result["steps"] == 2 and result["recipe"] == recipe
    assert result["skipped_steps"] == 0
    assert len(result["relative_l2_by_law"]) == len(config.evaluation.over)


@pytest.mark.parametrize("config", WITH_GOAL)
def test_docstrings_say_what_was_measured(config, monkeypatch):
    """Error, minutes, and in brackets what undoing a departure has cost."""
    monkeypatch.chdir(ROOT)
    text = ast.get_docstring(ast.parse(Path(f"configs/{config}.py").read_text())) or ""
    text = " ".join(text.split())
    results = benchmark_results.read_results()
    error = benchmark_results.mean_error(config, results)["mean"]
    minutes = benchmark_results.minutes_by_cores(
        benchmark_results.ours(config, results)
    )
    assert f"error {error:.1e} after {minutes[2]:.0f} minutes on two cores" in text
    path = f"results/reproduction/{BENCHMARKS[config].ablation}.json"
    assert f"results/{config}_fast.json" in text and path in text
    known = {f"[{row['times']:g}]" for row in files.read_json(Path(path))["rows"]}
    told = re.findall(r"\[[\d.]+\]", text)
    assert told and set(told) <= known
