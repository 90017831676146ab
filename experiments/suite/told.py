"""An operator in stages, told in several ways what its residual says of the error."""

import dataclasses
from collections.abc import Mapping

import jax

import pilno_jax
from experiments.config.command_line import read_config
from pilno_jax import data, evaluation, problems
from pilno_jax.problems.base import ErrorOf, default_error

TEST_KEY = 30_000  # inputs that no training has drawn


def answers(problem: problems.Problem) -> Mapping[str, ErrorOf]:
    """What a residual may be said to tell of the error, by name."""
    return {
        "error_of": problem.error_of,
        "integral": default_error(problem.grid, problem.time_axis),
        "residual": default_error(problem.grid, None),
    }


def as_trained(config: str) -> problems.Problem:
    """The problem of a recipe in stages."""
    recipe = read_config(f"configs/{config}.py:staged")
    return problems.make(**recipe.problem.to_dict())


def errors_after_each(
    problem: problems.Problem,
    error_of: ErrorOf,
    steps: int,
    corrector_steps: int,
    count: int,
) -> list[float]:
    """Mean test errors of the first network and after each correction.

    Args:
        problem: the PDE family.
        error_of: what its correctors are told.
        steps: of the first network.
        corrector_steps: of the corrector.
        count: test inputs.
    """
    told = dataclasses.replace(problem, error_of=error_of)
    operator = pilno_jax.train(
        told,
        steps=steps,
        corrector_steps=(corrector_steps,),
        validation=0,
        say=lambda line: None,
    )
    test = data.generate(problem, jax.random.key(TEST_KEY), count)
    fields = evaluation.predict_in_chunks(
        jax.jit(operator.stage_operator), operator.params, test["inputs"]
    )
    labels = test["labels"]
    return [float(evaluation.relative_errors(u, labels).mean()) for u in fields]
