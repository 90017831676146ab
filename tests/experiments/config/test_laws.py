"""Coefficients in a config: numbers or laws, from a file, a flag or a saved run."""

import json

import pytest
from absl import flags

from experiments.config.overrides import parse
from experiments.config.problem_and_model import model, problem
from experiments.config.schema import Evaluation, RunConfig
from experiments.run.run import rehearse_laws
from pilno_jax import problems
from pilno_jax.checks import ArgumentError


def config(**options):
    return RunConfig(problem=problem("burgers", **options), model=model("fno"))


def given(texts, **options):
    changed = parse(config(**options), texts, flags.FlagValues())
    return changed.problem.options["viscosity"]


@pytest.mark.parametrize("before", [0.01, (0.005, 0.05)])
def test_a_flag_turns_a_number_into_a_law_and_back(before):
    flag = "--config.problem.viscosity"
    assert given([f"{flag}=0.02"], viscosity=before) == 0.02
    assert given([f"{flag}=(0.1, 1)"], viscosity=before) == (0.1, 1.0)
    assert given([flag, "0.1,1"], viscosity=before) == (0.1, 1.0)
    assert given(["--config.problem.sigma=0.3"], viscosity=before) == before


@pytest.mark.parametrize(
    "text, expected",
    [
        ("(1, 2, 3)", r"viscosity = \(1, 2, 3\) .* 2 values"),
        ("(1, 'a')", r"viscosity\[1\] = 'a' .* type float"),
        ("thick", "viscosity = 'thick' .* type float"),
    ],
)
def test_what_is_neither_is_named(text, expected):
    with pytest.raises(ArgumentError, match=f"problem.{expected}"):
        given([f"--config.problem.viscosity={text}"])


def test_a_law_is_saved_and_read():
    law = config(viscosity=(0.005, 0.05))
    again = RunConfig.from_dict(json.loads(json.dumps(law.to_dict())))
    assert again.problem.options["viscosity"] == (0.005, 0.05)
    assert again == law


def test_an_operator_of_a_law_may_be_tested_at_single_values():
    law = problem("burgers", num_x=8, num_t=9, viscosity=(0.005, 0.05))
    tested = Evaluation(vary="viscosity", over=(0.005, 0.1))
    run = RunConfig(problem=law, model=model("fno"), evaluation=tested)
    rehearse_laws(run, problems.make(**law.to_dict()))
    refused = run.changed({"evaluation.over": (0.005, -1.0)})
    with pytest.raises(ArgumentError, match=r"evaluation.over: viscosity = \(-1.0, -1"):
        rehearse_laws(refused, problems.make(**law.to_dict()))
