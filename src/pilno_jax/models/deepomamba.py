"""DeepOMamba: a state-space model over time, the rival on the forced KdV equation.

Each time step sees all channels of all points in space as one token:

    (x, t, channels) -> (t, x * channels) -> Linear -> LayerNorm
                     -> Mamba(.) + residual -> LayerNorm -> Linear -> (x, t)

so, unlike the neural operators, it belongs to one number of points in space. Mamba-1
is the selective state space of Gu and Dao (2023): a causal convolution, then the scan

    h_t = exp(dt_t A) h_{t-1} + dt_t B_t v_t,    y_t = C_t . h_t + D v_t,

whose dt, B and C are functions of the input, and a gate.
"""

import math
from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np
from flax import linen as nn
from jaxtyping import Array, Float

from pilno_jax.checks import require, require_positive

# The step sizes dt start log-uniform between these, as in the reference Mamba.
STEP_RANGE = (1e-3, 1e-1)


def selective_scan(
    v: Float[Array, "*batch time inner"],
    dt: Float[Array, "*batch time inner"],
    a: Float[Array, "inner state"],
    b: Float[Array, "*batch time state"],
    c: Float[Array, "*batch time state"],
) -> Float[Array, "*batch time inner"]:
    """y_t = C_t . h_t with h_t = exp(dt_t A) h_{t-1} + dt_t B_t v_t, h_0 = 0.

    The states h are `state` times as large as any other array, so they alone are kept
    for the gradient, and the decay is computed again. An associative scan, of
    logarithmic depth, goes over all of them many times, which costs more than it saves
    at 100 steps.

    Outer and inner products are contractions, whose gradients are contractions too, and
    every sample has its own copy of A, whose gradients are summed over the batch once,
    after the last step: sums inside the loop cost a CPU more than all the rest of it.
    """
    a = a.T  # the long axis last, where vector units want it
    start = jnp.zeros((*v.shape[:-2], *a.shape), v.dtype)
    rates = jnp.broadcast_to(a, start.shape)

    @jax.checkpoint
    def step(h, at_t):
        v, dt, b, c = at_t
        for_states = jnp.einsum("...d,...s->...sd", dt, jnp.ones_like(b))
        decay = jnp.exp(for_states * rates)
        h = decay * h + jnp.einsum("...d,...s->...sd", dt * v, b)
        return h, jnp.einsum("...sd,...s->...d", h, c)

    by_time = [jnp.moveaxis(x, -2, 0) for x in (v, dt, b, c)]
    _, y = jax.lax.scan(step, start, by_time)
    return jnp.moveaxis(y, 0, -2)


class CausalConvolution(nn.Module):
    """Convolves each channel with the present and past `size` - 1 time steps.

    A sum of shifted products: CPUs are slow at the gradients of a convolution that has
    as many groups as channels, and of contractions that keep the channels.
    """

    size: int

    @nn.compact
    def __call__(
        self, v: Float[Array, "*batch time channels"]
    ) -> Float[Array, "*batch time channels"]:
        steps, channels = v.shape[-2:]
        init = nn.initializers.lecun_normal()
        kernel = self.param("kernel", init, (self.size, 1, channels))
        bias = self.param("bias", nn.initializers.zeros, (channels,))
        before = [(0, 0)] * (v.ndim - 2) + [(self.size - 1, 0), (0, 0)]
        past = jnp.pad(v, before)
        taps = [
            past[..., tap : tap + steps, :] * _as_channels(kernel[tap, 0], v)
            for tap in range(self.size)
        ]
        return sum(taps) + _as_channels(bias, v)


