"""Reaction-diffusion systems: rest, oscillation, and reductions to simpler problems."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.integrate

from pilno_jax import problems
from pilno_jax.numerics.grids import Axis, Grid
from pilno_jax.problems.base import default_error
from pilno_jax.problems.initial_value import InitialLaw, periodic_grid
from pilno_jax.problems.reaction_systems import Kinetics, initial_value_system

KEY = jax.random.key(6)


@functools.cache
def small(x64):
    del x64  # in double precision it is another one
    return problems.brusselator(num_x=16, num_t=11, length_scale=2.0)


def uncoupled(reaction=0.5):
    """u as in reaction-diffusion's Task A, v as in diffusion."""
    kinetics = Kinetics(
        ("u", "v"), (0.01, 0.02), lambda u, v: (reaction * u**2, 0.0 * v), (0.0, 0.0)
    )
    return initial_value_system(
        name="uncoupled",
        grid=periodic_grid(16, num_t=11, final_time=0.5),
        kinetics=kinetics,
        law=InitialLaw(2.0, (0.5, 1.0), 0.2),
        hard_constraints=True,
    )


def test_an_uncoupled_system_is_two_scalar_problems(x64):
    """Solution, residual and constrained output; the references are independent."""
    system = uncoupled()
    inputs = system.sample(KEY)
    sizes = {"num_t": 11, "final_time": 0.5}
    first = problems.reaction_diffusion(task="ic", reaction=0.5, num_x=17, **sizes)
    second = problems.diffusion(diffusivity=0.02, num_x=16, **sizes)
    closed = {"u0": jnp.concatenate([inputs["u0"], inputs["u0"][:1]])}
    scalar = {"u0": inputs["v0"]}
    u = jax.jit(system.solve)(inputs)
    # Task A's reference is of order 4 on 160 points; diffusion's is a closed form.
    found = jax.jit(first.solve)(closed)[:-1]
    np.testing.assert_allclose(u[..., 0], found, atol=1e-6)
    np.testing.assert_allclose(u[..., 1], second.solve(scalar), atol=1e-12)

    raw = jnp.asarray(np.random.default_rng(0).normal(size=system.shape))
    w = system.constrain(raw, inputs)
    residual = system.residual(w, inputs)
    ring = jnp.concatenate([raw[..., 0], raw[:1, :, 0]])
    alone = [
        (first, closed, first.constrain(ring, closed), slice(0, -1)),
        (second, scalar, second.constrain(raw[..., 1], scalar), slice(None)),
    ]
    for field, (problem, own, expected, nodes) in enumerate(alone):
        np.testing.assert_allclose(w[..., field], expected[nodes], atol=1e-12)
        of_field = problem.residual(expected, own)[nodes]
        np.testing.assert_allclose(residual[..., field], of_field, atol=1e-9)


def test_rest_is_a_steady_state(x64):
    problem = small(True)
    rest = {"u0": jnp.full(16, 1.0), "v0": jnp.full(16, 2.0)}
    u = jax.jit(problem.solve)(rest)
    np.testing.assert_allclose(u, np.broadcast_to([1.0, 2.0], u.shape), atol=1e-12)
    np.testing.assert_allclose(problem.residual(u, rest), 0.0, atol=1e-11)
    # The network sees deviations from rest.
    np.testing.assert_allclose(problem.features(rest)[..., :2], 0.0, atol=1e-12)


def test_what_is_uniform_oscillates_as_the_ordinary_equations_do(x64):
    problem = small(True)
    inputs = {"u0": jnp.full(16, 1.3), "v0": jnp.full(16, 1.6)}
    u = np.asarray(jax.jit(problem.solve)(inputs))

    def slope(t, w):
        u, v = w
        return [1.0 - 3.0 * u + u * u * v, 2.0 * u - u * u * v]

    times = np.asarray(problem.grid.coordinates[1], np.float64)
    exact = scipy.integrate.solve_ivp(
        slope, (0.0, 2.0), [1.3, 1.6], t_eval=times, rtol=1e-11, atol=1e-12
    ).y
    # Steps of 0.01, order 4: seen 1e-9.
    np.testing.assert_allclose(u, np.broadcast_to(exact.T, u.shape), atol=1e-7)
    assert np.ptp(u[0, :, 0]) > 0.2  # it moves


