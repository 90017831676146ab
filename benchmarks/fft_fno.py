"""The FNO of the textbooks, by FFT: what `step_time` compares matrix products with."""

import jax
import jax.numpy as jnp
import numpy as np

from pilno_jax.models.activations import ACTIVATIONS

CHANNELS = 3
PROJECTION = 128


def fft_fno(size, activation: str):
    """(apply, params): rfft2, truncate, mix, irfft2, channels last."""
    n, m = size["grid"]
    first, second = min(size["modes"], n // 2), min(size["modes"], m // 2)
    act = ACTIVATIONS[activation]

    def layer(v, weights, skip):
        alpha = jnp.fft.rfft2(v, axes=(1, 2))
        mixed = [
            jnp.einsum("bxyi,xyio->bxyo", alpha[:, rows, :second], h)
            for rows, h in zip(
                (slice(first), slice(-first, None)), weights, strict=True
            )
        ]
        middle = jnp.zeros((v.shape[0], n - 2 * first, second, v.shape[-1]))
        kept = jnp.concatenate([mixed[0], middle, mixed[1]], 1)
        kept = jnp.pad(kept, ((0, 0), (0, 0), (0, m // 2 + 1 - second), (0, 0)))
        return act(jnp.fft.irfft2(kept, s=(n, m), axes=(1, 2)) + v @ skip)

    def apply(params, features):
        v = features @ params["lift"]
        for weights, skip in params["layers"]:
            v = layer(v, jax.lax.complex(*weights), skip)
        return act(v @ params["hidden"]) @ params["out"]

    rng, width = np.random.default_rng(0), size["width"]

    def normal(*shape):
        return jnp.asarray(rng.normal(size=shape) / 30, jnp.float32)

    modes = (2, first, second, width, width)
    params = {
        "lift": normal(CHANNELS, width),
        "layers": [
            ((normal(*modes), normal(*modes)), normal(width, width))
            for _ in range(size["num_layers"])
        ],
        "hidden": normal(width, PROJECTION),
        "out": normal(PROJECTION, 1),
    }
    return apply, params
