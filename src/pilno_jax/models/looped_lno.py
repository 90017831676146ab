"""A Laplace layer in a closed loop: what it answers is part of what drives it.

    v = K [ A f + N(v) ],    u = C v,    K = sum_n beta_n / (s - mu_n),

with learned poles mu_n and residues beta_n along time and a pointwise network N. A
driven oscillator is such a loop: x'' + c x' + x = f - x^3 is the linear part's answer
to f and to the spring's own force. The forcing adds to that force and does not change
it: N cannot read off how strong f is, which holds for one shape of forcing and not for
the next. It is also what a deep LNO whose layers share their weights becomes with ever
more layers. Because K is causal, v is found by marching: with one state per pole,

    z_n' = mu_n z_n + B_n (A f + N(v)),    v = Re sum_n beta_n z_n,

and the exponential Runge-Kutta method of second order (Cox and Matthews' ETD2RK), which
is exact for the linear part on any grid. The law is the same at all times: there is no
table of answers to be learnt by heart, only the force.

A loop that is not known yet runs away from its labels, and late times then tell nothing
of it. While it is trained a guide can pull it back: before each step

    z <- z + pull C^+ (label - u),

C^+ the smallest change of the states that changes u by 1. With pull 1 every step starts
from the label, and u is what one step makes of it; with pull 0 the loop runs freely.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import linen as nn
from jaxtyping import Array, Complex, Float

from pilno_jax.checks import require, require_positive
from pilno_jax.models.learned_poles import initial_poles
from pilno_jax.numerics.marching import Guide, march

Axes = Sequence[Float[np.ndarray | Array, " _"]]
Weights = Mapping[str, jax.Array]


class LoopedLNO(nn.Module):
    """Fields on time alone.

    Args:
        poles: states of the layer, each with a pole. 6 serve systems of a few modes.
        width: channels v that the layer answers with and N sees. 3 hold the state of an
            oscillator or of Lorenz' system.
        hidden: width of the hidden layer of N, which has tanh in it. 16.
        initial_decay: rates of decay start between this and ten times it, in units of
            `pole_unit`.
        pole_unit: see `ALNO`; a system that turns k times on the axis wants about k.
        learned_start: whether the state at the first time is learned too, for systems
            that do not begin at rest. Default False: z = 0.
        out_channels: fields that the network returns.
    """

    poles: int = 6
    width: int = 3
    hidden: int = 16
    initial_decay: float = 0.1
    pole_unit: float = 8.0
    learned_start: bool = False
    out_channels: int = 1

    def __post_init__(self):
        sizes = "poles width hidden initial_decay pole_unit out_channels"
        require_positive(**{name: getattr(self, name) for name in sizes.split()})
        super().__post_init__()

    @nn.compact
    def __call__(
        self,
        features: Float[Array, "*batch time channels"],
        axes: Axes,
        guide: Guide | None = None,
    ) -> Float[Array, "*batch time out"]:
        require(len(axes) == 1, "axes", len(axes), "1: time alone")
        times = jnp.asarray(axes[0], features.dtype)
        weights = self._layer(times[1] - times[0]) | self._force(features.shape[-1])
        readout = self._weights("readout", (self.width, self.out_channels))
        weights["u_of_state"] = weights["answer"] @ readout
        start = jnp.zeros(2 * self.poles, features.dtype)
        if self.learned_start:
            start = self.param("start", nn.initializers.normal(0.1), start.shape)
        towards = None
        if guide is not None:
            towards = guide.towards
            weights["pull"] = guide.pull * _left_inverse(weights["u_of_state"])

        def answered(f: jax.Array, towards: jax.Array | None) -> jax.Array:
            aim = None if towards is None else towards[:-1]
            return march(_step, _read, weights, start, (f[:-1], f[1:], aim))

        of_batch = answered
        for _ in features.shape[:-2]:
            of_batch = jax.vmap(of_batch)
        return of_batch(features, towards)

    def _layer(self, scaled_step: Float[Array, ""]) -> dict[str, jax.Array]:
        """What a step does to the state, to a source that is constant over it, to one
        that grows to 1 at its end, and how v follows from the state. States are real
        and then imaginary parts.
        """
        decay, frequency = initial_poles(self.poles, self.initial_decay)
        raw = decay + np.log(-np.expm1(-decay))  # softplus(raw) = decay
        shape = (self.poles,)
        decays = self.param("decay_0", nn.initializers.constant(raw), shape)
        turns = self.param("frequency_0", nn.initializers.constant(frequency), shape)
        entry = self._weights("entry", (self.width, 2, self.poles))
        answer = self._weights("residues", (2 * self.poles, self.width))
        h = self.pole_unit * scaled_step
        mu = jax.lax.complex(-h * jax.nn.softplus(decays), h * turns)
        gain = jax.lax.complex(h * entry[:, 0], h * entry[:, 1])
        one = phi_1(mu)
        return {
            "turn": _parts(jnp.exp(mu)),
            "push": _parts(gain * one[None]),
            "bend": _parts(gain * ((one - 1) / mu)[None]),
            "answer": answer,
        }

    def _force(self, channels: int) -> dict[str, jax.Array]:
        """Of A f + N(v). N starts at 0: an unknown loop may well be unstable."""
        zeros = nn.initializers.zeros
        return {
            "driven": self._weights("driven", (channels, self.width)),
            "linear": self.param("linear", zeros, (self.width, self.width)),
            "inward": self._weights("inward", (self.width, self.hidden)),
            "bias": self.param("bias", nn.initializers.normal(0.5), (self.hidden,)),
            "outward": self.param("outward", zeros, (self.hidden, self.width)),
        }

    def _weights(self, name: str, shape: tuple[int, ...]) -> jax.Array:
        return self.param(name, nn.initializers.glorot_normal(), shape)


def poles_at_rest(
    network: LoopedLNO, params: Mapping[str, Any], extent: float
) -> Complex[np.ndarray, " states"]:
    """Of the closed loop for small answers, where its force is linear: eigenvalues of

        z' = diag(mu) z + B (L + N'(0)) v,    v = Re sum_n beta_n z_n.

    A system of fewer states than the loop has is found among them.

    Args:
        network: the loop.
        params: its parameters.
        extent: length of the time axis; poles are in units of its inverse.
    """
    own = {k: np.asarray(value, float) for k, value in params["params"].items()}
    decay = np.logaddexp(own["decay_0"], 0)
    real, turning = np.diag(-decay), np.diag(own["frequency_0"])
    open_loop = np.block([[real, turning], [-turning, real]])
    slope = own["inward"] * (1 - np.tanh(own["bias"]) ** 2) @ own["outward"]
    entry = own["entry"].reshape(network.width, -1)
    closed = open_loop + own["residues"] @ (own["linear"] + slope) @ entry
    return network.pole_unit / extent * np.linalg.eigvals(closed).astype(complex)


def _step(
    weights: Weights,
    z: Float[Array, " states"],
    drive: tuple[jax.Array, jax.Array, jax.Array | None],
) -> Float[Array, " states"]:
    """From one time to the next, after the guide's pull if there is one."""
    now, later, towards = drive
    if towards is not None:
        z = z + (towards - z @ weights["u_of_state"]) @ weights["pull"]
    pushed = _forced(weights, now, z)
    guess = _turned(z, weights["turn"]) + pushed @ weights["push"]
    return guess + (_forced(weights, later, guess) - pushed) @ weights["bend"]


