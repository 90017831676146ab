"""ALNO and its relatives, the FNO and the LNO, as one network:

    u = Q( L_n( ... L_1( P(features) ))),   L(v) = act( K v + W v + b ),

with a pointwise lift P and projection Q. The kernel integral operator K is the sum of
a steady and a transient branch, see `spectral_kernel`. ALNO learns both
(Eq. alno_split); LNO ties the steady one to the poles and residues of the other
(Eq. lno_transient_steady); FNO has no transient branch.

Nothing here knows a grid: `axes` are the scaled coordinates in [0, 1], whose endpoint
tells a periodic axis (left out) from a closed one (included).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, final

import jax
import jax.numpy as jnp
import numpy as np
from flax import linen as nn
from jaxtyping import Array, Float

from pilno_jax.checks import require, require_choice, require_positive
from pilno_jax.models.activations import ACTIVATIONS
from pilno_jax.models.learned_poles import poles_of, published_dense_start
from pilno_jax.models.spectral_kernel import (
    KERNEL_STARTS,
    POLE_SHARING,
    TRANSIENT_ANALYSIS,
    Axes,
    SpectralKernel,
)

Start = Callable[..., jax.Array]  # (key, shape) -> initial values

MIXING_DTYPES = ("bfloat16", "float16", "float32")


class _SpectralOperator(nn.Module):
    """The common network; a subclass says what its kernels are made of.

    Sizes given as one number hold for every axis.

    Args:
        width: channels inside the network. 32 serves every shipped problem.
        num_layers: layers L; 4 is the usual depth of neural operators.
        modes: frequencies k = 0, ..., modes - 1 and their negatives; those that a grid
            cannot hold are left out on it. 10 to 16 resolve smooth solutions.
        activation: "tanh" (the paper's), "gelu" or "sin"; "identity" makes the
            network linear.
        out_channels: fields that the network returns.
        projection_width: hidden width of the projection Q; None makes Q linear.
        period: of the Fourier series, >= 1; above 1, say 1.5, a closed axis is
            continued by zero ("domain padding"), at no cost.
        add_input: whether a layer adds its input, L(v) = v + act(K v + W v + b), as
            residual networks do. False is the paper's layer; True learns faster, above
            all from labels alone.
        mixing_dtype: dtype of the channel mixing's operands, one of MIXING_DTYPES;
            None keeps that of the features.
        activate_last: whether the last layer's output is activated, as the others' are;
            False hands it to the projection as it is, as LNO was published.
        kernel_start: what Glorot's rule takes for one layer of weights. "by mode": the
            matrix of each frequency, so that all of them pass on what they get. "by
            tensor": all of them together, as torch counts; kernels then start small
            beside W, which learns better from few labels alone.
        remat: keep only the layers' inputs for the gradient and compute the rest
            again. Meant for GPUs and TPUs; see docs/scaling.md for what a CPU makes
            of it.
    """

    width: int = 32
    num_layers: int = 4
    modes: int | Sequence[int] = 14
    activation: str = "tanh"
    out_channels: int = 1
    projection_width: int | None = 128
    period: float | Sequence[float] = 1.0
    add_input: bool = False
    mixing_dtype: str | None = None
    activate_last: bool = True
    kernel_start: str = "by mode"
    remat: bool = False

    def __post_init__(self):
        require_choice("activation", self.activation, ACTIVATIONS)
        require_choice("mixing_dtype", self.mixing_dtype, (None, *MIXING_DTYPES))
        require_choice("kernel_start", self.kernel_start, KERNEL_STARTS)
        for name in ("width", "num_layers", "modes", "out_channels"):
            _require_sizes(name, getattr(self, name))
        if self.projection_width is not None:
            _require_sizes("projection_width", self.projection_width)
        for period in np.atleast_1d(self.period):
            require(period >= 1, "period", self.period, "numbers of at least 1")
        super().__post_init__()

    def _transient_options(self, rank: int) -> dict[str, Any]:
        """Arguments of `SpectralKernel` beyond those of its steady branch."""
        raise NotImplementedError

    @nn.compact
    def __call__(
        self, features: Float[Array, "*batch_and_grid channels"], axes: Axes
    ) -> Float[Array, "*batch_and_grid out"]:
        rank = len(axes)
        grid = tuple(x.size for x in axes)
        allowed = f"(*{grid}, channels), with or without a batch axis in front"
        fits = features.shape[-1 - rank : -1] == grid
        fits = fits and features.ndim in (rank + 1, rank + 2)
        require(fits, "shape of features", features.shape, allowed)
        batched = features.ndim == rank + 2
        axes = [_in_precision(x, features.dtype) for x in axes]
        act = ACTIVATIONS[self.activation]

        # Inside the network the batch stands next to the channels: see `contractions`.
        v = jnp.moveaxis(features if batched else features[None], 0, rank)
        v = self._dense("lift", v, self.width)
        layer = _SpectralOperator._layer
        layer = nn.remat(layer, static_argnums=3) if self.remat else layer
        for index in range(self.num_layers):
            v = layer(self, v, axes, index)
        if self.projection_width is not None:
            v = act(self._dense("projection_hidden", v, self.projection_width))
        u = self._dense("projection", v, self.out_channels)
        u = jnp.moveaxis(u, rank, 0)
        return u if batched else u[0]

    def _layer(
        self, v: Float[Array, "*grid batch width"], axes: Axes, index: int
    ) -> Float[Array, "*grid batch width"]:
        rank = len(axes)
        kernel = SpectralKernel(
            modes=_per_axis("modes", self.modes, rank),
            period=_per_axis("period", self.period, rank),
            mixing_dtype=self.mixing_dtype,
            start=self.kernel_start,
            name=f"kernel_{index}",
            **self._transient_options(rank),
        )
        skip = self._skip(v, index)
        is_last = index == self.num_layers - 1
        linear = is_last and not self.activate_last
        act = ACTIVATIONS["identity" if linear else self.activation]
        out = act(kernel(v, axes) + skip)
        return v + out if self.add_input else out

    def _skip(
        self, v: Float[Array, "*grid batch width"], index: int
    ) -> Float[Array, "*grid batch width"] | float:
        """W v + b."""
        return self._dense(f"skip_{index}", v, self.width)

    def _dense(
        self, name: str, v: Float[Array, "*grid channels"], size: int
    ) -> Float[Array, "*grid {size}"]:
        """One large matrix product for the whole batch, plus the bias."""
        weights_start, bias_start = self._dense_starts(v.shape[-1])
        weights = self.param(f"{name}_weights", weights_start, (v.shape[-1], size))
        bias = self.param(f"{name}_bias", bias_start, (size,))
        out = v.reshape(-1, v.shape[-1]) @ weights
        return (out + bias[None]).reshape(*v.shape[:-1], size)

    def _dense_starts(self, fan_in: int) -> tuple[Start, Start]:
        """Of weights and bias."""
        del fan_in
        return nn.initializers.glorot_normal(), nn.initializers.zeros


class _PoleOperator(_SpectralOperator):
    """A network whose kernels have a transient branch with learned poles."""

    poles: int | Sequence[int] = 14
    pole_sharing: str = "shared"
    transient_analysis: str = "quadrature"
    initial_decay: float = 1.0
    pole_unit: float = 1.0
    free_poles: bool = False

    def __post_init__(self):
        counts = np.atleast_1d(self.poles)
        whole = all(isinstance(count, int | np.integer) for count in counts)
        fits = whole and bool(np.all(counts >= 0) and np.any(counts > 0))
        require(fits, "poles", self.poles, "whole numbers >= 0, on one axis at least 1")
        require_choice("pole_sharing", self.pole_sharing, POLE_SHARING)
        require_choice(
            "transient_analysis", self.transient_analysis, TRANSIENT_ANALYSIS
        )
        require_positive(initial_decay=self.initial_decay, pole_unit=self.pole_unit)
        super().__post_init__()

    def _skip(
        self, v: Float[Array, "*grid batch width"], index: int
    ) -> Float[Array, "*grid batch width"] | float:
        # While it is trained W moves by more than all that a fast wave answers, whose
        # poles would learn from nothing else.
        return 0.0 if self.pole_sharing == "by wave" else super()._skip(v, index)

    def _dense_starts(self, fan_in: int) -> tuple[Start, Start]:
        if not self.free_poles:
            return super()._dense_starts(fan_in)
        published = published_dense_start(fan_in)
        return published, published

    def _transient_options(self, rank: int) -> dict[str, Any]:
        poles = _per_axis("poles", self.poles, rank)
        if self.pole_sharing == "by wave":
            allowed = '0 on all axes but the last, if pole_sharing is "by wave"'
            require(not any(poles[:-1]), "poles", self.poles, allowed)
        return {
            "poles": poles,
            "pole_sharing": self.pole_sharing,
            "transient_analysis": self.transient_analysis,
            "initial_decay": self.initial_decay,
            "pole_unit": self.pole_unit,
            "free_poles": self.free_poles,
        }


@final
class FNO(_SpectralOperator):
    """Fourier neural operator: a multiplier for each mode, and no poles.

    The arguments are those of every spectral operator.
    """

    def _transient_options(self, rank: int) -> dict[str, Any]:
        del rank
        return {}


@final
class ALNO(_PoleOperator):
    """Advanced Laplace neural operator: FNO plus a transient pole-residue branch.

    Args (besides those of FNO):
        poles: poles per axis; 0 keeps the Fourier modes on that axis, which suits a
            periodic one: see `spectral_kernel`. 4 are often enough; the paper has 14.
        pole_sharing: "shared" by all channels of a layer; "pairwise": own poles for
            every pair of channels, as in the reference LNO, at the cost of as many
            times the work; or "by wave": own poles for every wave of the other axes,
            which have 0 poles and come before the one that has. These poles start at
            frequencies above 0, their residues at 0, and a layer has no W v + b: one
            that is linear then is a linear equation, each wave a driven system.
        transient_analysis: "quadrature" of the closed form, or the paper's "dft" sum,
            which depends on the grid.
        initial_decay: rates of decay per axis start between this and ten times it, in
            units of 1 / extent of the axis.
        pole_unit: what poles are parametrised in multiples of, in units of 1 / extent:
            frequencies start pi/2 of it apart, decay rates at initial_decay of it, and
            an optimiser moves poles that much faster. Default 1, which suits answers
            that turn a few times; 16 poles at 4 reach 15 turns.
        free_poles: True lets poles grow as well as decay, and starts them there, at
            random, and all weights and biases too, as LNO was published. Default False:
            stable whatever is learned.
    """


@final
class LNO(_PoleOperator):
    """Laplace neural operator: ALNO whose multiplier is H = K_phi(i w).

    The arguments are those of ALNO.
    """

    def _transient_options(self, rank: int) -> dict[str, Any]:
        return {**super()._transient_options(rank), "tied": True}


class AxisPoles(NamedTuple):
    """mu = -decay + i frequency."""

    decay: jax.Array
    frequency: jax.Array


def poles(
    params: Mapping[str, Any],
    extents: Sequence[float] | None = None,
    unit: float = 1.0,
) -> list[tuple[AxisPoles, ...]]:
    """The learned poles of each layer and axis.

    Args:
        params: parameters of an ALNO or LNO; those of an FNO have no poles.
        extents: physical lengths of the axes, as in `problem.grid.extents`; the poles
            then are in units of 1 / length. None: poles of the scaled axes [0, 1].
        unit: the network's `pole_unit`. Default 1, as the network's.

    Returns:
        For each layer a tuple with one entry per axis; the entry of an axis with
        Fourier modes in place of poles is empty.
    """
    modules = params.get("params", params)
    layers = []
    while (kernel := modules.get(f"kernel_{len(layers)}")) and "residues" in kernel:
        rank = kernel["residues"].ndim - 3
        sizes = [1.0] * rank if extents is None else list(extents)
        require(len(sizes) == rank, "extents", extents, f"one extent per axis ({rank})")
        physical = [poles_of(kernel, axis, unit) / sizes[axis] for axis in range(rank)]
        layers.append(tuple(AxisPoles(-mu.real, mu.imag) for mu in physical))
    return layers


def _per_axis(name: str, value: Any, rank: int) -> tuple[Any, ...]:
    values = tuple(np.atleast_1d(value).tolist())
    allowed = f"one number, or one for each of the {rank} axes"
    require(len(values) in (1, rank), name, value, allowed)
    return values if len(values) == rank else values * rank


def _in_precision(x: Any, dtype: Any) -> Any:
    """NumPy's nodes come in double precision; traced ones are as they were given."""
    return x.astype(dtype) if isinstance(x, np.ndarray) else x


def _require_sizes(name: str, value: Any) -> None:
    sizes = np.atleast_1d(value)
    whole = all(isinstance(size, int | np.integer) for size in sizes)
    require(whole and bool(np.all(sizes > 0)), name, value, "positive whole numbers")
