"""Optimisers and schedules of optax, by name, as configs need them.

Whoever writes Python can pass any optimiser of optax to `training.training_step`.
"""

from collections.abc import Sequence
from typing import Any

import jax
import optax
import optax.contrib

from pilno_jax.checks import require, require_choice
from pilno_jax.operators import is_mixing_weight
from pilno_jax.training.levenberg_marquardt import Misfits, levenberg_marquardt

SCHEDULES = ("constant", "step", "cosine", "linear")
OPTIMIZERS = ("adam", "muon", "levenberg-marquardt")


def schedule(
    name: str,
    learning_rate: float,
    steps: int,
    *,
    warmup: int = 0,
    decay_every: int = 1,
    decay_factor: float = 0.5,
) -> optax.Schedule:
    """The learning rate as a function of the step.

    Args:
        name: "constant"; "step": times decay_factor every decay_every steps (the
            paper's StepLR); "cosine": a linear warm-up, then a cosine to zero;
            "linear": a straight line to zero. "cosine" is that of the fast recipes.
        learning_rate: the largest value, 1e-2 for Adam in the shipped recipes.
        steps: of the whole run; "cosine" and "linear" reach zero there.
        warmup: steps until "cosine" reaches learning_rate; a few per cent of `steps`.
        decay_every: steps between two decays of "step".
        decay_factor: what "step" multiplies the rate by, between 0 and 1.
    """
    require_choice("schedule", name, SCHEDULES)
    match name:
        case "step":
            return optax.exponential_decay(
                learning_rate, decay_every, decay_factor, staircase=True
            )
        case "cosine":
            return optax.warmup_cosine_decay_schedule(
                0.0, learning_rate, warmup, max(steps, warmup + 1)
            )
        case "linear":
            return optax.linear_schedule(learning_rate, 0.0, steps)
        case _:
            return optax.constant_schedule(learning_rate)


def optimizer(
    name: str,
    learning_rate: optax.ScalarOrSchedule,
    *,
    weight_decay: float = 0.0,
    clip_norm: float | None = None,
    misfits: Misfits | None = None,
) -> optax.GradientTransformationExtraArgs:
    """The named optimiser behind optional clipping of the gradient's global norm.

    Args:
        name: "adam", whose weight decay is coupled into the gradient, as in torch's
            Adam and the paper; or "muon", which orthogonalises the updates of matrices
            and decouples the decay; or "levenberg-marquardt", which has no rate.
        learning_rate: a number, or a schedule such as `schedule` returns.
        weight_decay: 0 for none; the paper's is 1e-4.
        clip_norm: the largest norm of the whole gradient; None does not clip. Of the
            order of the usual norm (see `gradient_norm` in a run's metrics) it cuts
            outliers only.
        misfits: what "levenberg-marquardt" makes small, and nothing else looks at.
    """
    require_choice("optimizer", name, OPTIMIZERS)
    if name == "levenberg-marquardt":
        require(misfits is not None, "misfits", misfits, "a function of the labels")
        assert misfits is not None
        return levenberg_marquardt(misfits)
    if name == "adam":
        parts = [optax.add_decayed_weights(weight_decay), optax.adam(learning_rate)]
        chosen = optax.chain(*parts)
    else:
        chosen = optax.contrib.muon(
            learning_rate,
            weight_decay=weight_decay,
            muon_weight_dimension_numbers=_matrices,
        )
    clip = [] if clip_norm is None else [optax.clip_by_global_norm(clip_norm)]
    return optax.with_extra_args_support(optax.chain(*clip, chosen))


def _matrices(params: Any) -> Any:
    """Which axes of each parameter Muon reads as a matrix; None leaves it to Adam.

    A spectral layer mixes channels by one complex matrix (in, 2, out) per mode, stacked
    along leading axes: each is orthogonalised by itself.
    """

    def dimensions(
        path: Sequence[Any], leaf: Any
    ) -> optax.contrib.MuonDimensionNumbers | None:
        if leaf.ndim == 2:
            return optax.contrib.MuonDimensionNumbers((0,), (1,))
        if is_mixing_weight(path, leaf):
            output = (leaf.ndim - 2, leaf.ndim - 1)
            return optax.contrib.MuonDimensionNumbers((leaf.ndim - 3,), output)
        return None

    return jax.tree_util.tree_map_with_path(dimensions, params)
