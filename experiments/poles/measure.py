"""A row of results for an entry: all its seeds trained together, and their errors."""

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from experiments.config.schema import RunConfig
from experiments.poles import linear_systems, nearest_label, rivals, seeds_together
from experiments.poles.published import STRONGEST
from experiments.run.data_sets import labelled_set
from pilno_jax import data, models, operators
from pilno_jax.evaluation.newton_in_time import newton_in_time
from pilno_jax.runs import files, format
from pilno_jax.runs.environment import environment

Row = dict[str, Any]


def fingerprint(config: RunConfig, seeds: int) -> str:
    """Of all that a row depends on but the code.

    An option that is younger than a row does not count where it does what was done
    before it.
    """
    fields = files.flatten(config.to_dict())
    options = {
        name: value
        for name, value in fields.items()
        if (value,) != format.ADDED_OPTIONS.get(name)
    }
    told = json.dumps([options, seeds], sort_keys=True, default=str)
    return hashlib.sha256(told.encode()).hexdigest()[:12]


def is_kept(entry: rivals.Entry, rows: list[Row], seeds: int) -> bool:
    """Whether a row of this entry is there, trained as its config now says.

    Args:
        entry: which.
        rows: of results.
        seeds: how many it should have.
    """
    wanted = fingerprint(rivals.config_of(entry), seeds)
    return any(of_row(row) == entry and row["trained_as"] == wanted for row in rows)


def of_row(row: Mapping[str, Any]) -> rivals.Entry:
    """The entry that a row tells of."""
    return rivals.Entry(*(row[field] for field in rivals.Entry._fields))


def measure(
    entry: rivals.Entry,
    seeds: int,
    cache: Path,
    poll: Callable[[], None] = lambda: None,
) -> Row:
    """Train an entry and judge it on its test set.

    Args:
        entry: which.
        seeds: how many, from 0 on.
        cache: of labelled sets.
        poll: called now and then; what it raises ends the training.
    """
    config, law = rivals.config_of(entry), rivals.tested_law(entry)
    surroundings, started = environment(), time.monotonic()  # of the code that trains
    test = labelled_set(config, "test", cache, **law)
    if entry.network == rivals.NEAREST:
        tables = seeds_together.training_sets(config, seeds, cache)
        each = [jax.tree.map(lambda x, s=seed: x[s], tables) for seed in range(seeds)]
        errors = np.stack([nearest_label.errors(table, test) for table in each])
        return {**_judged(entry, config, errors), **surroundings}
    trained = seeds_together.train(config, seeds, cache, law, poll)
    seconds = time.monotonic() - started
    row: Row = {
        **_judged(entry, config, trained.errors(test)),
        "validation": [float(each) for each in trained.validation],
        "parameters": operators.count_parameters(trained.params) // seeds,
        "steps": config.train.steps + sum(config.stages.steps),
        "seconds": round(seconds, 1),
        "one_seed": rivals.command_of(entry),
        **surroundings,
    }
    if entry.network == rivals.LNO_PROTOCOL:
        weaker = labelled_set(config, "test", cache, **law, amplitude=STRONGEST)
        row["published_test"] = trained.errors(weaker).mean(1).tolist()
    if entry.network == rivals.LOOPED:
        row |= corrected_errors(trained, test)
    if entry.system in rivals.WAVES and entry.network == rivals.ONE_LAYER:
        row["poles"] = [
            learned_poles(config, jax.tree.map(lambda x, s=seed: x[s], trained.params))
            for seed in range(seeds)
        ]
    return row


def _judged(entry: rivals.Entry, config: RunConfig, errors: np.ndarray) -> Row:
    """What every row has, of the errors of all seeds and samples."""
    return {
        **entry._asdict(),
        "errors": [float(each) for each in errors.mean(1)],
        "largest": [float(each) for each in errors.max(1)],
        "seeds": len(errors),
        "trained_as": fingerprint(config, len(errors)),
    }


def corrected_errors(
    trained: seeds_together.TrainedSeeds, test: data.Data
) -> dict[str, Any]:
    """Mean errors after corrections by the equation alone, see `newton_in_time`.

    Of every seed; of what hard constraints alone say, here u = 0, where no network
    helps; and of the labels themselves, which is the grid's own error.

    Args:
        trained: the seeds.
        test: the labelled set that judges them.
    """
    problem, inputs = trained.problem, test["inputs"]
    correct = newton_in_time(problem)
    truth = np.asarray(test["labels"], float)

    def error(start: Any) -> float:
        apart = correct(inputs, start) - truth
        sizes = np.linalg.norm(apart, axis=1) / np.linalg.norm(truth, axis=1)
        return float(sizes.mean())

    nothing = jax.vmap(lambda one: problem.constrain(jnp.zeros(problem.shape), one))
    return {
        "corrected": [error(each) for each in trained.fields(inputs)],
        "corrected_without_network": error(nothing(inputs)),
        "corrected_labels": error(truth),
    }


def learned_poles(config: RunConfig, params: Any) -> list[dict[str, Any]]:
    """Each true pole of a wave equation and what a linear layer has of its wave.

    Waves k and -k both have it, by poles of their own: the one farther off counts.

    Args:
        config: of the run.
        params: of one seed.
    """
    options = config.problem.to_dict()
    extents = (1.0, options["final_time"])
    in_time = models.poles(params, extents, config.model.options["pole_unit"])[0][-1]
    turning = np.abs(np.asarray(in_time.frequency))  # the layer has conjugates too
    learned = -np.asarray(in_time.decay) + 1j * turning
    mean, rows = len(learned) // 2, []
    for wave, mu in enumerate(rivals.true_poles(options), start=1):
        both = [
            linear_systems.compare(mu[None], learned[mean + sign])[0]
            for sign in (wave, -wave)
        ]
        rows.append(max(both, key=lambda row: row["relative_distance"]))
    return rows
