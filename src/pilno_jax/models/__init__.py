"""Operator networks, all called as `model.apply(params, features, axes)`."""

import dataclasses
from typing import Any

from flax import linen as nn

from pilno_jax.checks import require_choice
from pilno_jax.models.deepomamba import DeepOMamba
from pilno_jax.models.looped_lno import LoopedLNO, poles_at_rest
from pilno_jax.models.spectral_operators import ALNO, FNO, LNO, AxisPoles, poles

__all__ = [
    "ALNO",
    "FNO",
    "LNO",
    "AxisPoles",
    "DeepOMamba",
    "LoopedLNO",
    "described",
    "make",
    "poles",
    "poles_at_rest",
]

MODELS: dict[str, type[nn.Module]] = {
    "alno": ALNO,
    "fno": FNO,
    "lno": LNO,
    "deepomamba": DeepOMamba,
    "looped_lno": LoopedLNO,
}


def described(network: Any) -> dict[str, Any]:
    """What `make` needs to make a network again: its name, and its fields.

    Args:
        network: any. One that is not of this package has its class for a name, which
            `make` does not know.
    """
    names = {kind: name for name, kind in MODELS.items()}
    name = names.get(type(network), type(network).__name__)
    fields = dataclasses.fields(network) if dataclasses.is_dataclass(network) else ()
    values = {f.name: getattr(network, f.name) for f in fields if f.init}
    own = {k: v for k, v in values.items() if k not in ("parent", "name")}
    return {"name": name, **own}


def make(name: str, **kwargs: Any) -> nn.Module:
    """The model of that name, with its constructor's arguments."""
    require_choice("name", name, MODELS)
    return MODELS[name](**kwargs)
