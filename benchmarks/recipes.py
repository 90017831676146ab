"""The runs that are timed: shipped recipes, built as a training builds them."""

import importlib
from typing import Any

import jax

from experiments.config.build import BuiltRun, build
from pilno_jax import data
from pilno_jax.runs import files


def built(config: str, recipe: str = "fast", **changes: Any) -> BuiltRun:
    """The run of configs/`config`.py.

    Args:
        config: the name of a file in configs/.
        recipe: which of its recipes, "fast" or "paper".
        **changes: fields of the config, a section and its fields at a time:
            model={"width": 8}.
    """
    chosen = importlib.import_module(f"configs.{config}").get_config(recipe)
    return build(chosen.changed(files.flatten(changes)))


def labelled(run: BuiltRun) -> dict[str, Any]:
    """As many labelled samples as the run trains on."""
    count = run.config.train.num_train
    generated = data.generate(run.problem, jax.random.key(0), count)
    labels = run.problem.restrict(generated["labels"])
    return jax.device_put({"inputs": generated["inputs"], "labels": labels})
