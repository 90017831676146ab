"""Operator networks, all called as `model.apply(params, features, axes)`."""

from typing import Any

from flax import linen as nn

from pilno_jax.checks import require_choice
from pilno_jax.models.deepomamba import DeepOMamba
from pilno_jax.models.spectral_operators import ALNO, FNO, LNO, AxisPoles, poles

__all__ = ["ALNO", "FNO", "LNO", "AxisPoles", "DeepOMamba", "make", "poles"]

MODELS: dict[str, type[nn.Module]] = {
    "alno": ALNO,
    "fno": FNO,
    "lno": LNO,
    "deepomamba": DeepOMamba,
}


def make(name: str, **kwargs: Any) -> nn.Module:
    """The model of that name, with its constructor's arguments."""
    require_choice("name", name, MODELS)
    return MODELS[name](**kwargs)
