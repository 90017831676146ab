"""Pure training: the objective, its batches, the optimiser, the loop."""

from pilno_jax.training.loop import (
    Callback,
    Progress,
    State,
    fit,
    initial_state,
    many_steps,
    training_step,
)

__all__ = [
    "Callback",
    "Progress",
    "State",
    "fit",
    "initial_state",
    "many_steps",
    "training_step",
]
