"""How far predictions are from the truth."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from pilno_jax.numerics.norms import relative_l2
from pilno_jax.operators import Params

Fields = Float[np.ndarray, " samples *grid"]
AnyFields = Float[np.ndarray | jax.Array, " samples *grid"]


def predict_in_chunks(
    predict: Callable[[Params, Any], Any], params: Params, inputs: Any, chunk: int = 50
) -> Any:
    """Predictions for many samples, a chunk of them in memory at a time.

    Args:
        predict: (params, batch of inputs) -> u, see `operators.predictor`; or a tuple
            of arrays, each with a number of samples in front.
        params: of the network.
        inputs: of all samples, whose number is the leading axis.
        chunk: samples in one call; less where memory is short.
    """
    count = len(jax.tree.leaves(inputs)[0])
    if count == 0:
        one = jax.tree.map(
            lambda x: jax.ShapeDtypeStruct((1, *x.shape[1:]), x.dtype), inputs
        )
        answer = jax.eval_shape(predict, params, one)
        return jax.tree.map(lambda x: np.zeros((0, *x.shape[1:]), x.dtype), answer)
    parts = []
    for start in range(0, count, chunk):
        part = jax.tree.map(lambda x, s=start: x[s : s + chunk], inputs)
        parts.append(jax.tree.map(np.asarray, predict(params, part)))
    return jax.tree.map(lambda *arrays: np.concatenate(arrays), *parts)


def relative_errors(
    predictions: AnyFields, truths: AnyFields
) -> Float[np.ndarray, " samples"]:
    """Relative L2 error of each sample."""
    return np.asarray(
        jax.vmap(relative_l2)(jnp.asarray(predictions), jnp.asarray(truths))
    )


def summary(predictions: AnyFields, truths: AnyFields) -> dict[str, Any]:
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
