"""The parts of every config in configs/ fit together, and some take two steps."""

import ast
import re
from pathlib import Path
from typing import Any

import jax
import pytest

from experiments.config import command_line
from experiments.config.build import build, build_stages
from experiments.config.schema import RunConfig
from experiments.pages import benchmark_results
from experiments.run import entry, figures
from experiments.run.metrics import loss_columns
from experiments.suite.registry import BENCHMARKS, WITH_GOAL
from pilno_jax import operators, problems, training
from pilno_jax.runs import files
from pilno_jax.training import accumulation, batches

ROOT = Path(__file__).parents[3]
CONFIGS = ROOT / "configs"
FILES = sorted(CONFIGS.glob("[!_]*.py"))
# Whose figures are drawn: in the plane, and in the plane and time. Those of x and t are
# the tiny run's, see test_workdir.py.
DRAWN = {"darcy", "navier_stokes"}
# Driven systems ask for as many nodes as resolve their forcings.
DRIVEN = {"duffing", "pendulum", "lorenz", "beam", "telegraph"}
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
    "stages": {"steps": 2},
}


def test_every_benchmark_has_a_config():
    assert {path.stem for path in FILES} == BENCHMARKS.keys()


def small(path: Path, recipe: str) -> RunConfig:
    config = command_line.read_config(f"{path}:{recipe}")
    changes: dict[str, Any] = {"evaluation.over": config.evaluation.over[:1]}
    if config.train.num_virtual:
        changes["train.num_virtual"] = 5
    if path.stem in DRIVEN:
        config = config.changed({"problem.final_time": 0.5})
        changes["problem.num_t"] = 26
    sections = config.to_dict()
    for section, sizes in SMALL.items():
        for name in sizes.keys() & sections[section].keys():
            if f"{section}.{name}" in changes:
                continue
            now = sections[section][name]
            size = sizes[name]
            if isinstance(now, tuple):  # an axis without poles keeps none
                size = tuple(size if each else 0 for each in now)
            changes[f"{section}.{name}"] = size
    return config.changed(changes)


@pytest.mark.parametrize(
    ("name", "recipe"),
    [
        ("darcy", "fast"),
        ("navier_stokes", "fast"),
        ("forced_kdv", "paper"),
    ],
)
def test_two_steps(name, recipe, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(ROOT)
    config = small(CONFIGS / f"{name}.py", recipe)
    if name not in DRAWN or recipe == "paper":
        monkeypatch.setattr(figures, "draw_all", lambda *_: ([], []))
    code = entry.guarded(config, tmp_path / "run", tmp_path / "cache", origin={})
    out, err = capfd.readouterr()
    assert code == 0 and "no figure" not in out, (out, err)
    result = files.read_json(tmp_path / "run" / "result.json")
    assert result["steps"] == 2 and result["recipe"] == recipe
    assert result["skipped_steps"] == 0
    assert len(result["relative_l2_by_law"]) == len(config.evaluation.over)


@pytest.mark.parametrize("published", [False, True], ids=["fast", "published"])
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_parts_of_a_recipe_fit_together(path, published, monkeypatch):
    """Labels, a training step and predictions, traced as a run does but not compiled:
    two steps of some are run above."""
    monkeypatch.chdir(ROOT)
    recipe = BENCHMARKS[path.stem].published if published else "fast"
    config = small(path, recipe)
    built, count = build(config), config.train.num_train
    problem = built.problem

    def labelled_set(laws):
        keys = jax.random.split(jax.random.key(0), count)
        inputs = jax.vmap(laws.sample)(keys)
        return {"inputs": inputs, "labels": jax.vmap(laws.solve)(inputs)}

    def first_state(key):
        params = operators.initial_parameters(problem, built.model, key)
        return training.initial_state(params, built.optimizer, key)

    def step(state, samples):
        labelled = {**samples, "labels": problem.restrict(samples["labels"])}
        loss = accumulation.accumulated(built.loss, config.train.accumulate)
        batch = batches.divisible(built.batches, config.train.accumulate)
        averaging = config.train.averaging
        advance = training.training_step(loss, batch, built.optimizer, averaging)
        return advance(state, labelled)

    samples = jax.eval_shape(lambda: labelled_set(problem))
    state = jax.eval_shape(first_state, jax.random.key(0))
    advanced, metrics = jax.eval_shape(step, state, samples)
    # What goes through a scan and a checkpoint keeps its structure, shapes and types.
    assert advanced == state
    physics = {"pde"} if built.config.weights.pde else set()
    assert {"loss", "data"} | physics <= set(metrics)
    assert set(metrics) <= loss_columns(problem) | {"gradient_norm"}
    answers = jax.eval_shape(built.predict, state.averaged, samples["inputs"])
    assert answers.shape == samples["labels"].shape
    options = config.to_dict()["problem"]
    for value in config.evaluation.over:
        law = problems.make(**options | {config.evaluation.vary: value})
        # In shapes and types like the training's, so predicted like those.
        assert jax.eval_shape(lambda law=law: labelled_set(law)) == samples


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_default_recipe_has_networks_for_all_of_its_stages(path, monkeypatch):
    monkeypatch.chdir(ROOT)
    config = command_line.read_config(str(path))
    stages = build_stages(config)
    assert len(stages) == config.stages.count == 1 + len(config.stages.steps)
    steps = (config.train.steps, *config.stages.steps)
    assert tuple(stage.config.train.steps for stage in stages) == steps


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
    staged = benchmark_results.in_stages(config, results)
    mean = sum(benchmark_results.error(config, one) for one in staged) / len(staged)
    assert f"error {mean:.1e} (results/{config}_staged.json)" in text
    path = f"results/reproduction/{BENCHMARKS[config].ablation}.json"
    assert f"results/{config}_fast.json" in text and path in text
    known = {f"[{row['times']:g}]" for row in files.read_json(Path(path))["rows"]}
    told = re.findall(r"\[[\d.]+\]", text)
    assert told and set(told) <= known
