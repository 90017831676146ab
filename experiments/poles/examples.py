"""What networks make of single forcings: of those that one of them does median and
worst on, and what its loop is like at rest."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import numpy as np

from experiments.poles import rivals, seeds_together
from experiments.run.data_sets import labelled_set
from pilno_jax import models

SHOWN = ("Duffing, c = 0", "Duffing, c = 0.5", "Lorenz, rho = 10")
NETWORKS = (rivals.LOOPED, "FNO, period 2")


def of_system(
    system: str, cache: Path, poll: Callable[[], None] = lambda: None
) -> dict[str, Any]:
    """Train seed 0 of each network on LNO's labels: "cases", the "end" and "nodes" of
    their time axis, and "poles_at_rest" of the loop.

    Args:
        system: one of `rivals.OSCILLATORS`.
        cache: of labelled sets.
        poll: called now and then; what it raises ends the training.
    """
    predictions: dict[str, np.ndarray] = {}
    found: dict[str, Any] = {}
    for network in NETWORKS:
        entry = rivals.Entry(system, rivals.PUBLISHED_LAW, network, rivals.LABELS)
        config, law = rivals.config_of(entry), rivals.tested_law(entry)
        test = labelled_set(config, "test", cache, **law)
        trained = seeds_together.train(config, 1, cache, law, poll)
        predictions[network] = trained.fields(test["inputs"])[0]
        if network == rivals.LOOPED:
            order = np.argsort(trained.errors(test)[0])
            chosen = {"median": order[len(order) // 2], "worst": order[-1]}
            axis = trained.problem.grid.axes[0]
            found["end"], found["nodes"] = axis.high, axis.num_points
            params = jax.tree.map(lambda x: x[0], trained.params)
            loop = models.make(**config.model.to_dict())
            at_rest = models.poles_at_rest(loop, params, axis.high)  # pyright: ignore
            found["poles_at_rest"] = [[pole.real, pole.imag] for pole in at_rest]
    truth = np.asarray(test["labels"])
    found["cases"] = {
        name: {
            "reference": truth[number].tolist(),
            **{each: u[number].tolist() for each, u in predictions.items()},
        }
        for name, number in chosen.items()
    }
    return found
