"""Where a problem and a network meet: the operator a -> u that is trained."""

from pilno_jax.operators.correct_until import Corrected, correct_until
from pilno_jax.operators.error_sizes import Sizes, error_sizes
from pilno_jax.operators.mixing_weights import is_mixing_weight
from pilno_jax.operators.predictor import (
    Apply,
    Network,
    Params,
    Predict,
    count_parameters,
    initial_parameters,
    predictor,
)
from pilno_jax.operators.rollout import Rollout, joined, rollout
from pilno_jax.operators.stages import corrector, stage_fields, staged_predictor

__all__ = [
    "Apply",
    "Corrected",
    "Network",
    "Params",
    "Predict",
    "Rollout",
    "Sizes",
    "correct_until",
    "corrector",
    "count_parameters",
    "error_sizes",
    "initial_parameters",
    "is_mixing_weight",
    "joined",
    "predictor",
    "rollout",
    "stage_fields",
    "staged_predictor",
]
