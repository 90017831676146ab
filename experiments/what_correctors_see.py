"""What a corrector gains from being told of the error:

python -m experiments.what_correctors_see --output=results/what_correctors_see.json

The same operator in stages, trained without a label, with three answers to what a
residual tells of the error: the problem's own `error_of`, the residual summed up over
time, which problems have that say nothing, and the residual as it is.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any

import jax
from absl import flags

import pilno_jax
from experiments.config.command_line import read_config
from experiments.run.command import run_command
from experiments.run.outputs import require_file
from pilno_jax import data, evaluation, problems
from pilno_jax.problems.base import ErrorOf, default_error
from pilno_jax.runs import environment, files

OUTPUT = flags.DEFINE_string("output", None, "The json to write.", required=True)
STEPS = flags.DEFINE_integer("steps", 800, "Of the first network.", lower_bound=1)
CORRECTOR_STEPS = flags.DEFINE_integer(
    "corrector_steps", 400, "Of the corrector.", lower_bound=1
)
COUNT = flags.DEFINE_integer("count", 100, "Test inputs.", lower_bound=1)

CONFIGS = ("burgers", "rd_ic", "diffusion")
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
    problem: problems.Problem, error_of: ErrorOf, steps: int, corrector_steps: int
) -> list[float]:
    """Mean test errors of the first network and after each correction.

    Args:
        problem: the PDE family.
        error_of: what its correctors are told.
        steps: of the first network.
        corrector_steps: of the corrector.
    """
    told = dataclasses.replace(problem, error_of=error_of)
    operator = pilno_jax.train(
        told,
        steps=steps,
        corrector_steps=(corrector_steps,),
        validation=0,
        say=lambda line: None,
    )
    test = data.generate(problem, jax.random.key(TEST_KEY), COUNT.value)
    fields = evaluation.predict_in_chunks(
        jax.jit(operator.stage_operator), operator.params, test["inputs"]
    )
    labels = test["labels"]
    return [float(evaluation.relative_errors(u, labels).mean()) for u in fields]


def main(words: list[str]) -> None:
    del words
    output = require_file("output", OUTPUT.value)
    rows: list[dict[str, Any]] = []
    for config in CONFIGS:
        problem = as_trained(config)
        for name, error_of in answers(problem).items():
            errors = errors_after_each(
                problem, error_of, STEPS.value, CORRECTOR_STEPS.value
            )
            rows.append({"config": config, "told": name, "errors": errors})
            print(
                f"{config:10} {name:9}", *(f"{one:.2e}" for one in errors), flush=True
            )
    content = {
        "steps": [STEPS.value, CORRECTOR_STEPS.value],
        "count": COUNT.value,
        "rows": rows,
        **environment.environment(),
    }
    files.write_json(output, content)


if __name__ == "__main__":
    run_command(main)
