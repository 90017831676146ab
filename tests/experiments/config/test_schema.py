"""Every field says what it means and refuses what it cannot hold."""

import dataclasses
import inspect
import json
from pathlib import Path

import numpy as np
import pytest

from experiments.config import show
from experiments.config.build import causality_rule
from experiments.config.command_line import read_config
from experiments.config.problem_and_model import model, problem
from experiments.config.schema import (
    Causality,
    Data,
    Evaluation,
    RunConfig,
    Stages,
    Train,
    Weights,
)
from experiments.config.settings import kinds_of, typed_fields
from experiments.run.workdir import require_same_config
from experiments.suite.registry import BENCHMARKS
from pilno_jax import models, problems
from pilno_jax.checks import ArgumentError
from pilno_jax.runs.format import read_config as read_config_of
from pilno_jax.runs.run_folder import RunFolder
from pilno_jax.training import causality

ROOT = Path(__file__).parents[3]
FILES = sorted((ROOT / "configs").glob("[!_]*.py"))
SECTIONS = (Data, Train, Stages, Weights, Causality, Evaluation)
FIELDS = [
    pytest.param(section, field, kind, id=section.path(field.name))
    for section in (RunConfig, *SECTIONS)
    for field, kind in typed_fields(section)
]
CONFIG = RunConfig(problem=problem("burgers"), model=model("alno"))


def given(section, **values):
    """The section with these values, and whatever else it needs."""
    if section is RunConfig:
        values = {"problem": CONFIG.problem, "model": CONFIG.model, **values}
    return section(**values)


@pytest.mark.parametrize(("section", "field", "kind"), FIELDS)
def test_every_field_has_a_sentence(section, field, kind):
    meaning = field.metadata["meaning"]
    assert meaning[0].isupper() and meaning.endswith(".") and len(meaning.split()) > 2


@pytest.mark.parametrize(("section", "field", "kind"), FIELDS)
def test_every_field_refuses_another_type_by_name(section, field, kind):
    for wrong in (object(), {"a": 1}, 1j):
        path = section.path(field.name)
        with pytest.raises(ArgumentError, match=f"^{path} = .* is not allowed: expect"):
            given(section, **{field.name: wrong})


NUMBERS = [f for f in FIELDS if kinds_of(f.values[2]) & {int, float}]


@pytest.mark.parametrize(("section", "field", "kind"), NUMBERS)
def test_every_number_has_a_range_and_is_finite(section, field, kind):
    """No number of a config makes sense below zero, or without a limit."""
    kinds = kinds_of(kind)
    path = section.path(field.name)
    with pytest.raises(ArgumentError, match=f"^{path} = -1(.0)? is not allowed"):
        given(section, **{field.name: -1})
    for endless in (float("inf"), float("-inf"), float("nan")):
        with pytest.raises(ArgumentError, match=f"^{path} = "):
            given(section, **{field.name: endless})
    if float in kinds:
        with pytest.raises(
            ArgumentError, match="expected a finite number, in float32$"
        ):
            given(section, **{field.name: float("inf")})
    if int in kinds:
        with pytest.raises(ArgumentError, match="expected a value of type int$"):
            given(section, **{field.name: True})


def test_the_sections_tested_here_are_all():
    sections = {type(section) for section in show.sections_of(CONFIG).values()}
    assert sections == {*SECTIONS, type(CONFIG.problem), type(CONFIG.model)}


def test_fields_cannot_be_changed_in_place():
    with pytest.raises(dataclasses.FrozenInstanceError):
        CONFIG.train.steps = 3  # pyright: ignore
    with pytest.raises(TypeError):
        CONFIG.problem.options["viscosity"] = 3.0  # pyright: ignore


def test_a_changed_copy_is_checked_as_a_whole():
    changes = {"train.log_every": 7, "train.steps_per_call": 7, "seed": 3}
    copy = CONFIG.changed({**changes, "train.checkpoint_every": 14})
    assert (copy.train.log_every, copy.seed, CONFIG.train.log_every) == (7, 3, 50)
    with pytest.raises(ArgumentError, match="train.checkpoint_every = 500 .* = 7"):
        CONFIG.changed(changes)
    with pytest.raises(ArgumentError, match="train.stepz is no field.*'steps'"):
        CONFIG.changed({"train.stepz": 7})
    with pytest.raises(ArgumentError, match="evaluation.vary = 'colour'"):
        CONFIG.changed({"evaluation.vary": "colour"})
    laws = {"evaluation.vary": "sigma", "evaluation.over": (0.1, "wide")}
    with pytest.raises(ArgumentError, match="evaluation.over = 'wide' .* type float"):
        CONFIG.changed(laws)


