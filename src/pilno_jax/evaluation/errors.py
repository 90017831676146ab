"""How far predictions are from the truth."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from pilno_jax.numerics.norms import relative_l2
from pilno_jax.operators import Params, Predict


def predict_in_chunks(
    predict: Predict, params: Params, inputs: Any, chunk: int = 50
) -> np.ndarray:
    """Predictions for many samples, a chunk of them in memory at a time."""
    count = len(jax.tree.leaves(inputs)[0])
    parts = []
    for start in range(0, count, chunk):
        part = jax.tree.map(lambda x, s=start: x[s : s + chunk], inputs)
        parts.append(np.asarray(predict(params, part)))
    return np.concatenate(parts)


def relative_errors(predictions: np.ndarray, truths: np.ndarray) -> np.ndarray:
    """Relative L2 error of each sample."""
    return np.asarray(
        jax.vmap(relative_l2)(jnp.asarray(predictions), jnp.asarray(truths))
    )


def summary(predictions: np.ndarray, truths: np.ndarray) -> dict[str, Any]:
    """Per-sample relative L2 (mean, std, max) and the ratio of norms over the set."""
    errors = relative_errors(predictions, truths)
    ratio = np.linalg.norm(predictions - truths) / np.linalg.norm(truths)
    return {
        "relative_l2": {
            "mean": float(errors.mean()),
            "std": float(errors.std()),
            "max": float(errors.max()),
        },
        "relative_l2_global": float(ratio),
    }
