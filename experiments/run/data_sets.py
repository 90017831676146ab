"""The labelled sets of a run: which inputs, how many, from which seed."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax

from pilno_jax import data
from pilno_jax.problems import factory_of, label_options, make
from pilno_jax.problems.coefficients import under_other_law

SPLITS = ("train", "validation", "test")


def set_size(config: Any, split: str) -> int:
    """How many samples a set of the config has."""
    return {
        "train": config.train.num_train,
        "validation": config.data.num_validation,
        "test": config.data.num_test,
    }[split]


def labelled_set(
    config: Any,
    split: str,
    cache: Path,
    report: Callable[[int, int], None] = lambda done, total: None,
    **changes: Any,
) -> data.Data:
    """One of the labelled sets of a config, from the cache or solved now.

    Args:
        config: of the run; training sets follow its `seed`, validation and test sets
            its `data.seed`, so that all seeds of a run are judged on the same inputs.
        split: "train", "validation" or "test".
        cache: folder of the sets that were solved before.
        report: called with (references solved, all of them) while solving.
        **changes: problem options that differ from the config's, for another law.
    """
    options = under_other_law(config.to_dict()["problem"], changes)
    count = set_size(config, split)
    seed = config.seed if split == "train" else config.data.seed
    salt = {"train": 1, "validation": 2, "test": 3}[split]
    # Runs that differ in what only the network sees share their labels.
    law = label_options(options)
    description = {**law, "split": split, "count": count, "seed": seed}

    def generate() -> data.Data:
        key = jax.random.fold_in(jax.random.key(seed), salt)
        return data.generate(make(**options), key, count, report=report)

    shaped_by = factory_of(options["name"]), labelled_set
    return data.cached(cache, description, generate, *shaped_by)
