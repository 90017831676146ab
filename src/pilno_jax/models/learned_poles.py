"""Poles as parameters of a layer: what they are made of, and where they start.

A pole is made of two real numbers: its rate of decay, through a softplus, so that it is
stable whatever is learned, and its frequency. Free poles have their real part instead.
"""

import math
from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Complex


def names(axis: int, free: bool = False) -> tuple[str, str]:
    """Of the parameters that the poles of an axis are made of."""
    return f"{'growth' if free else 'decay'}_{axis}", f"frequency_{axis}"


def published_start(pairs: int):
    """Of poles and residues: both parts positive, and the smaller, the more pairs."""
    return lambda key, shape: jax.random.uniform(key, shape) / pairs


def published_dense_start(fan_in: int):
    """Of weights and biases beside them: uniform, torch's default."""
    bound = 1 / math.sqrt(fan_in)
    return lambda key, shape: bound * jax.random.uniform(key, shape, minval=-1)


def poles_of(
    params: Mapping[str, Any], axis: int, unit: float = 1.0
) -> Complex[Array, "*pairs poles"]:
    """unit times -softplus(decay) + i frequency, stable whatever the parameters; or,
    of poles that are free, growth + i frequency."""
    stable, frequency = names(axis)
    free, _ = names(axis, free=True)
    if free in params:
        real = params[free]
    elif stable in params:
        real = -jax.nn.softplus(params[stable])
    else:
        return jnp.zeros(0, jnp.complex64)
    turning = params[frequency]
    if unit != 1:
        real, turning = unit * real, unit * turning
    return jax.lax.complex(real, turning)


def initial_poles(
    count: int, slowest: float, first: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Decay rates over a decade from the slowest on, and frequencies pi/2 apart.

    Every other frequency lies between those of the Fourier series with period 1. The
    golden ratio spreads the rates evenly over any run of neighbouring frequencies.
    Equal in all layers and channels: the random residues tell them apart.

    Args:
        count: how many.
        slowest: rate of decay.
        first: frequency that they begin with, in units of pi/2.
    """
    index = np.arange(count)
    golden = (math.sqrt(5) - 1) / 2
    return slowest * 10 ** ((index * golden) % 1), math.pi / 2 * (first + index)


def transient_gain(decay: np.ndarray, frequency: np.ndarray) -> float:
    """1 / rms over the axis of the response to v = 1 with unit random residues.

    Pole n responds with e^{mu_n x} / mu_n. Keeps the branch at O(1) for any number of
    poles.
    """
    energy = -np.expm1(-2 * decay) / (2 * decay) / (decay**2 + frequency**2)
    return float(1 / np.sqrt(energy.sum()))
