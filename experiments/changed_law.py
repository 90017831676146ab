"""A trained run under another law of inputs: `--change=length_scale=0.5`."""

import ast
import dataclasses
from typing import Any

import jax
from absl import flags

from pilno_jax import data, problems
from pilno_jax.loading import TrainedRun

CHANGE = flags.DEFINE_multi_string(
    "change", [], "A problem option for the test inputs, as in length_scale=0.5."
)
COUNT = flags.DEFINE_integer("count", 20, "How many test inputs.", lower_bound=1)
SEED = flags.DEFINE_integer("seed", 0, "Seed of the test inputs.", lower_bound=0)


def changes(texts: list[str]) -> dict[str, Any]:
    """{"length_scale": 0.5} of ["length_scale=0.5"]."""
    found = {}
    for text in texts:
        name, _, value = text.partition("=")
        try:
            found[name] = ast.literal_eval(value)
        except (SyntaxError, ValueError):
            found[name] = value  # a word, such as the name of a law
    return found


def under_changed_law(run: TrainedRun) -> tuple[TrainedRun, data.Data]:
    """The run on its problem with the options asked for, and labelled inputs of it."""
    options = {**run.config["problem"], **changes(CHANGE.value)}
    unknown = sorted(options.keys() - run.config["problem"].keys())
    if unknown:
        known = sorted(run.config["problem"])
        raise ValueError(f"change = {unknown} is not allowed: expected some of {known}")
    changed = dataclasses.replace(run, problem=problems.make(**options))
    # Folded in: a training set of the same seed has other samples.
    key = jax.random.fold_in(jax.random.key(SEED.value), 314)
    return changed, data.generate(changed.problem, key, COUNT.value)
