"""A trained run under another law of inputs: `--change=length_scale=0.5`."""

import ast
import dataclasses
from typing import Any

import jax
from absl import flags

from experiments.config.problem_and_model import ProblemSection
from pilno_jax import data, problems
from pilno_jax.checks import require
from pilno_jax.problems.coefficients import under_other_law
from pilno_jax.runs.trained_run import TrainedRun

FLAGS, NAMES = flags.FLAGS, ("change", "count", "seed")


def define_flags(count: int, at_least: int) -> None:
    """Called by the entry points, not on import: names are global to a process."""
    flags.DEFINE_multi_string(
        "change", [], "A problem option for the test inputs, as in length_scale=0.5."
    )
    flags.DEFINE_integer("count", count, "How many test inputs.", lower_bound=at_least)
    flags.DEFINE_integer("seed", 0, "Seed of the test inputs.", lower_bound=0)


def from_flags(run: TrainedRun) -> tuple[TrainedRun, data.Data]:
    return under_law(run, changes(FLAGS.change), FLAGS.count, FLAGS.seed)


def changes(texts: list[str]) -> dict[str, Any]:
    """{"length_scale": 0.5} of ["length_scale=0.5"]."""
    options = {}
    for text in texts:
        name, equals, value = text.partition("=")
        require(bool(name and equals), "change", text, "NAME=VALUE")
        try:
            options[name] = ast.literal_eval(value)
        except (SyntaxError, ValueError):
            options[name] = value  # a word, such as the name of a law
    return options


def under_law(
    run: TrainedRun, changed: dict[str, Any], count: int, seed: int
) -> tuple[TrainedRun, data.Data]:
    """The run on its problem with some options changed, and labelled inputs of it."""
    trained = run.config["problem"]
    law = ProblemSection.from_dict(trained)
    options = sorted(law.options)
    unknown = sorted(changed.keys() - law.options.keys())
    require(not unknown, "change", unknown, f"some of {options}")
    tested = ProblemSection(law.name, under_other_law(law.options, changed))
    problem = problems.make(**tested.to_dict())
    if drawn := changed.keys() & run.problem.inputs.keys():
        # The network goes on to see these numbers as it did in its training.
        kept = {name: law.options[name] for name in drawn}
        seen = problems.make(**{**tested.to_dict(), **kept})
        problem = dataclasses.replace(problem, features=seen.features)
    # Folded in: a training set of the same seed has other samples.
    key = jax.random.fold_in(jax.random.key(seed), 314)
    return dataclasses.replace(run, problem=problem), data.generate(problem, key, count)