class Mamba(nn.Module):
    """Mamba-1 block on (..., time, width)."""

    state_size: int = 16
    conv_size: int = 4
    expansion: int = 2

    @nn.compact
    def __call__(
        self, x: Float[Array, "*batch time width"]
    ) -> Float[Array, "*batch time width"]:
        width = x.shape[-1]
        inner = self.expansion * width
        rank = math.ceil(width / 16)
        v, gate = jnp.split(nn.Dense(2 * inner, use_bias=False, name="in")(x), 2, -1)
        v = nn.silu(CausalConvolution(self.conv_size, name="conv")(v))
        selection = nn.Dense(
            rank + 2 * self.state_size, use_bias=False, name="selection"
        )(v)
        dt, b, c = jnp.split(selection, [rank, rank + self.state_size], -1)
        dt = nn.Dense(
            inner,
            kernel_init=_symmetric_uniform,
            bias_init=_initial_step,
            name="step",
        )(dt)
        a = -jnp.exp(self.param("a_log", _initial_log_rates, (inner, self.state_size)))
        y = selective_scan(v, nn.softplus(dt), a, b, c)
        d = self.param("d", nn.initializers.ones, (inner,))
        y = (y + v * _as_channels(d, v)) * nn.silu(gate)
        return nn.Dense(width, use_bias=False, name="out")(y)


class DeepOMamba(nn.Module):
    """Fields on (space, time), or on time alone; the last of `axes` is the time.

    With its defaults it has the paper's 643,940 parameters at 100 points and 7 channels
    of features. None of its sizes means what `width` or `num_layers` mean for a neural
    operator, so they have other names; a config that switches to this model from
    another starts from the defaults below.

    Args:
        token_width: size of a token inside the network.
        num_blocks: Mamba blocks, each with a residual connection.
        state_size: states of the state-space model for every inner channel.
        conv_size: time steps that the causal convolution sees.
        expansion: inner channels of a block, in multiples of token_width.
        out_channels: fields that the network returns.
    """

    token_width: int = 256
    num_blocks: int = 1
    state_size: int = 16
    conv_size: int = 4
    expansion: int = 2
    out_channels: int = 1

    def __post_init__(self):
        names = "token_width num_blocks state_size conv_size expansion out_channels"
        require_positive(**{name: getattr(self, name) for name in names.split()})
        super().__post_init__()

    @nn.compact
    def __call__(
        self,
        features: Float[Array, "*batch_and_grid channels"],
        axes: Sequence[Float[np.ndarray | Array, " _"]],
    ) -> Float[Array, "*batch_and_grid out"]:
        allowed = "two of them, space and time, or time alone"
        require(len(axes) in (1, 2), "axes", len(axes), allowed)
        shape = (*features.shape[:-1], self.out_channels)
        space = axes[0].size if len(axes) == 2 else 1
        if len(axes) == 1:
            features = features[..., None, :, :]
        # One token per time step: (..., space, time, channels) -> (..., time, -1).
        x = jnp.swapaxes(features, -3, -2)
        x = x.reshape(*x.shape[:-2], -1)
        x = nn.Dense(self.token_width, name="in")(x)
        x = nn.LayerNorm(epsilon=1e-5, name="norm_in")(x)
        for index in range(self.num_blocks):
            block = Mamba(
                self.state_size, self.conv_size, self.expansion, name=f"mamba_{index}"
            )
            x = x + block(x)
        x = nn.LayerNorm(epsilon=1e-5, name="norm_out")(x)
        u = nn.Dense(space * self.out_channels, name="out")(x)
        u = u.reshape(*u.shape[:-1], space, self.out_channels)
        return jnp.swapaxes(u, -3, -2).reshape(shape)


def _as_channels(
    numbers: Float[Array, " channels"], field: Float[Array, "*batch time channels"]
) -> Float[Array, "*ones channels"]:
    """A number for each channel, to be multiplied with or added to a field."""
    return numbers.reshape(*[1] * (field.ndim - 1), -1)


def _initial_log_rates(key: jax.Array, shape: tuple[int, int]) -> jax.Array:
    """A = -(1, ..., states) in every channel."""
    del key
    return jnp.broadcast_to(jnp.log(jnp.arange(1.0, shape[1] + 1)), shape)


def _symmetric_uniform(
    key: jax.Array, shape: Sequence[int], dtype=jnp.float32
) -> jax.Array:
    bound = shape[0] ** -0.5
    return jax.random.uniform(key, shape, dtype, -bound, bound)


def _initial_step(key: jax.Array, shape: Sequence[int], dtype=jnp.float32) -> jax.Array:
    low, high = map(math.log, STEP_RANGE)
    step = jnp.exp(jax.random.uniform(key, shape, dtype, low, high))
    # softplus^-1, since dt = softplus(bias + ...)
    return step + jnp.log(-jnp.expm1(-step))
