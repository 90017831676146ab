"""What the periodic initial-value problems share: u0(x) -> u(x, t).

Burgers, diffusion and reaction-diffusion's Task A, and Navier-Stokes in two space
dimensions, draw u0 from the exp-sine law, show it to the network at every time, and pin
u(., 0) softly or by construction. They differ in equation and reference solver alone,
which their own files hold.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from pilno_jax.checks import require, require_fields, require_positive
from pilno_jax.numerics.grids import Grid
from pilno_jax.numerics.random_fields import SHORTEST_LENGTH_SCALE, exp_sine
from pilno_jax.problems.base import Inputs, Problem

LengthScales = tuple[float, float]
Law = Callable[..., jax.Array]  # (key, points, length scale, sigma) -> a draw there


def length_scale_law(
    field: str,
    x: Any,
    sigma: float,
    length_scale: float,
    virtual_length_scales: LengthScales,
    law: Law = exp_sine,
) -> tuple[Callable[[jax.Array], Inputs], Callable[[jax.Array], Inputs]]:
    """Samplers of {field: draw of `law` at x}: the labelled and the virtual law.

    The virtual law first draws its length scale, log-uniformly: the spectrum depends
    on it through 1/l^2, and a uniform law would hardly ever show short scales.
    """
    shortest, longest = virtual_length_scales
    require_positive(sigma=sigma)
    limit = SHORTEST_LENGTH_SCALE
    require(length_scale >= limit, "length_scale", length_scale, f"at least {limit}")
    allowed = f"a pair (shortest, longest) with {limit} <= shortest <= longest"
    ordered = limit <= shortest <= longest
    require(ordered, "virtual_length_scales", virtual_length_scales, allowed)

    def sample(key: jax.Array) -> Inputs:
        return {field: law(key, x, length_scale, sigma)}

    def sample_virtual(key: jax.Array) -> Inputs:
        scale_key, field_key = jax.random.split(key)
        spread = jax.random.uniform(scale_key)
        scale = shortest * (longest / shortest) ** spread
        return {field: law(field_key, x, scale, sigma)}

    return sample, sample_virtual


def initial_value_problem(
    *,
    name: str,
    grid: Grid,
    solve: Callable[[jax.Array], jax.Array],
    residual: Callable[[jax.Array, Inputs], jax.Array],
    length_scale: float,
    virtual_length_scales: LengthScales,
    sigma: float,
    hard_constraints: bool,
    boundary: Callable[[jax.Array, Inputs], jax.Array] | None = None,
    impose_boundary: Callable[[jax.Array], jax.Array] = lambda raw: raw,
    law: Law = exp_sine,
) -> Problem:
    """The record of u0 -> u on `grid`, whose last axis is t, given `solve(u0)` and the
    residual. With several axes in space, `law` draws at a tuple of coordinates.

    Hard constraints write u = u0 + sigma (t / T) raw, with `impose_boundary` on raw;
    soft ones leave u = sigma raw to the penalties `ic` and, if given, `bc`.
    """
    *space, _ = grid.coordinates
    time_axis = len(space)
    scaled_time = grid.broadcast(grid.axes[time_axis].scaled, time_axis)
    points = tuple(space) if len(space) > 1 else space[0]
    sample, sample_virtual = length_scale_law(
        "u0", points, sigma, length_scale, virtual_length_scales, law
    )
    expected = {"u0": grid.shape[:-1]}

    def at_all_times(u0: jax.Array) -> jax.Array:
        return jnp.broadcast_to(u0[..., None], grid.shape)

    def reference(inputs: Inputs) -> jax.Array:
        require_fields(inputs, expected)
        return solve(inputs["u0"])

    def features(inputs: Inputs) -> jax.Array:
        require_fields(inputs, expected)
        # x itself is left out: on a periodic axis it would break translation
        # equivariance, which the equations have and the network inherits.
        return jnp.stack([at_all_times(inputs["u0"] / sigma), scaled_time], -1)

    def constrain(raw: jax.Array, inputs: Inputs) -> jax.Array:
        if not hard_constraints:
            return sigma * raw
        start = at_all_times(inputs["u0"])
        return start + sigma * scaled_time * impose_boundary(raw)

    penalties: dict[str, Callable[[jax.Array, Inputs], jax.Array]] = {
        "ic": lambda u, inputs: u[..., 0] - inputs["u0"]
    }
    if boundary is not None:
        penalties["bc"] = boundary
    return Problem(
        name=name,
        grid=grid,
        sample=sample,
        sample_virtual=sample_virtual,
        solve=reference,
        features=features,
        residual=residual,
        constrain=constrain,
        constraints={} if hard_constraints else penalties,
        time_axis=time_axis,
    )
