"""What the periodic initial-value problems share: u0(x) -> u(x, t).

Burgers, diffusion and reaction-diffusion's Task A, and Navier-Stokes in two space
dimensions, draw u0 from the exp-sine law, show it to the network at every time, and pin
u(., 0) softly or by construction. They differ in equation and reference solver alone,
which their own files hold.
"""

import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from pilno_jax.checks import is_number, require, require_fields, require_positive
from pilno_jax.numerics.grids import Axis, Grid
from pilno_jax.numerics.precision import in_floats
from pilno_jax.numerics.random_fields import SHORTEST_LENGTH_SCALE, exp_sine
from pilno_jax.problems.base import (
    ErrorOf,
    InputField,
    Inputs,
    Problem,
    default_error,
)
from pilno_jax.problems.statement import UNSTATED, Statement

LengthScales = tuple[float, float]
Sampler = Callable[..., jax.Array]  # (key, points, length scale, sigma) -> a draw there
Field = Callable[[jax.Array, Inputs], jax.Array]


@dataclasses.dataclass(frozen=True)
class InitialLaw:
    """The Gaussian laws that labelled and virtual inputs come from.

    Args:
        length_scale: of the labelled inputs; 0.5 is oscillatory, 5 nearly constant. At
            least 0.2.
        virtual_length_scales: (shortest, longest) of the virtual inputs; a range that
            holds `length_scale` serves it and its neighbours.
        sigma: standard deviation of both.
    """

    length_scale: float
    virtual_length_scales: LengthScales
    sigma: float

    def __post_init__(self):
        limit = SHORTEST_LENGTH_SCALE
        require_positive(sigma=self.sigma)
        one, pair = self.length_scale, self.virtual_length_scales
        long_enough = is_number(one) and one >= limit
        require(long_enough, "length_scale", one, f"at least {limit}")
        allowed = f"a pair (shortest, longest) with {limit} <= shortest <= longest"
        is_pair = np.shape(pair) == (2,) and all(map(is_number, pair))
        ordered = is_pair and limit <= pair[0] <= pair[1]
        require(ordered, "virtual_length_scales", pair, allowed)

    def described(self, symbol: str) -> str:
        """The end of a sentence: "Inputs are ..."."""
        shortest, longest = self.virtual_length_scales
        return (
            f"random periodic functions ${symbol}$ (Gaussian, of standard deviation "
            f"{self.sigma:g} and length scale {self.length_scale:g}; of "
            f"{shortest:g} to {longest:g} where the equation alone teaches)"
        )

    def samplers(
        self, name: str, points: Any, draw: Sampler = exp_sine
    ) -> tuple[Callable[[jax.Array], Inputs], Callable[[jax.Array], Inputs]]:
        """Samplers of {name: a draw at the points}: the labelled and the virtual law.

        The virtual law first draws its length scale, log-uniformly: the spectrum
        depends on it through 1/l^2, and a uniform law would hardly ever show short
        scales.

        Args:
            name: of the input.
            points: where it is evaluated, as `draw` takes them.
            draw: (key, points, length scale, sigma) -> values. Default: `exp_sine`.
        """
        shortest, longest = self.virtual_length_scales

        def sample(key: jax.Array) -> Inputs:
            return {name: draw(key, points, self.length_scale, self.sigma)}

        def sample_virtual(key: jax.Array) -> Inputs:
            scale_key, field_key = jax.random.split(key)
            spread = jax.random.uniform(scale_key)
            scale = shortest * (longest / shortest) ** spread
            return {name: draw(field_key, points, scale, self.sigma)}

        return sample, sample_virtual


def periodic_grid(*num_space: int, num_t: int, final_time: float) -> Grid:
    """The unit circle, or the torus, over the times [0, final_time].

    Args:
        num_space: points along x and, in the plane, y.
        num_t: points in time, both ends included.
        final_time: the last of them.
    """
    space = [
        Axis(name, 0.0, 1.0, points, periodic=True)
        for name, points in zip("xy", num_space, strict=False)
    ]
    return Grid((*space, Axis("t", 0.0, final_time, num_t)))


