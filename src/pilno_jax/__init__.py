"""Physics-informed Laplace neural operators in JAX.

Learn the solution operator of a PDE family from a handful of labelled pairs, the
equation itself and unlabelled inputs:

    from pilno_jax.models import ALNO
    from pilno_jax.problems import burgers
    from pilno_jax.training.objective import objective

    problem, model = burgers(), ALNO(modes=10, poles=4)
    loss = objective(problem, model.apply)  # loss(params, batch) -> (total, terms)

`python -m experiments.burgers` trains; `pilno_jax.load(workdir)` gives the result.
"""

from importlib.metadata import version

from pilno_jax.data import user_arrays as own_data
from pilno_jax.evaluation import error_estimate, relative_errors, summary
from pilno_jax.models import ALNO, FNO, LNO, DeepOMamba, poles
from pilno_jax.operators import initial_parameters, predictor
from pilno_jax.problems import Problem
from pilno_jax.runs.trained_run import TrainedRun, load
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
    "summary",
    "training_step",
]
