"""Damped waves under a random forcing, f(x, t) -> u(x, t) from rest, periodic in x:

    beam:       u_tt + c u_t + D u_xxxx = f,
    telegraph:  u_tt + c u_t - a^2 u_xx = f,      x in [0, 1),  t in [0, T].

Linear, with poles that are known: wave k of the beam has -c/2 +- i sqrt(w^2 - c^2/4)
with w = sqrt(D) (2 pi k)^2, of the telegraph line w = 2 pi a k. A beam's waves run the
faster the shorter they are, a line's all alike. The time axis does not close: what
rings at T began at rest. This is what the Laplace transform is made for.

The reference is exact: each wave of f convolved with its own impulse response.
"""

import dataclasses
import math

import jax
import jax.numpy as jnp
import numpy as np

from pilno_jax.checks import require, require_positive
from pilno_jax.numerics.complex_numbers import as_complex
from pilno_jax.numerics.derivatives import along, derivative
from pilno_jax.numerics.driven_systems import damped_oscillation, response_matrix
from pilno_jax.numerics.grids import Grid
from pilno_jax.numerics.random_fields import exp_sine
from pilno_jax.problems.base import Inputs, Problem
from pilno_jax.problems.driven import Sampler, driven_problem
from pilno_jax.problems.factories import labels_ignore, resizable
from pilno_jax.problems.initial_value import periodic_grid
from pilno_jax.problems.statement import Statement

IGNORED = ("virtual_length_scale", "hard_constraints", "own_scale")
NODES_PER_PERIOD = 8


@labels_ignore(*IGNORED)
@resizable("num_x", "num_t")
def beam(
    *,
    stiffness: float = 0.01,
    damping: float = 1.0,
    num_waves: int = 3,
    length_scale: float = 0.3,
    virtual_length_scale: float = 0.3,
    num_x: int = 16,
    num_t: int = 256,
    final_time: float = 4.0,
    hard_constraints: bool = True,
    own_scale: bool = True,
) -> Problem:
    """A damped beam on a (num_x, num_t) grid; see the module for the equation.

    Args:
        stiffness: D > 0. Default 0.01: waves 1 to 3 swing 2, 10 and 23 times.
        damping: c >= 0. Default 1.
        num_waves: waves 1, ..., num_waves of f in x are drawn. Default 3.
        length_scale: of f in t, see `random_fields.exp_sine`. Default 0.3; at least
            0.2, which is the roughest.
        virtual_length_scale: of virtual forcings. Default 0.3.
        num_x: nodes in x, more than twice `num_waves`. Default 16.
        num_t: nodes in t, both ends included. Default 256; eight in a period of the
            fastest wave are needed.
        final_time: T. Default 4.
        hard_constraints: True (the default) builds the start from rest into u, False
            leaves it to the penalty "ic".
        own_scale: True (the default) shows the network f over its own size, False as
            it is.
    """
    require_positive(stiffness=stiffness)
    frequency = math.sqrt(stiffness) * (2 * math.pi) ** 2
    grid = _grid(num_x, num_t, final_time, num_waves, frequency * num_waves**2)
    samplers = [
        _random_waves(grid, num_waves, scale)
        for scale in (length_scale, virtual_length_scale)
    ]
    force = stiffness * derivative(grid.axes[0], 4)
    options = hard_constraints, own_scale
    statement = Statement(
        title="A damped beam",
        equation=r"u_{tt} + c\,u_t + D\,u_{xxxx} = f",
        conditions=rf"D = {stiffness:g}",
        law=_in_words(num_waves, length_scale),
    )
    return _wave_problem(
        "beam", grid, force, damping, samplers, frequency, options, statement
    )


@labels_ignore(*IGNORED)
@resizable("num_x", "num_t")
def telegraph(
    *,
    speed: float = 1.0,
    damping: float = 1.0,
    num_waves: int = 6,
    length_scale: float = 0.3,
    virtual_length_scale: float = 0.3,
    num_x: int = 16,
    num_t: int = 256,
    final_time: float = 4.0,
    hard_constraints: bool = True,
    own_scale: bool = True,
) -> Problem:
    """The telegraph equation on a (num_x, num_t) grid; see the module for it.

    Args:
        speed: a > 0, of waves without damping. Default 1: four times around.
        damping: c >= 0. Default 1.
        num_waves: waves 1, ..., num_waves of f in x are drawn. Default 6.
        length_scale: of f in t, see `random_fields.exp_sine`. Default 0.3; at least
            0.2, which is the roughest.
        virtual_length_scale: of virtual forcings. Default 0.3.
        num_x: nodes in x, more than twice `num_waves`. Default 16.
        num_t: nodes in t, both ends included. Default 256; eight in a period of the
            fastest wave are needed.
        final_time: T. Default 4.
        hard_constraints: True (the default) builds the start from rest into u, False
            leaves it to the penalty "ic".
        own_scale: True (the default) shows the network f over its own size, False as
            it is.
    """
    require_positive(speed=speed)
    frequency = 2 * math.pi * speed
    grid = _grid(num_x, num_t, final_time, num_waves, frequency * num_waves)
    samplers = [
        _random_waves(grid, num_waves, scale)
        for scale in (length_scale, virtual_length_scale)
    ]
    force = -(speed**2) * derivative(grid.axes[0], 2)
    options = hard_constraints, own_scale
    statement = Statement(
        title="The telegraph equation",
        equation=r"u_{tt} + c\,u_t - a^2\,u_{xx} = f",
        conditions=rf"a = {speed:g}",
        law=_in_words(num_waves, length_scale),
    )
    return _wave_problem(
        "telegraph", grid, force, damping, samplers, frequency, options, statement
    )


