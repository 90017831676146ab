"""The kernel integral operator of a layer (Eq. alno_split),

    K v = F^-1[ H(w) F v ]  +  sum_n (sum_l beta_n alpha_l / (mu_n - i w_l)) e^{mu_n x},

a steady branch with multiplier H and a transient one with poles mu_n and residues
beta_n; H and beta_n are complex (in, out) matrices. On several axes frequencies and
poles form tensor products: e^{mu_n x} becomes e^{mu_n x} e^{nu_m y}, and so on. An axis
with 0 poles keeps its frequencies in the transient branch too, e^{i w_k x} e^{nu_m y}:
on a periodic axis there is no start to respond to, and the layer commutes with shifts.
Each wave e^{i w_k x} may then have poles of its own, e^{i w_k x} e^{nu_km y}, as those
of a linear equation do.
The real part is taken at the end, so that poles need not come in conjugate pairs.
"""

import logging
import math
from collections.abc import Sequence
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
from flax import linen as nn
from jaxtyping import Array, Complex, Float

from pilno_jax.models import bases, contractions, learned_poles
from pilno_jax.numerics.complex_numbers import as_complex

POLE_SHARING = ("shared", "pairwise", "by wave")
TRANSIENT_ANALYSIS = ("quadrature", "dft")
KERNEL_STARTS = ("by mode", "by tensor")

Axes = Sequence[Float[np.ndarray | Array, " _"]]
Field = Float[Array, "*grid batch channels"]
# Real and imaginary part of a complex (in, out) matrix for each mode.
Mixing = Float[Array, "*modes in 2 out"]
Bases = Sequence[Complex[Array, "..."]]
# The poles of each axis: of all channels, of each pair, or of each wave of the axes
# before it (*waves, 1, 1, _); None: the axis has frequencies.
Poles = Sequence[Complex[Array, "*own _"] | None]


