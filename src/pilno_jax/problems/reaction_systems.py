"""Systems of reaction-diffusion equations on a circle or a torus:

    u_t = D Laplace u + R(u),   u(., 0) = u0,

with several fields u = (u_1, u_2, ...), a diffusivity for each and a reaction R that
couples them at every point. Fields fluctuate around a rest state, R(rest) = 0. A
particular system is a file beside this one that says what R is, such as `brusselator`.
"""

import dataclasses
import math
from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp
import numpy as np

from pilno_jax.checks import require, require_fields, require_positive
from pilno_jax.numerics.derivatives import along, derivative, interpolation
from pilno_jax.numerics.exponential_stepping import etdrk4
from pilno_jax.numerics.grids import Axis, Grid
from pilno_jax.numerics.random_fields import exp_sine, planar_exp_sine
from pilno_jax.numerics.system_response import square_wavenumbers, system_response
from pilno_jax.numerics.time_stepping import steps_between
from pilno_jax.problems.base import InputField, Inputs, Problem
from pilno_jax.problems.initial_value import InitialLaw
from pilno_jax.problems.statement import UNSTATED, Statement

REFERENCE_POINTS = 64
REFERENCE_STEP = 1e-2

Field = jax.Array
Reaction = Callable[..., tuple[Field, ...]]  # (u_1, u_2, ...) -> what each gains


@dataclasses.dataclass(frozen=True)
class Kinetics:
    """What happens to the fields at every point.

    Args:
        fields: their names, ("u", "v") say; inputs are u0 and v0.
        diffusivities: D of each, positive.
        reaction: (u, v, ...) -> (R_u, R_v, ...), for arrays of any shape.
        rest: values at which the reaction vanishes; initial fields fluctuate around
            them, and errors are estimated by what is linear there.
    """

    fields: tuple[str, ...]
    diffusivities: tuple[float, ...]
    reaction: Reaction
    rest: tuple[float, ...]

    def __post_init__(self):
        for name, value in zip(self.fields, self.diffusivities, strict=True):
            require_positive(**{f"diffusivity of {name}": value})
        still = float(np.abs(np.array(self.reaction(*self.rest))).max())
        allowed = "values at which the reaction is zero"
        require(still < 1e-6, "rest", self.rest, allowed)

    def of(self, u: jax.Array) -> jax.Array:
        """The reaction of fields along the last axis."""
        return jnp.stack(self.reaction(*jnp.moveaxis(u, -1, 0)), -1)

    def jacobian(self) -> np.ndarray:
        """dR_i / du_j at rest."""
        rest = np.asarray(self.rest, jnp.result_type(float))
        return np.asarray(jax.jit(jax.jacobian(self.of))(rest), np.float64)

    @property
    def inputs(self) -> tuple[str, ...]:
        return tuple(f"{name}0" for name in self.fields)

    def start(self, inputs: Inputs) -> jax.Array:
        """The initial fields, along the last axis."""
        return jnp.stack([jnp.asarray(inputs[name]) for name in self.inputs], -1)


def initial_value_system(
    *,
    name: str,
    grid: Grid,
    kinetics: Kinetics,
    law: InitialLaw,
    hard_constraints: bool,
    statement: Statement = UNSTATED,
) -> Problem:
    """The record of (u0, v0, ...) -> (u, v, ...).

    Args:
        name: of the problem.
        grid: one or two periodic axes, and t.
        kinetics: diffusivities and reaction.
        law: of the deviations of the initial fields from rest, independent of each
            other.
        hard_constraints: True builds the initial values into u, False leaves them to
            the penalty "ic".
        statement: of the problem, for pages. Default: none.
    """
    *space, t = grid.axes
    matrices = [derivative(axis, 2) for axis in space]
    d_t = derivative(t, 1, accuracy=6)
    time = grid.broadcast(t.scaled, len(space))

    def residual(u: jax.Array, inputs: Inputs) -> jax.Array:
        del inputs
        first, *others = (along(matrix, u, i) for i, matrix in enumerate(matrices))
        spread = _times(kinetics.diffusivities, sum(others, first))
        return along(d_t, u, len(space)) - spread - kinetics.of(u)

    def constrain(raw: jax.Array, inputs: Inputs) -> jax.Array:
        if not hard_constraints:
            return _plus(kinetics.rest, law.sigma * raw)
        start = jnp.expand_dims(kinetics.start(inputs), len(space))
        return start + law.sigma * time[..., None] * raw

    def violation(u: jax.Array, inputs: Inputs) -> jax.Array:
        return u[..., 0, :] - kinetics.start(inputs)

    sample, sample_virtual = _samplers(space, kinetics, law)
    response = system_response(space, t, kinetics.diffusivities, kinetics.jacobian())
    axes = tuple(axis.name for axis in space)
    return Problem(
        name=name,
        grid=grid,
        fields=kinetics.fields,
        sample=sample,
        sample_virtual=sample_virtual,
        solve=_reference(grid, kinetics),
        features=_features(grid, kinetics, law.sigma),
        residual=residual,
        constrain=constrain,
        constraints={} if hard_constraints else {"ic": violation},
        scale=lambda inputs: law.sigma,
        error_of=lambda residual, u, inputs: response(residual),
        inputs={
            one: InputField(axes, f"${one[:-1]}_0$", editable=True)
            for one in kinetics.inputs
        },
        statement=statement,
        next_window=lambda u, inputs: {
            one: u[..., -1, i] for i, one in enumerate(kinetics.inputs)
        },
        time_axis=len(space),
    )