@pytest.mark.parametrize("published", [False, True], ids=["fast", "published"])
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_there_and_back(path, published):
    """Through plain dicts, and through JSON, which has no tuples."""
    recipe = BENCHMARKS[path.stem].published if published else "fast"
    config = read_config(f"{path}:{recipe}")
    assert RunConfig.from_dict(config.to_dict()) == config
    text = json.dumps(config.to_dict(), allow_nan=False)
    assert RunConfig.from_dict(json.loads(text)) == config
    assert config.changed({"seed": 1}) != config


@pytest.mark.parametrize("name", problems.FACTORIES)
def test_a_problem_section_has_every_argument(name):
    section = problem(name)
    parameters = inspect.signature(problems.FACTORIES[name]).parameters
    assert dict(section.options) == {k: v.default for k, v in parameters.items()}


@pytest.mark.parametrize("name", models.MODELS)
def test_a_model_section_builds_that_model(name):
    section = model(name)
    built = models.make(**section.to_dict())
    for field, value in section.options.items():
        assert getattr(built, field) == value
    sizes = section.options.keys() & {"modes", "poles", "period"}
    axes = 1 if name == "looped_lno" else 2
    assert all(np.size(section.options[size]) == axes for size in sizes)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"speed": 1.0}, "problem.speed is no field of problem 'burgers'.*'viscosity'"),
        ({"viscosity": "thick"}, "problem.viscosity = 'thick' .* of type float"),
        ({"num_x": 2.5}, "problem.num_x = 2.5 .* of type int"),
        ({"viscosity": float("nan")}, "problem.viscosity = nan .* finite"),
    ],
)
def test_arguments_of_a_problem_are_checked_by_name(options, words):
    with pytest.raises(ArgumentError, match=words):
        problem("burgers", **options)


def test_a_whole_number_is_a_number():
    viscosity = problem("burgers", viscosity=2).options["viscosity"]
    assert viscosity == 2 and isinstance(viscosity, float)


def test_an_argument_without_a_default_has_to_be_set(monkeypatch):
    def mine(*, speed, start: int | None = None):
        """speed: how fast it moves,
            in metres per second.
        start: when.
        """

    monkeypatch.setitem(problems.FACTORIES, "mine", mine)
    with pytest.raises(ArgumentError, match="problem.speed has no default"):
        problem("mine")
    section = problem("mine", speed=2.0)
    assert section.to_dict() == {"name": "mine", "speed": 2.0, "start": None}
    assert show.meanings(section)["speed"] == "how fast it moves, in metres per second."


@pytest.mark.parametrize("name", causality.RULES)
def test_the_causality_section_has_the_parameters_of_every_rule(name):
    times = causality.jnp.linspace(0.0, 1.0, 5)
    weights = causality_rule(Causality(name=name))(times, times)
    assert weights.shape == (5,) and abs(float(weights.mean()) - 1) < 1e-6


def test_a_folder_written_before_fields_were_removed_is_the_same_run(tmp_path):
    old = CONFIG.to_dict()
    old["train"] |= {"polish_steps": 0, "residual_times": None}
    (tmp_path / "config.json").write_text(json.dumps(old))
    assert RunConfig.from_dict(read_config_of(tmp_path)) == CONFIG
    require_same_config(RunFolder(tmp_path), CONFIG)


def test_a_folder_whose_removed_fields_did_something_is_another_run(tmp_path):
    old = CONFIG.to_dict()
    old["train"] |= {"polish_steps": 20, "residual_times": None}
    (tmp_path / "config.json").write_text(json.dumps(old))
    with pytest.raises(ArgumentError, match="train.polish_steps = 20.*is gone"):
        require_same_config(RunFolder(tmp_path), CONFIG)