class SpectralKernel(nn.Module):
    """K on fields (*grid, batch, channels); sizes are tuples with one entry per axis.

    Args:
        modes: frequencies k = 0, ..., modes - 1 and their negatives.
        period: of the Fourier series, in units of the scaled axis.
        poles: None leaves the transient branch out; 0 keeps an axis' frequencies.
        pole_sharing: "shared" by all channels, "pairwise", or "by wave".
        transient_analysis: "quadrature" of the closed form, or the paper's "dft" sum.
        initial_decay: rates of decay start between this and ten times it.
        pole_unit: what poles are parametrised, and start, in multiples of.
        free_poles: poles may grow, and do at the start, as LNO was published.
        tied: H = K_phi(i w), computed from poles and residues.
        mixing_dtype: of the channel mixing's operands; None keeps the field's.
        start: what Glorot's rule counts, see `_glorot`.
    """

    modes: tuple[int, ...]
    period: tuple[float, ...]
    poles: tuple[int, ...] | None = None
    pole_sharing: str = "shared"
    transient_analysis: str = "quadrature"
    initial_decay: float = 1.0
    pole_unit: float = 1.0
    free_poles: bool = False
    tied: bool = False
    mixing_dtype: str | None = None
    start: str = "by mode"

    @nn.compact
    def __call__(self, v: Field, axes: Axes) -> Field:
        channels = v.shape[-1]
        # Frequencies up to half the number of nodes are below Nyquist on either kind
        # of axis: a closed one has one interval less than nodes.
        limits = [
            math.ceil((x.size - 1) * period / 2)
            for x, period in zip(axes, self.period, strict=True)
        ]
        modes = _clipped("modes", self.modes, limits)
        omegas = [
            bases.frequencies(count, period, signed=axis > 0)
            for axis, (count, period) in enumerate(zip(modes, self.period, strict=True))
        ]
        if self.poles is None:
            multiplier = self._multiplier(modes, channels)
            return self._steady(v, axes, omegas, multiplier)

        mus, residues = self._system(axes, modes, channels, self.poles)
        if self.tied:
            multiplier = tied_multiplier(residues, mus, omegas)
        else:
            multiplier = self._multiplier(modes, channels)
        steady = self._steady(v, axes, omegas, multiplier)
        return steady + self._transient(v, axes, modes, mus, residues)

    def _steady(
        self,
        v: Field,
        axes: Axes,
        omegas: Sequence[np.ndarray],
        multiplier: Mixing,
    ) -> Field:
        analysis = list(map(bases.fourier_analysis, axes, omegas, self.period))
        synthesis = list(map(bases.fourier_synthesis, axes, omegas))
        weights = jnp.asarray(bases.hermitian_weights(omegas[0])[None])
        synthesis[0] *= as_complex(weights)
        return self._separable(v, analysis, multiplier, synthesis)

    def _transient(
        self,
        v: Field,
        axes: Axes,
        modes: Sequence[int],
        mus: Poles,
        residues: Mixing,
    ) -> Field:
        analysis, synthesis = [], []
        for x, mu, count, period in zip(axes, mus, modes, self.period, strict=True):
            if mu is None:
                omega = bases.frequencies(count, period, signed=True)
                analysis.append(bases.fourier_analysis(x, omega, period))
                synthesis.append(bases.fourier_synthesis(x, omega))
                continue
            if self.pole_sharing == "by wave":
                mu = mu[..., 0, 0, :]
            if self.transient_analysis == "dft":
                if self.pole_sharing == "pairwise":
                    # The transform first: every pair of channels has own fractions.
                    v = jnp.fft.fft(v, axis=len(analysis)) / x.size
                    analysis.append(bases.dft_fractions(x, mu))
                else:
                    analysis.append(bases.pole_analysis_dft(x, mu))
            else:
                analysis.append(bases.pole_analysis(x, mu, period))
            synthesis.append(bases.pole_synthesis(x, mu))
        if self.pole_sharing == "pairwise":
            return _pairwise(v, analysis, residues, synthesis)
        return self._separable(v, analysis, residues, synthesis)

    def _separable(
        self, v: Field, analysis: Bases, weights: Mixing, synthesis: Bases
    ) -> Field:
        coefficients = contractions.analyse(v, analysis)
        coefficients = contractions.mix(coefficients, weights, self.mixing_dtype)
        return contractions.synthesise(coefficients, synthesis)

    def _multiplier(self, modes: Sequence[int], channels: int) -> Mixing:
        """H at the frequencies that the grid resolves."""
        counts = [2 * k - 1 if axis else k for axis, k in enumerate(self.modes)]
        shape = (*counts, channels, 2, channels)
        weights = self.param("multiplier", self._glorot(1.0), shape)
        signed = map(_low_frequencies, modes[1:], self.modes[1:])
        return weights[(slice(modes[0]), *signed)]

    def _system(
        self,
        axes: Axes,
        modes: Sequence[int],
        channels: int,
        poles: tuple[int, ...],
    ) -> tuple[Poles, Mixing]:
        """Poles mu of each axis and residues beta.

        An axis without poles has mu = None, and beta all its signed frequencies.
        """
        by_wave = self.pole_sharing == "by wave"
        pairs = (channels, channels) if self.pole_sharing == "pairwise" else ()
        # More exponentials than nodes are linearly dependent on every grid.
        resolved = _clipped("poles", poles, [x.size for x in axes])
        published = learned_poles.published_start(channels**2)
        mus, counts, used, gain = [], [], [], 1.0
        for axis, count in enumerate(poles):
            if count == 0:
                mus.append(None)
                counts.append(2 * self.modes[axis] - 1)
                used.append(_low_frequencies(modes[axis], self.modes[axis]))
                continue
            decay, frequency = learned_poles.initial_poles(
                count, self.initial_decay, first=int(by_wave)
            )
            if self.free_poles:
                starts = dict.fromkeys(learned_poles.names(axis, free=True), published)
            else:
                raw = decay + np.log(-np.expm1(-decay))  # softplus(raw) = decay
                each = map(nn.initializers.constant, (raw, frequency))
                starts = dict(zip(learned_poles.names(axis), each, strict=True))
                unit = self.pole_unit
                gain *= learned_poles.transient_gain(unit * decay, unit * frequency)
            params = {
                name: self.param(name, start, (*(counts if by_wave else pairs), count))
                for name, start in starts.items()
            }
            mu = learned_poles.poles_of(params, axis, self.pole_unit)
            mu = mu[..., : resolved[axis]]
            mus.append(mu[*used][..., None, None, :] if by_wave else mu)
            counts.append(count)
            used.append(slice(resolved[axis]))
        shape = (*counts, channels, 2, channels)
        if by_wave:
            # A pole goes to where its wave rings if its residue has the right phase.
            # One that grows from zero has it; a random one may drive the pole away.
            start = nn.initializers.zeros
        else:
            start = published if self.free_poles else self._glorot(gain)
        residues = self.param("residues", start, shape)
        if self.free_poles:
            residues = self.pole_unit * residues  # as if time was measured in it
        return mus, residues[tuple(used)]

    def _glorot(self, gain: float):
        """Of complex matrices for every mode: each a layer by itself, with this gain;
        or, as torch counts, all of them one tensor whose modes multiply its fans."""
        return _complex_glorot(gain) if self.start == "by mode" else _complex_glorot()


