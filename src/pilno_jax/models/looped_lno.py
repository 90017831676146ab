"""A Laplace layer in a closed loop: what it answers is part of what drives it.

    v = K [ A f + N(v) ],    u = C v,    K = sum_n beta_n / (s - mu_n),

with learned poles mu_n and residues beta_n along time and a pointwise network N. A
driven oscillator is such a loop: x'' + c x' + x = f - x^3 is the linear part's answer
to f and to the spring's own force. The forcing adds to that force and does not change
it: N cannot read off how strong f is, which holds for one shape of forcing and not for
the next. It is also what a deep LNO whose layers share their
weights becomes with ever more layers. Because K is causal, v is found by marching: with
one state per pole,

    z_n' = mu_n z_n + B_n (A f + N(v)),    v = Re sum_n beta_n z_n,

and the exponential Runge-Kutta method of second order (Cox and Matthews' ETD2RK), which
is exact for the linear part on any grid. The law is the same at all times: there is no
table of answers to be learnt by heart, only the force.
"""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import linen as nn
from jaxtyping import Array, Complex, Float

from pilno_jax.checks import require, require_positive
from pilno_jax.models.learned_poles import initial_poles

Axes = Sequence[Float[np.ndarray | Array, " _"]]


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
        self, features: Float[Array, "*batch time channels"], axes: Axes
    ) -> Float[Array, "*batch time out"]:
        require(len(axes) == 1, "axes", len(axes), "1: time alone")
        force = self._force(features.shape[-1])
        times = jnp.asarray(axes[0], features.dtype)
        move, push, bend, answer = self._layer(times[1] - times[0])
        start = jnp.zeros((*features.shape[:-2], 2 * self.poles), features.dtype)
        if self.learned_start:
            begin = self.param("start", nn.initializers.normal(0.1), (2 * self.poles,))
            start = jnp.broadcast_to(begin, start.shape)

        def step(z: jax.Array, f: tuple[jax.Array, jax.Array]) -> tuple[Any, Any]:
            now, later = f
            pushed = force(now, z @ answer)
            guess = z @ move + pushed @ push
            z = guess + (force(later, guess @ answer) - pushed) @ bend
            return z, z

        f = jnp.moveaxis(features, -2, 0)
        _, later = jax.lax.scan(step, start, (f[:-1], f[1:]))
        z = jnp.moveaxis(jnp.concatenate([start[None], later]), 0, -2)
        readout = self._weights("readout", (self.width, self.out_channels))
        return z @ answer @ readout

    def _layer(self, scaled_step: Float[Array, ""]) -> tuple[jax.Array, ...]:
        """The matrices of a step: of the state, of a source that is constant over it,
        of one that grows to 1 at its end, and from the state to v. States are real and
        imaginary parts, those of all poles next to each other.
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
        move = _as_real(jnp.diag(jnp.exp(mu)))
        side_by_side = lambda g: jnp.concatenate([g.real, g.imag], -1)  # noqa: E731
        push = side_by_side(gain * one[None])
        bend = side_by_side(gain * ((one - 1) / mu)[None])
        return move, push, bend, answer

    def _force(self, channels: int) -> Callable[[jax.Array, jax.Array], jax.Array]:
        """A f + N(v), which is 0 where both are: without a forcing, rest is rest.

        N starts at 0. A loop that is not known yet may well be unstable.
        """
        zeros = nn.initializers.zeros
        driven = self._weights("driven", (channels, self.width))
        linear = self.param("linear", zeros, (self.width, self.width))
        inward = self._weights("inward", (self.width, self.hidden))
        bias = self.param("bias", nn.initializers.normal(0.5), (self.hidden,))
        outward = self.param("outward", zeros, (self.hidden, self.width))

        def force(f: jax.Array, v: jax.Array) -> jax.Array:
            bent = jnp.tanh(
                v @ inward + jnp.broadcast_to(bias, v.shape[:-1] + bias.shape)
            )
            bent = bent - jnp.broadcast_to(jnp.tanh(bias), bent.shape)
            return f @ driven + v @ linear + bent @ outward

        return force

    def _weights(self, name: str, shape: tuple[int, ...]) -> jax.Array:
        return self.param(name, nn.initializers.glorot_normal(), shape)


def phi_1(mu: Complex[Array, " p"]) -> Complex[Array, " p"]:
    """(e^mu - 1) / mu, the mean of e^{mu s} over 0 <= s <= 1; mu is never 0."""
    return jnp.expm1(mu) / mu


def _as_real(matrix: Complex[Array, "p q"]) -> Float[Array, "2*p 2*q"]:
    """What multiplies rows of real parts, then imaginary ones, from the right."""
    re, im = matrix.real, matrix.imag
    return jnp.block([[re, im], [-im, re]])
