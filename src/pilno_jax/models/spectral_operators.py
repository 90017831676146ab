"""ALNO and its relatives, the FNO and the LNO, as one network:

    u = Q( L_n( ... L_1( P(features) ))),   L(v) = act( K v + W v + b ),

with a pointwise lift P and projection Q. The kernel integral operator K is the sum of
a steady and a transient branch, see `kernel`. ALNO learns both (Eq. alno_split); LNO
ties the steady one to the poles and residues of the other (Eq. lno_transient_steady);
FNO has no transient branch.

Nothing here knows a grid: `axes` are the scaled coordinates in [0, 1], whose endpoint
tells a periodic axis (left out) from a closed one (included).
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from flax import linen as nn

from pilno_jax.checks import require, require_choice, require_positive
from pilno_jax.models.activations import ACTIVATIONS
from pilno_jax.models.bases import circle_weights
from pilno_jax.models.spectral_kernel import (
    POLE_SHARING,
    TRANSIENT_ANALYSIS,
    Axes,
    SpectralKernel,
    stable_poles,
)

MIXING_DTYPES = ("bfloat16", "float16", "float32")


class AxisPoles(NamedTuple):
    """mu = -decay + i frequency."""

    decay: jax.Array
    frequency: jax.Array


class FNO(nn.Module):
    """Fourier neural operator. Sizes given as one number hold for every axis.

    modes:            frequencies k = 0, ..., modes - 1 and their negatives
    activation:       tanh, gelu or sin; identity makes the network linear
    lift_width:       hidden width of the lift; None makes it linear
    projection_width: hidden width of the projection; None makes it linear
    normalize:        each integral operator sees its channels with mean 0 and
                      variance 1 over the grid
    period:           of the Fourier series, >= 1; above 1 a closed axis is continued
                      by zero ("domain padding"), at no cost
    mixing_dtype:     dtype of the channel mixing's operands, one of MIXING_DTYPES
    remat:            keep only the layers' inputs for the gradient and compute the
                      rest again: meant for GPUs and TPUs. On a CPU it was seen to
                      cost time and to save nothing, see docs/scaling.md
    """

    width: int = 32
    num_layers: int = 4
    modes: int | Sequence[int] = 14
    activation: str = "tanh"
    out_channels: int = 1
    lift_width: int | None = None
    projection_width: int | None = 128
    normalize: bool = False
    period: float | Sequence[float] = 1.0
    mixing_dtype: str | None = None
    remat: bool = False

    def __post_init__(self):
        require_choice("activation", self.activation, ACTIVATIONS)
        require_choice("mixing_dtype", self.mixing_dtype, (None, *MIXING_DTYPES))
        for name in ("width", "num_layers", "modes", "out_channels"):
            _require_sizes(name, getattr(self, name))
        for name in ("lift_width", "projection_width"):
            if getattr(self, name) is not None:
                _require_sizes(name, getattr(self, name))
        for period in np.atleast_1d(self.period):
            require(period >= 1, "period", self.period, "numbers of at least 1")
        super().__post_init__()

    def branches(self, rank: int) -> dict[str, Any]:
        """How this operator's kernel differs from the FNO's."""
        del rank
        return {}

    @nn.compact
    def __call__(self, features: jax.Array, axes: Axes) -> jax.Array:
        rank = len(axes)
        grid = tuple(x.size for x in axes)
        allowed = f"(*{grid}, channels), with or without a batch axis in front"
        fits = features.shape[-1 - rank : -1] == grid
        fits = fits and features.ndim in (rank + 1, rank + 2)
        require(fits, "shape of features", features.shape, allowed)
        batched = features.ndim == rank + 2
        act = ACTIVATIONS[self.activation]

        # Within the network the batch stands next to the channels, see `spectral`.
        v = jnp.moveaxis(features if batched else features[None], 0, rank)
        if self.lift_width is not None:
            v = act(self._dense("lift_hidden", v, self.lift_width))
        v = self._dense("lift", v, self.width)
        layer = nn.remat(FNO._layer, static_argnums=3) if self.remat else FNO._layer
        for index in range(self.num_layers):
            v = layer(self, v, axes, index)
        if self.projection_width is not None:
            v = act(self._dense("projection_hidden", v, self.projection_width))
        u = self._dense("projection", v, self.out_channels)
        u = jnp.moveaxis(u, rank, 0)
        return u if batched else u[0]

    def _layer(self, v: jax.Array, axes: Axes, index: int) -> jax.Array:
        rank = len(axes)
        kernel = SpectralKernel(
            modes=_per_axis("modes", self.modes, rank),
            period=_per_axis("period", self.period, rank),
            mixing_dtype=self.mixing_dtype,
            name=f"kernel_{index}",
            **self.branches(rank),
        )
        skip = self._dense(f"skip_{index}", v, self.width)
        seen = _standardise(v, axes) if self.normalize else v
        return ACTIVATIONS[self.activation](kernel(seen, axes) + skip)

    def _dense(self, name: str, v: jax.Array, size: int) -> jax.Array:
        """One large matrix product for the whole batch, plus the bias."""
        weights = self.param(
            f"{name}_weights", nn.initializers.glorot_normal(), (v.shape[-1], size)
        )
        bias = self.param(f"{name}_bias", nn.initializers.zeros, (size,))
        out = v.reshape(-1, v.shape[-1]) @ weights
        return (out + bias[None]).reshape(*v.shape[:-1], size)


class ALNO(FNO):
    """Advanced Laplace neural operator: FNO plus a transient pole-residue branch.

    poles:              poles per axis; 0 keeps the Fourier modes on that axis, which
                        a periodic one wants: see `kernel`
    pole_sharing:       "shared" by all channels of a layer, or "pairwise": own poles
                        for every pair of channels, as in the reference LNO
    transient_analysis: "quadrature" of the closed form, or the paper's "dft" sum
    initial_decay:      rates of decay per axis start between this and ten times it
    """

    poles: int | Sequence[int] = 14
    pole_sharing: str = "shared"
    transient_analysis: str = "quadrature"
    initial_decay: float = 1.0

    def __post_init__(self):
        counts = np.atleast_1d(self.poles)
        whole = all(isinstance(count, int | np.integer) for count in counts)
        fits = whole and bool(np.all(counts >= 0) and np.any(counts > 0))
        require(fits, "poles", self.poles, "whole numbers >= 0, on one axis at least 1")
        require_choice("pole_sharing", self.pole_sharing, POLE_SHARING)
        require_choice(
            "transient_analysis", self.transient_analysis, TRANSIENT_ANALYSIS
        )
        require_positive(initial_decay=self.initial_decay)
        super().__post_init__()

    def branches(self, rank: int) -> dict[str, Any]:
        return {
            "poles": _per_axis("poles", self.poles, rank),
            "pole_sharing": self.pole_sharing,
            "transient_analysis": self.transient_analysis,
            "initial_decay": self.initial_decay,
        }


class LNO(ALNO):
    """Laplace neural operator: ALNO whose multiplier is H = K_phi(i w)."""

    def branches(self, rank: int) -> dict[str, Any]:
        return {**super().branches(rank), "tied": True}


def poles(
    params: Any, extents: Sequence[float] | None = None
) -> list[tuple[AxisPoles, ...]]:
    """The learned poles of each layer and axis, in units of 1 / extent of the axis.

    Without `extents` they refer to the scaled axes [0, 1]. An axis with Fourier modes
    in place of poles has none.
    """
    layers = params.get("params", params)
    found = []
    while (layer := layers.get(f"kernel_{len(found)}")) and "residues" in layer:
        rank = layer["residues"].ndim - 3
        sizes = [1.0] * rank if extents is None else list(extents)
        require(len(sizes) == rank, "extents", extents, f"one extent per axis ({rank})")
        scaled = [stable_poles(layer, axis) / sizes[axis] for axis in range(rank)]
        found.append(tuple(AxisPoles(-mu.real, mu.imag) for mu in scaled))
    return found


def _per_axis(name: str, value: Any, rank: int) -> tuple[Any, ...]:
    values = tuple(np.atleast_1d(value).tolist())
    allowed = f"one number, or one for each of the {rank} axes"
    require(len(values) in (1, rank), name, value, allowed)
    return values if len(values) == rank else values * rank


def _require_sizes(name: str, value: Any) -> None:
    sizes = np.atleast_1d(value)
    whole = all(isinstance(size, int | np.integer) for size in sizes)
    require(whole and bool(np.all(sizes > 0)), name, value, "positive whole numbers")


def _standardise(v: jax.Array, axes: Axes) -> jax.Array:
    """Mean 0 and variance 1 over the domain, of every channel of every sample."""

    def mean(field: jax.Array) -> jax.Array:
        for x in axes:
            field = jnp.tensordot(circle_weights(x), field, 1)
        return field

    ones = (None,) * len(axes)
    centred = v - mean(v)[ones]
    return centred * jax.lax.rsqrt(mean(centred**2) + 1e-6)[ones]