def _read(weights: Weights, z: Float[Array, " states"]) -> Float[Array, " out"]:
    return z @ weights["u_of_state"]


def _forced(
    weights: Weights, f: Float[Array, " channels"], z: Float[Array, " states"]
) -> Float[Array, " width"]:
    """A f + N(v), which is 0 where both are: without a forcing, rest is rest."""
    v, bias = z @ weights["answer"], weights["bias"]
    bent = jnp.tanh(v @ weights["inward"] + bias) - jnp.tanh(bias)
    return f @ weights["driven"] + v @ weights["linear"] + bent @ weights["outward"]


def _turned(
    z: Float[Array, " states"], turn: Float[Array, " states"]
) -> Float[Array, " states"]:
    """The product of complex numbers, given by their parts."""
    (re, im), (cos, sin) = jnp.split(z, 2), jnp.split(turn, 2)
    return jnp.concatenate([re * cos - im * sin, re * sin + im * cos])


def _parts(values: Complex[Array, "*shape p"]) -> Float[Array, "*shape 2*p"]:
    return jnp.concatenate([values.real, values.imag], -1)


def _left_inverse(matrix: Float[Array, "n m"]) -> Float[Array, "m n"]:
    """The smallest one, so that x @ inverse @ matrix = x."""
    return jnp.linalg.solve(matrix.T @ matrix, matrix.T)


def phi_1(mu: Complex[Array, " p"]) -> Complex[Array, " p"]:
    """(e^mu - 1) / mu, the mean of e^{mu s} over 0 <= s <= 1; mu is never 0."""
    return jnp.expm1(mu) / mu