def _low_frequencies(lowest: int, modes: int) -> slice:
    """Where the `lowest` of `modes` signed, ordered frequencies are: in the middle."""
    return slice(modes - lowest, modes + lowest - 1)


def tied_multiplier(
    residues: Float[Array, "*poles in 2 out"],
    mus: Poles,
    omegas: Sequence[Float[np.ndarray, " _"]],
) -> Float[Array, "*modes in 2 out"]:
    """H(w) = sum_n beta_n / (i w - mu_n), of the real kernel (Eq. K_phi).

    Only non-negative frequencies are kept on the first axis, and the real part of the
    response is that of the poles and their conjugates, each with half the residue; the
    conjugate of a frequency is its negative.
    """

    def response(h: jax.Array, conjugate: bool) -> jax.Array:
        def kept(of_waves: jax.Array) -> jax.Array:
            for axis in (axis for axis, mu in enumerate(mus) if mu is None):
                of_waves = jnp.flip(of_waves, axis) if conjugate else of_waves
                first = of_waves.shape[axis] - len(omegas[axis])
                of_waves = jax.lax.slice_in_dim(of_waves, first, None, axis=axis)
            return of_waves

        h = kept(h)
        for axis, (mu, omega) in enumerate(zip(mus, omegas, strict=True)):
            if mu is None:
                continue
            mu = kept(mu) if mu.ndim > 3 else mu  # every wave has poles of its own
            fractions = bases.transfer(omega, mu.conj() if conjugate else mu)
            h = jnp.einsum("...kp,...p->...k", fractions, jnp.moveaxis(h, axis, -1))
            h = jnp.moveaxis(h, -1, axis)
        return h

    beta = jax.lax.complex(residues[..., 0, :], residues[..., 1, :])
    h = (response(beta, False) + response(beta.conj(), True)) / 2
    return jnp.stack([h.real, h.imag], -2)


def _pairwise(
    v: Field | Complex[Array, "*grid batch channels"],
    analysis: Bases,
    residues: Mixing,
    synthesis: Bases,
) -> Field:
    """The transient branch with own poles for every pair (in, out) of channels.

    Bases are (in, out, p, N) and (in, out, N, p). Contracted one axis at a time; the
    pair of channels multiplies the work of the shared case by their number. v may
    already be transformed, and complex.
    """
    # Letters of einsum for the axes; `have` and `want` are those of v before and after.
    grid, modes = "uvwxyz"[: len(analysis)], "pqrstk"[: len(analysis)]
    pairs = residues.shape[-3], residues.shape[-1]
    analysis, synthesis = (
        [jnp.broadcast_to(basis, (*pairs, *basis.shape[-2:])) for basis in side]
        for side in (analysis, synthesis)
    )
    v = v if jnp.iscomplexobj(v) else as_complex(v)
    have = f"{grid}bi"
    for axis, basis in enumerate(analysis):
        want = f"io{modes[: axis + 1]}{grid[axis + 1 :]}b"
        step = f"{have},io{modes[axis]}{grid[axis]}->{want}"
        v, have = jnp.einsum(step, v, basis), want
    beta = jax.lax.complex(residues[..., 0, :], residues[..., 1, :])
    v = jnp.einsum(f"{have},{modes}io->{have}", v, beta)
    for axis, basis in reversed(list(enumerate(synthesis))):
        want = f"io{modes[:axis]}{grid[axis:]}b" if axis else f"{grid}bo"
        step = f"{have},io{grid[axis]}{modes[axis]}->{want}"
        v, have = jnp.einsum(step, v, basis), want
    return v.real


def _complex_glorot(gain: float | None = None):
    """Glorot-normal complex matrices (in, 2, out): the parts share the variance.

    Args:
        gain: of each matrix; None counts all modes in its fans.
    """

    def init(key: jax.Array, shape: Sequence[int]) -> jax.Array:
        *modes, fan_in, _, fan_out = shape
        # The barrier keeps XLA from merging both factors: compiled or not, the same
        # key gives the same bits.
        normal = jax.lax.optimization_barrier(jax.random.normal(key, shape))
        own = 1 / math.sqrt(math.prod(modes)) if gain is None else gain
        return own / math.sqrt(fan_in + fan_out) * normal

    return init


def _clipped(name: str, wanted: Sequence[int], limits: Sequence[int]) -> list[int]:
    counts = [min(pair) for pair in zip(wanted, limits, strict=True)]
    if counts != list(wanted):
        _log_once(f"{name} = {tuple(wanted)} clipped to the grid's {tuple(counts)}")
    return counts


@cache
def _log_once(message: str) -> None:
    logging.getLogger(__name__).warning(message)
