"""Optimisers and schedules of optax, by name."""

from collections.abc import Callable
from typing import Any

import jax
import optax
import optax.contrib

from pilno_jax.checks import require_choice
from pilno_jax.models.contractions import is_mixing_weight

SCHEDULES = ("constant", "step", "cosine", "linear")
OPTIMIZERS = ("adam", "adamw", "muon")


def schedule(
    name: str,
    learning_rate: float,
    steps: int,
    *,
    warmup: int = 0,
    decay_every: int = 1,
    decay_factor: float = 0.5,
) -> optax.Schedule:
    """The learning rate over `steps`.

    constant; "step": times decay_factor every decay_every steps (the paper's StepLR);
    "cosine": linear warm-up, then a cosine to zero; "linear": straight to zero.
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
    learning_rate: optax.Schedule,
    *,
    weight_decay: float = 0.0,
    clip_norm: float | None = None,
) -> optax.GradientTransformationExtraArgs:
    """The named optimiser behind optional clipping of the gradient's global norm.

    "adam" couples weight decay into the gradient, as torch's Adam and the paper do;
    "adamw" and "muon" decouple it.
    """
    require_choice("optimizer", name, OPTIMIZERS)
    build: dict[str, Callable[[], optax.GradientTransformation]] = {
        "adam": lambda: optax.chain(
            optax.add_decayed_weights(weight_decay), optax.adam(learning_rate)
        ),
        "adamw": lambda: optax.adamw(learning_rate, weight_decay=weight_decay),
        "muon": lambda: optax.contrib.muon(
            learning_rate,
            weight_decay=weight_decay,
            muon_weight_dimension_numbers=_matrices,
        ),
    }
    parts = [build[name]()]
    if clip_norm is not None:
        parts.insert(0, optax.clip_by_global_norm(clip_norm))
    return optax.with_extra_args_support(optax.chain(*parts))


def _matrices(params: Any) -> Any:
    """Which axes of each parameter Muon reads as a matrix; None leaves it to Adam.

    A spectral layer mixes channels by one complex matrix (in, 2, out) per mode, stacked
    along leading axes: each is orthogonalised by itself.
    """

    def dimensions(leaf: Any) -> optax.contrib.MuonDimensionNumbers | None:
        if leaf.ndim == 2:
            return optax.contrib.MuonDimensionNumbers((0,), (1,))
        if is_mixing_weight(leaf):
            output = (leaf.ndim - 2, leaf.ndim - 1)
            return optax.contrib.MuonDimensionNumbers((leaf.ndim - 3,), output)
        return None

    return jax.tree.map(dimensions, params)
