"""What a recipe becomes without some of its parts, and rivals with their own recipe."""

import math
from collections.abc import Callable, Mapping
from typing import Any

from experiments.suite.protocols import Changes

PILNO, LABELS = "PILNO", "labels only"  # as rows and columns call them

LABELS_ONLY: Changes = {"weights.pde": 0.0, "weights.ic": 0.0, "weights.bc": 0.0}
NO_VIRTUAL: Changes = {"train.batch_physics": 0}
EVEN_IN_TIME: Changes = {"causality.name": "uniform"}

DEEPOMAMBA_EPOCHS, DEEPOMAMBA_BATCH = 100, 16


def deepomamba(labels: int) -> dict[str, Any]:
    """DeepOMamba with its own optimisation (Appendix D): 100 epochs in batches of 16.

    At least 1000 steps: 100 epochs of 27 labels would be 200, far from trained, and
    far less than the paper's 206 seconds on a GPU.

    Args:
        labels: how many labelled samples an epoch has.
    """
    epoch = math.ceil(labels / DEEPOMAMBA_BATCH)
    return {
        **LABELS_ONLY,
        "model.name": "deepomamba",
        "problem.features": "paper",
        "problem.hard_constraints": False,
        "train.batch_data": DEEPOMAMBA_BATCH,
        "train.steps": max(DEEPOMAMBA_EPOCHS * epoch, 1000),
        "train.optimizer": "adam",
        "train.learning_rate": 1e-3,
        "train.schedule": "linear",
        "train.warmup": 0,
    }


# Models that bring a recipe of their own: what they change, given the number of labels.
RIVALS: Mapping[str, Callable[[int], Changes]] = {"deepomamba": deepomamba}
RIVAL_NAMES: Mapping[str, str] = {"deepomamba": "DeepOMamba"}