def _times(factors: Sequence[float] | np.ndarray, u: jax.Array) -> jax.Array:
    """Each field times its number."""
    shaped = np.reshape(factors, (1,) * (u.ndim - 1) + (-1,))
    return jnp.asarray(shaped, u.dtype) * u


def _plus(offsets: Sequence[float], u: jax.Array) -> jax.Array:
    """Each field plus its number."""
    shaped = np.reshape(offsets, (1,) * (u.ndim - 1) + (-1,))
    return jnp.asarray(shaped, u.dtype) + u


def _samplers(
    space: Sequence[Axis], kinetics: Kinetics, law: InitialLaw
) -> list[Callable[[jax.Array], Inputs]]:
    """The labelled and the virtual law: every field has a key of its own."""
    # On [0, 1] whatever the axis: that is where the laws are periodic.
    points = tuple(axis.scaled for axis in space)
    plane = len(points) == 2
    draw = planar_exp_sine if plane else exp_sine

    def of_all(which: int) -> Callable[[jax.Array], Inputs]:
        def sample(key: jax.Array) -> Inputs:
            keys = jax.random.split(key, len(kinetics.fields))
            drawn = {}
            for name, rest, own in zip(
                kinetics.inputs, kinetics.rest, keys, strict=True
            ):
                samplers = law.samplers(name, points if plane else points[0], draw)
                drawn[name] = rest + samplers[which](own)[name]
            return drawn

        return sample

    return [of_all(0), of_all(1)]


def _features(
    grid: Grid, kinetics: Kinetics, sigma: float
) -> Callable[[Inputs], jax.Array]:
    """Deviations of the initial fields from rest, at all times, and the time."""
    time = grid.broadcast(grid.axes[-1].scaled, len(grid.axes) - 1)
    expected = dict.fromkeys(kinetics.inputs, grid.shape[:-1])

    def features(inputs: Inputs) -> jax.Array:
        require_fields(inputs, expected)
        seen = [
            jnp.broadcast_to(((inputs[name] - rest) / sigma)[..., None], grid.shape)
            for name, rest in zip(kinetics.inputs, kinetics.rest, strict=True)
        ]
        return jnp.stack([*seen, time], -1)

    return features


def _reference(grid: Grid, kinetics: Kinetics) -> Callable[[Inputs], jax.Array]:
    """inputs -> u: Fourier modes of a finer grid, in exponential Runge-Kutta steps."""
    *space, t = grid.axes
    factors = [math.ceil(REFERENCE_POINTS / axis.num_points) for axis in space]
    fine = [axis.refined(by) for axis, by in zip(space, factors, strict=True)]
    axes, shape = tuple(range(len(space))), [axis.num_points for axis in fine]
    rates = -square_wavenumbers(fine)[..., None] * np.array(kinetics.diffusivities)

    def reaction(modes: jax.Array) -> jax.Array:
        u = jnp.fft.irfftn(modes, shape, axes=axes)
        return jnp.fft.rfftn(kinetics.of(u), axes=axes)

    evolve = steps_between(lambda dt: etdrk4(rates, reaction, dt), t, REFERENCE_STEP)

    def solve(inputs: Inputs) -> jax.Array:
        require_fields(inputs, dict.fromkeys(kinetics.inputs, grid.shape[:-1]))
        start = kinetics.start(inputs)
        for axis, (coarse, finer) in enumerate(zip(space, fine, strict=True)):
            start = along(interpolation(coarse, finer), start, axis)
        modes = evolve(jnp.fft.rfftn(start, axes=axes))
        u = jnp.fft.irfftn(modes, shape, axes=axes).astype(start.dtype)
        nodes = tuple(slice(None, None, by) for by in factors)
        return jnp.moveaxis(u[nodes], -1, len(space))

    return solve
