"""A run that nobody has trained, for tests of what is done with runs."""

import jax
import numpy as np

from pilno_jax.evaluation.error_bar import error_bar
from pilno_jax.operators import initial_parameters
from pilno_jax.runs.trained_run import TrainedRun


def untrained(problem, model, stages=1) -> TrainedRun:
    """An operator as the first step of its training finds it."""
    params = tuple(
        initial_parameters(problem, model, jax.random.key(stage), stage)
        for stage in range(1, 1 + stages)
    )
    sizes = np.geomspace(1e-3, 1e-1, 20)
    bar = error_bar(sizes, sizes, sizes, 2 * sizes)
    config = {"problem": {"name": problem.name}, "stages": {"last_applied": 1}}
    several = {"correctors": (model,) * (stages - 1), "error_bar": bar}
    whole = params if stages > 1 else params[0]
    return TrainedRun(problem, model, whole, step=7, config=config, **several)
