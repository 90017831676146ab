"""What driven systems share: the record of f -> u, with u and u_t given at t = 0.

Physics is measured without derivatives: u solves the equation if and only if it equals
what the linear part answers to all the rest, from the given start. The distance of both
is the error, as far as the equation is linear. A residual in L2 would see little but
the fastest oscillations of an error, and on nodes it cannot see at all whether u began
with a slope.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

from pilno_jax.checks import require_fields
from pilno_jax.numerics.derivatives import along, derivative
from pilno_jax.numerics.grids import Grid
from pilno_jax.numerics.norms import mean_square
from pilno_jax.numerics.precision import in_floats
from pilno_jax.problems.base import InputField, Inputs, Problem
from pilno_jax.problems.statement import Statement

Field = Callable[[jax.Array, Inputs], jax.Array]
Sampler = Callable[[jax.Array], Inputs]
Features = Callable[[Inputs], jax.Array]

SMALLEST = 1e-6  # of the law's size: weaker forcings are not scaled up any further


def driven_problem(
    *,
    name: str,
    grid: Grid,
    strata: tuple[Sampler, ...],
    sample: Sampler,
    sample_virtual: Sampler,
    solve: Callable[[jax.Array], jax.Array],
    residual: Field,
    distance: Field,
    size: float,
    gain: float,
    own_scale: bool,
    hard_constraints: bool,
    statement: Statement,
    linear: bool = False,
    show_time: bool = False,
    unforced: np.ndarray | None = None,
    error_at: Callable[[jax.Array, jax.Array], jax.Array] | None = None,
) -> Problem:
    """The record of a system that a forcing drives.

    Args:
        name: of the problem.
        grid: of u and f; its last axis is t.
        strata: samplers that a labelled set takes in turn.
        sample: of the labelled law.
        sample_virtual: of the virtual inputs.
        solve: f -> u, the reference.
        residual: (u, inputs) -> the equation's.
        distance: (u, inputs) -> u minus what the linear part answers to all the rest.
        size: of a forcing of the law.
        gain: size of u over that of f.
        own_scale: True: the network sees f divided by its own root mean square, and u
            is multiplied by it, so that a linear system is learned for forcings of
            every strength at once; False: f as it is.
        hard_constraints: True writes u = unforced + t^2 / (1 + t^2) network, False
            leaves the start to the penalty "ic".
        statement: equation and law in the form that pages show.
        linear: whether twice the forcing has twice the answer, so that the network need
            not see how strong it is. Default False.
        show_time: whether the network also sees t / T. Default False: these equations
            do not know what time it is, and a network that does can learn the answer to
            few forcings by heart.
        unforced: what the system does by itself, on the grid. Default: it rests.
        error_at: (u, distance) -> the error that it stands for near u. Default: the
            distance, which it is where the equation is linear.
    """
    last = len(grid.axes) - 1
    t, precision = grid.axes[-1].nodes(), jnp.result_type(float)
    start = grid.broadcast((t**2 / (1 + t**2)).astype(precision), last)
    alone = np.zeros(grid.shape) if unforced is None else unforced
    strength = _strength(size, own_scale)
    features = _features(grid, strength, own_scale, show_time)
    if own_scale and not linear:
        features = _with_strength(features, strength, size)

    def scale(inputs: Inputs) -> jax.Array:
        return gain * strength(inputs)

    def constrain(raw: jax.Array, inputs: Inputs) -> jax.Array:
        if not hard_constraints:
            return scale(inputs) * raw
        return scale(inputs) * start * raw + alone.astype(raw.dtype)

    def error_of(residual: jax.Array, u: jax.Array, inputs: Inputs) -> jax.Array:
        del residual
        away = distance(u, in_floats(inputs))
        return away if error_at is None else error_at(u, away)

    def measured(residual: jax.Array, u: jax.Array, inputs: Inputs) -> jax.Array:
        del residual
        inputs = in_floats(inputs)
        return mean_square(distance(u, inputs) / scale(inputs))

    def reference(inputs: Inputs) -> jax.Array:
        require_fields(inputs, {"f": grid.shape})
        return solve(in_floats(inputs["f"]))

    axes = tuple(axis.name for axis in grid.axes)
    return Problem(
        name=name,
        grid=grid,
        sample=sample,
        sample_virtual=sample_virtual,
        strata=strata,
        solve=reference,
        features=features,
        residual=residual,
        constrain=constrain,
        measure=measured,
        constraints={} if hard_constraints else {"ic": _start(grid, alone)},
        scale=scale,
        error_of=error_of,
        inputs={"f": InputField(axes, "$f$", editable=True)},
        time_axis=last,
        statement=statement,
    )


def _strength(size: float, own_scale: bool) -> Callable[[Inputs], jax.Array]:
    """Of the forcing, or of the law's, that u is measured in."""

    def strength(inputs: Inputs) -> jax.Array:
        if not own_scale:
            return jnp.asarray(size)
        return jnp.sqrt(mean_square(inputs["f"]) + (SMALLEST * size) ** 2)

    return strength


def _features(
    grid: Grid,
    strength: Callable[[Inputs], jax.Array],
    own_scale: bool,
    show_time: bool,
) -> Features:
    """The forcing, over its strength where that is its own; the time only if asked.

    These equations do not know what time it is, and a network that does can learn the
    answers to few forcings by heart.
    """

    def features(inputs: Inputs) -> jax.Array:
        require_fields(inputs, {"f": grid.shape})
        f = inputs["f"]
        channels = [f / strength(inputs) if own_scale else f]
        if show_time:
            clock = grid.broadcast(grid.scaled[-1], len(grid.axes) - 1)
            channels.append(jnp.broadcast_to(clock, grid.shape))
        return jnp.stack(channels, -1)

    return features


def _with_strength(
    features: Features, strength: Callable[[Inputs], jax.Array], size: float
) -> Features:
    """One channel more: how strong the forcing is, of which the others tell nothing."""

    def extended(inputs: Inputs) -> jax.Array:
        others = features(inputs)
        shown = jnp.log10(strength(inputs) / size)
        channel = jnp.full((*others.shape[:-1], 1), shown)
        return jnp.concatenate([others, channel], -1)

    return extended


def _start(grid: Grid, alone: np.ndarray) -> Field:
    """(u, inputs) -> what u and its slope are off at the first time."""
    slope_at_start = derivative(grid.axes[-1], 1, accuracy=8)[:1]

    def at_start(u: jax.Array, inputs: Inputs) -> jax.Array:
        del inputs
        change = u - alone.astype(u.dtype)
        slope = along(slope_at_start, change, len(grid.axes) - 1)[..., 0]
        return jnp.stack([change[..., 0], slope])

    return at_start
