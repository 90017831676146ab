"""Optimisers and schedules of optax, by name."""

from collections.abc import Callable

import optax
import optax.contrib

from pilno_jax.checks import require_choice

SCHEDULES = ("constant", "step", "cosine", "linear")
OPTIMIZERS = ("adam", "adamw", "muon", "lbfgs")


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
    "adamw" and "muon" decouple it. "lbfgs" finds its own step length, for polishing
    on a fixed batch, and ignores the schedule.
    """
    require_choice("optimizer", name, OPTIMIZERS)
    build: dict[str, Callable[[], optax.GradientTransformation]] = {
        "adam": lambda: optax.chain(
            optax.add_decayed_weights(weight_decay), optax.adam(learning_rate)
        ),
        "adamw": lambda: optax.adamw(learning_rate, weight_decay=weight_decay),
        "muon": lambda: optax.contrib.muon(learning_rate, weight_decay=weight_decay),
        "lbfgs": lambda: optax.lbfgs(memory_size=20),
    }
    parts = [build[name]()]
    if clip_norm is not None and name != "lbfgs":
        parts.insert(0, optax.clip_by_global_norm(clip_norm))
    return optax.with_extra_args_support(optax.chain(*parts))
