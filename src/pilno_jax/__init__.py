"""Physics-informed Laplace neural operators in JAX.

Learn the solution operator of a PDE family from a handful of labelled pairs, the
equation itself and unlabelled inputs:

    from pilno_jax.models import ALNO
    from pilno_jax.objective import objective
    from pilno_jax.problems import burgers

    problem, model = burgers(), ALNO(modes=10, poles=4)
    loss = objective(problem, model.apply)  # loss(params, batch) -> (total, terms)

`python -m experiments.burgers` trains; `pilno_jax.load(workdir)` gives the result.
"""

from importlib.metadata import version

from pilno_jax.evaluation import relative_errors, summary
from pilno_jax.loading import TrainedRun, load
from pilno_jax.models import ALNO, FNO, LNO, DeepOMamba, poles
from pilno_jax.objective import Weights, predictor
from pilno_jax.problems import Problem
from pilno_jax.training import fit, initial_state, training_step

__version__ = version("pilno-jax")
__all__ = [
    "ALNO",
    "FNO",
    "LNO",
    "DeepOMamba",
    "Problem",
    "TrainedRun",
    "Weights",
    "fit",
    "initial_state",
    "load",
    "poles",
    "predictor",
    "relative_errors",
    "summary",
    "training_step",
]
