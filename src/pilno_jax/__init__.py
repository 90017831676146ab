"""Physics-informed Laplace neural operators in JAX.

Learn the solution operator of a PDE family from a handful of labelled pairs, the
equation itself and unlabelled inputs:

    from pilno_jax.models import ALNO
    from pilno_jax.problems import burgers
    from pilno_jax.training.objective import objective

    problem, model = burgers(), ALNO(modes=10, poles=4)
    loss = objective(problem, model.apply)  # loss(params, batch) -> (total, terms)

`pilno_jax.load("burgers")` is a trained operator, of those that `shipped()` lists;
`python -m experiments.burgers` trains one, which `pilno_jax.load(workdir)` gives back.
"""

import importlib
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pilno_jax.data import user_arrays as own_data
    from pilno_jax.data.check import check
    from pilno_jax.evaluation import error_estimate, relative_errors, summary
    from pilno_jax.models import ALNO, FNO, LNO, DeepOMamba, poles
    from pilno_jax.operators import initial_parameters, predictor, rollout
    from pilno_jax.problems import Problem
    from pilno_jax.runs.loading import load
    from pilno_jax.runs.shipping import shipped
    from pilno_jax.runs.train import train
    from pilno_jax.runs.trained_run import TrainedRun
    from pilno_jax.training import (
        batches,
        causality,
        fit,
        initial_state,
        objective,
        optimizers,
        training_step,
    )
    from pilno_jax.training.objective import Weights

__version__ = version("pilno-jax")
# Imported when they are first asked for: JAX, Flax and Optax take a second.
_HOMES = {
    "pilno_jax.data.check": ("check",),
    "pilno_jax.evaluation": ("relative_errors", "summary"),
    "pilno_jax.models": ("ALNO", "FNO", "LNO", "DeepOMamba", "poles"),
    "pilno_jax.operators": ("initial_parameters", "predictor", "rollout"),
    "pilno_jax.problems": ("Problem",),
    "pilno_jax.runs.loading": ("load",),
    "pilno_jax.runs.shipping": ("shipped",),
    "pilno_jax.runs.train": ("train",),
    "pilno_jax.runs.trained_run": ("TrainedRun",),
    "pilno_jax.training": ("fit", "initial_state", "training_step"),
    "pilno_jax.training.objective": ("Weights",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
_MODULES = {
    "own_data": "pilno_jax.data.user_arrays",
    "error_estimate": "pilno_jax.evaluation.error_estimate",
    **{
        name: f"pilno_jax.training.{name}"
        for name in ("batches", "causality", "objective", "optimizers")
    },
    **{
        name: f"pilno_jax.{name}"
        for name in (
            *("data", "evaluation", "models", "numerics", "operators"),
            *("plotting", "problems", "runs", "training"),
        )
    },
}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        value = importlib.import_module(_MODULES[name])
    elif name in _HOME_OF:
        value = getattr(importlib.import_module(_HOME_OF[name]), name)
    else:
        raise AttributeError(f"module 'pilno_jax' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})


__all__ = [
    "ALNO",
    "FNO",
    "LNO",
    "DeepOMamba",
    "Problem",
    "TrainedRun",
    "Weights",
    "batches",
    "causality",
    "check",
    "error_estimate",
    "fit",
    "initial_parameters",
    "initial_state",
    "load",
    "objective",
    "optimizers",
    "own_data",
    "poles",
    "predictor",
    "relative_errors",
    "rollout",
    "shipped",
    "summary",
    "train",
    "training_step",
]
