"""Every config in configs/, in both recipes, takes two steps and reports."""

from pathlib import Path

import pytest

from experiments import command_line, entry
from pilno_jax import reporting

ROOT = Path(__file__).parents[2]
FILES = sorted(set((ROOT / "configs").glob("[!_]*.py")) - {ROOT / "configs/base.py"})
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


def test_there_are_configs():
    assert len(FILES) >= 5


@pytest.mark.parametrize("recipe", ["fast", "paper"])
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_two_steps(path, recipe, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(ROOT)
    config = command_line.read_config(f"{path}:{recipe}")
    for section, sizes in SMALL.items():
        fields = {k: v for k, v in sizes.items() if k in config[section]}
        for name in fields.keys() & {"modes", "poles"}:
            fields[name] = (fields[name],) * len(config[section][name])
        config[section].update(fields)
    if config.train.num_virtual:
        config.train.num_virtual = 5
    config.evaluation.over = config.evaluation.over[:1]
    code = entry.guarded(config, tmp_path / "run", tmp_path / "cache", origin={})
    assert code == 0, capfd.readouterr()
    result = reporting.read_json(tmp_path / "run" / "result.json")
    assert result["steps"] == 2 and result["recipe"] == recipe
    assert result["skipped_steps"] == 0
    assert len(result["relative_l2_by_law"]) == len(config.evaluation.over)