def _in_words(num_waves: int, length_scale: float) -> str:
    return (
        f"random forcings $f$: waves 1 to {num_waves} along $x$, each with a smooth "
        f"Gaussian function of $t$ (of length scale {length_scale:g})"
    )


def _grid(
    num_x: int, num_t: int, final_time: float, num_waves: int, fastest: float
) -> Grid:
    """The circle over [0, T], if it resolves the fastest of the waves."""
    require(num_waves >= 1, "num_waves", num_waves, "at least 1")
    allowed = f"more than twice num_waves = {num_waves}"
    require(num_x > 2 * num_waves, "num_x", num_x, allowed)
    require_positive(final_time=final_time)
    periods = fastest * final_time / (2 * math.pi)
    needed = math.ceil(NODES_PER_PERIOD * periods) + 1
    allowed = f"at least {needed}: {NODES_PER_PERIOD} nodes in a period of wave "
    allowed += f"{num_waves}, whose frequency is {fastest:.3g}"
    require(num_t >= needed, "num_t", num_t, allowed)
    return periodic_grid(num_x, num_t=num_t, final_time=final_time)


def _random_waves(grid: Grid, num_waves: int, length_scale: float) -> Sampler:
    """f = sum_k a_k(t) cos(2 pi k x) + b_k(t) sin(2 pi k x), of variance 1."""
    allowed = "at least 0.2"
    require(length_scale >= 0.2, "length_scale", length_scale, allowed)
    x, t = grid.coordinates
    angles = 2 * np.pi * np.outer(x, np.arange(1, num_waves + 1).astype(x.dtype))
    shapes = jnp.concatenate([jnp.cos(angles), jnp.sin(angles)], 1)
    period = 1.25 * grid.axes[1].high  # longer: the end knows nothing of the start

    def sample(key: jax.Array) -> Inputs:
        keys = jax.random.split(key, 2 * num_waves)
        sigma = num_waves**-0.5
        histories = jax.vmap(lambda k: exp_sine(k, t, length_scale, sigma, period))
        return {"f": shapes @ histories(keys)}

    return sample


def _wave_problem(
    name: str,
    grid: Grid,
    force: np.ndarray,
    damping: float,
    samplers: list[Sampler],
    frequency: float,
    options: tuple[bool, bool],
    statement: Statement,
) -> Problem:
    """u_tt + c u_t + force u = f, where the matrix `force` acts along x.

    The statement has what is special about the waves: title, equation, constant, law.
    """
    require(damping >= 0, "damping", damping, "a number >= 0: it takes energy out")
    hard_constraints, own_scale = options
    x, t = grid.axes
    d_t, d_tt = (derivative(t, order, accuracy=8) for order in (1, 2))
    squares = np.fft.rfft(force[:, 0]).real  # of each wave's frequency
    kernels = np.stack(
        [response_matrix(damped_oscillation(w2, damping), t) for w2 in squares]
    )

    def respond(source: jax.Array) -> jax.Array:
        by_wave = as_complex(jnp.asarray(kernels, source.dtype))
        waves = jnp.einsum("kts,ks->kt", by_wave, jnp.fft.rfft(source, axis=0))
        return jnp.fft.irfft(waves, x.num_points, axis=0).astype(source.dtype)

    def residual(u: jax.Array, inputs: Inputs) -> jax.Array:
        inertia = along(d_tt, u, 1) + damping * along(d_t, u, 1)
        return inertia + along(force, u, 0) - inputs["f"]

    conditions = (
        rf"x \in [0, 1) \text{{ periodic}},\quad t \in [0, {t.high:g}],\quad "
        rf"u = u_t = 0 \text{{ at }} t = 0,\quad c = {damping:g},\quad "
    )
    sample, sample_virtual = samplers
    return driven_problem(
        name=name,
        grid=grid,
        strata=(sample,),
        sample=sample,
        sample_virtual=sample_virtual,
        solve=respond,
        residual=residual,
        distance=lambda u, inputs: u - respond(inputs["f"]),
        size=1.0,
        gain=1.0 / frequency,
        own_scale=own_scale,
        linear=True,
        hard_constraints=hard_constraints,
        statement=dataclasses.replace(
            statement,
            conditions=conditions + statement.conditions,
            learned=r"f \mapsto u(x, t)",
        ),
    )