def test_what_is_constant_in_y_is_the_problem_in_x(x64):
    """Solution, residual, constrained output and the estimate of an error."""
    line = small(True)
    plane = problems.brusselator_2d(num_x=16, num_y=8, num_t=11)
    inputs = line.sample(KEY)
    spread = {k: jnp.broadcast_to(v[:, None], (16, 8)) for k, v in inputs.items()}
    raw = jnp.asarray(np.random.default_rng(1).normal(size=line.shape))

    def answers(problem, raw, inputs):
        u = problem.constrain(raw, inputs)
        residual = problem.residual(u, inputs)
        error = problem.error_of(residual, u, inputs)
        return problem.solve(inputs), u, residual, error

    wide = jnp.broadcast_to(raw[:, None], plane.shape)
    expected = jax.jit(lambda raw: answers(line, raw, inputs))(raw)
    found = jax.jit(lambda raw: answers(plane, raw, spread))(wide)
    for one, other in zip(found, expected, strict=True):
        flat = np.broadcast_to(np.asarray(other)[:, None], one.shape)
        np.testing.assert_allclose(one, flat, atol=1e-9)


def test_the_estimate_resembles_a_small_error(x64):
    """A deviation from the solution is found again in the residual it leaves."""
    problem = small(True)

    @jax.jit
    def missed(key):
        inputs = problem.sample(key)
        u = problem.solve(inputs)
        x, t = (problem.grid.broadcast(z, i) for i, z in enumerate(problem.grid.scaled))
        wave = jnp.sin(2 * jnp.pi * x) * jnp.cos(2 * t)
        raw = jnp.stack([wave, 0.5 * jnp.cos(4 * jnp.pi * x) * t], -1)
        lifting = problem.constrain(jnp.zeros_like(u), inputs)
        error = 1e-5 * (problem.constrain(raw, inputs) - lifting)
        change = problem.residual(u + error, inputs) - problem.residual(u, inputs)
        guesses = (problem.error_of, default_error(problem.grid, 1))
        return [
            jnp.linalg.norm(guess(change, u, inputs) - error) / jnp.linalg.norm(error)
            for guess in guesses
        ]

    own, default = np.asarray(missed(KEY))
    # Linear at rest: deviations of 0.3 from it change the coupling by a third.
    assert own < 0.5 * default, (own, default)


def test_bad_options_are_named():
    with pytest.raises(ValueError, match="diffusivity of v = -1.0 .* positive"):
        problems.brusselator(diffusivities=(0.01, -1.0))
    with pytest.raises(ValueError, match="b = 0.0 .* positive"):
        problems.brusselator(b=0.0)
    with pytest.raises(ValueError, match=r"rest = \(1.0,\) .* reaction is zero"):
        Kinetics(("u",), (0.1,), lambda u: (u,), (1.0,))


@pytest.mark.parametrize("length", [1.0, 1.5, 2 * np.pi])
def test_initial_fields_close_on_circles_of_any_length(length):
    circle = Axis("x", 0.0, length, 48, periodic=True)
    problem = initial_value_system(
        name="uncoupled",
        grid=Grid((circle, Axis("t", 0.0, 0.5, 11))),
        kinetics=Kinetics(("u",), (0.01,), lambda u: (0.0 * u,), (0.0,)),
        law=InitialLaw(0.5, (0.5, 1.0), 0.2),
        hard_constraints=True,
    )
    (u0,) = jax.vmap(problem.sample)(jax.random.split(KEY, 8)).values()
    steps = np.sqrt(np.mean(np.square(u0 - np.roll(u0, 1, axis=1)), axis=0))
    # The step across the seam is the first.
    assert steps[0] < 2 * steps[1:].mean()