def initial_value_problem(
    *,
    name: str,
    grid: Grid,
    solve: Callable[[Inputs], jax.Array],
    residual: Field,
    law: InitialLaw,
    hard_constraints: bool,
    statement: Statement = UNSTATED,
    error_of: ErrorOf | None = None,
    boundary: Field | None = None,
    impose_boundary: Callable[[jax.Array], jax.Array] = lambda raw: raw,
    draw: Sampler = exp_sine,
) -> Problem:
    """The record of u0 -> u.

    Args:
        name: of the problem.
        grid: its last axis is t, the others are space.
        solve: inputs -> u, the reference.
        residual: (u, inputs) -> the equation's.
        law: of u0.
        hard_constraints: True writes u = u0 + sigma (t / T) raw, with `impose_boundary`
            on raw; False leaves u = sigma raw to the penalties "ic" and, if `boundary`
            is given, "bc".
        statement: of the problem. What is learned, and the law, are added to it.
        error_of: what the residual tells of the error, see `Problem`. Default: its
            integral over time.
        boundary: (u, inputs) -> residual of the boundary condition. Default: none, on a
            circle.
        impose_boundary: raw -> raw that meets it. Default: nothing to do.
        draw: of the law, at x or, with several axes in space, at a tuple of
            coordinates. Default: `exp_sine`.
    """
    # On [0, 1] whatever the axis: that is where the laws are periodic.
    *space, _ = grid.scaled
    points = tuple(space) if len(space) > 1 else space[0]
    time = grid.broadcast(grid.axes[-1].scaled, len(space))
    sample, sample_virtual = law.samplers("u0", points, draw)
    expected = {"u0": grid.shape[:-1]}

    def reference(inputs: Inputs) -> jax.Array:
        require_fields(inputs, expected)
        return solve(in_floats(inputs))

    def constrain(raw: jax.Array, inputs: Inputs) -> jax.Array:
        if not hard_constraints:
            return law.sigma * raw
        start = _at_all_times(inputs["u0"], grid)
        return start + law.sigma * time * impose_boundary(raw)

    penalties: dict[str, Field] = {"ic": lambda u, inputs: u[..., 0] - inputs["u0"]}
    if boundary is not None:
        penalties["bc"] = boundary
    space_names = tuple(axis.name for axis in grid.axes[:-1])
    learned = rf"u_0 \mapsto u({', '.join(space_names)}, t)"
    return Problem(
        name=name,
        grid=grid,
        sample=sample,
        sample_virtual=sample_virtual,
        solve=reference,
        features=_features(grid, law.sigma, time),
        residual=residual,
        constrain=constrain,
        constraints={} if hard_constraints else penalties,
        scale=lambda inputs: law.sigma,
        error_of=error_of or default_error(grid, len(space)),
        inputs={"u0": InputField(space_names, "$u_0$", editable=True)},
        next_window=lambda u, inputs: {**inputs, "u0": u[..., -1]},
        time_axis=len(space),
        statement=dataclasses.replace(
            statement, learned=learned, law=law.described("u_0")
        ),
    )


def _features(grid: Grid, sigma: float, time: Any) -> Callable[[Inputs], jax.Array]:
    def features(inputs: Inputs) -> jax.Array:
        require_fields(inputs, {"u0": grid.shape[:-1]})
        # x itself is left out: on a periodic axis it would break translation
        # equivariance, which the equations have and the network inherits.
        return jnp.stack([_at_all_times(inputs["u0"] / sigma, grid), time], -1)

    return features


def _at_all_times(u0: jax.Array, grid: Grid) -> jax.Array:
    return jnp.broadcast_to(u0[..., None], grid.shape)
