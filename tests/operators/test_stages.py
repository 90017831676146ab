"""Correctors break no constraint, have no scale, and can be Newton's method."""

import dataclasses
import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pilno_jax import models, problems
from pilno_jax.operators import (
    corrector,
    initial_parameters,
    predictor,
    stage_fields,
    staged_predictor,
)

SMALL = {
    "brusselator": {"num_x": 8, "num_t": 9, "final_time": 0.5},
    "burgers": {"num_x": 8, "num_t": 9},
    "diffusion": {"num_x": 8, "num_t": 9},
    "reaction_diffusion": {"num_x": 13, "num_t": 11},
    "darcy": {"num_points": 7, "num_fine": 13, "label_points": 3},
    "forced_kdv": {"num_x": 14, "num_t": 10},
    "navier_stokes": {"num_x": 6, "num_y": 6, "num_t": 8},
}
every_problem = pytest.mark.parametrize("name", SMALL)


def network(problem, key, stage=2):
    axes, channels = len(problem.grid.axes), max(len(problem.fields), 1)
    sizes = dict(width=3, num_layers=1, projection_width=4, out_channels=channels)
    model = models.FNO(**sizes, modes=(2,) * axes)
    return model, initial_parameters(problem, model, key, stage)


def samples(problem, count=2):
    draw = jax.jit(jax.vmap(problem.sample))
    return draw(jax.random.split(jax.random.key(3), count))


def perturbed(problem, inputs, size=0.1):
    """The solution with smooth errors that keep the hard constraints."""
    shape = (len(jax.tree.leaves(inputs)[0]), *problem.grid.shape)
    bump = np.ones(problem.grid.shape)
    for axis, x in enumerate(problem.grid.scaled):
        bump = bump * np.cos(2.0 * np.asarray(problem.grid.broadcast(x, axis)))
    raw = jnp.broadcast_to(jnp.asarray(size * bump, jnp.result_type(float)), shape)

    def add(raw, one):
        lifting = problem.constrain(jnp.zeros_like(raw), one)
        return problem.solve(one) + problem.constrain(raw, one) - lifting

    return jax.jit(jax.vmap(add))(raw, inputs)


def correct_once(problem, apply):
    return jax.jit(corrector(problem, apply))


# Diffusion and Navier-Stokes have Burgers' initial values.
@pytest.mark.parametrize("name", sorted(SMALL.keys() - {"diffusion", "navier_stokes"}))
def test_a_correction_keeps_hard_constraints(name):
    problem = problems.make(name, **SMALL[name])
    soft = problems.make(name, **SMALL[name], hard_constraints=False)
    inputs = samples(problem)
    model, params = network(problem, jax.random.key(0))

    @jax.jit
    def fields_and_violations():
        channels = max(len(problem.fields), 1)
        first = predictor(problem, lambda params, x, axes: x[..., :channels])
        u = first({}, inputs)
        better = corrector(problem, model.apply)(params, inputs, u)
        both = [
            [jax.vmap(constraint)(field, inputs) for field in (u, better)]
            for constraint in soft.constraints.values()
        ]
        return u, better, both

    u, better, violations = jax.tree.map(np.asarray, fields_and_violations())
    assert np.abs(better - u).max() > 1e-6 * np.abs(u).max()
    assert violations
    for before, after in violations:
        change = after - before
        if change.ndim == 2 and change.shape[1] == 3 * problem.grid.shape[-1]:
            # KdV's slope is zero in the limit, not in differences on 14 nodes.
            change = change[:, : 2 * problem.grid.shape[-1]]
        np.testing.assert_allclose(change, 0.0, atol=1e-6 * np.abs(u).max())


@pytest.mark.parametrize("factor", [1e-3, 50.0])
def test_a_corrector_has_no_scale(factor, x64):
    """The linear equation in units of `factor`: the correction scales with it."""
    one = problems.diffusion(**SMALL["diffusion"])
    large = problems.diffusion(**SMALL["diffusion"], sigma=0.2 * factor)
    model, params = network(one, jax.random.key(1))
    params = jax.tree.map(lambda x: x.astype(jnp.float64), params)
    inputs = samples(one)
    u = perturbed(one, inputs)
    scaled = jax.tree.map(lambda x: factor * x, inputs)
    expected = factor * correct_once(one, model.apply)(params, inputs, u)
    result = correct_once(large, model.apply)(params, scaled, factor * u)
    np.testing.assert_allclose(result, expected, rtol=1e-9)
    assert float(jnp.abs(expected - factor * u).max()) > 1e-3 * factor * 0.2


def newton_stage(problem):
    """A problem and a network with which a corrector is one step of Newton's method.

    `error_of` is the raw output that solves the linearised equations exactly, and the
    network hands it on.
    """
    scale = problem.scale(jax.tree.map(lambda x: x[0], samples(problem)))

    def error_of(residual, u, inputs):
        def of_raw(raw):
            lifting = problem.constrain(jnp.zeros_like(u), inputs)
            field = problem.constrain(raw.reshape(u.shape), inputs) - lifting
            return problem.residual(u + field, inputs).ravel()

        slope = jax.jacfwd(of_raw)(jnp.zeros(u.size))
        # Least squares, because raw does not count where a constraint holds u.
        return jnp.linalg.lstsq(slope, -residual.ravel())[0].reshape(u.shape)

    def apply(params, features, axes):
        del params, axes
        return scale * features[..., -3:-2]  # error / rho

    return dataclasses.replace(problem, error_of=error_of), apply


def after_the_start(problem):
    """Without the residual at t = 0, where u is given: equations equal unknowns."""
    return dataclasses.replace(
        problem, residual=lambda u, inputs: problem.residual(u, inputs)[..., 1:]
    )


def residual_size(problem, u, inputs):
    return float(np.abs(jax.jit(jax.vmap(problem.residual))(u, inputs)).max())


@pytest.mark.parametrize("name", ["diffusion", "darcy"])
def test_with_the_exact_inverse_one_application_solves_a_linear_equation(name, x64):
    problem = problems.make(name, **SMALL[name])
    problem = problem if name == "darcy" else after_the_start(problem)
    exact, apply = newton_stage(problem)
    inputs = samples(problem)
    u = perturbed(problem, inputs)
    better = correct_once(exact, apply)({}, inputs, u)
    before, after = (residual_size(problem, field, inputs) for field in (u, better))
    # What lstsq leaves in double precision.
    assert before > 1e-2 and after < 1e-9 * before


def test_with_the_exact_inverse_burgers_converges_quadratically(x64):
    problem = after_the_start(problems.burgers(**SMALL["burgers"], moving_frame=False))
    exact, apply = newton_stage(problem)
    inputs = samples(problem)
    u, sizes = perturbed(problem, inputs, size=1.0), []
    newton_step = correct_once(exact, apply)
    for _ in range(5):
        sizes.append(residual_size(problem, u, inputs))
        u = newton_step({}, inputs, u)
    # log r_{k+1} / log r_k tends to 2: the residual is squared, not divided.
    falls = [np.log(b / a) for a, b in zip(sizes, sizes[1:], strict=False)]
    assert sizes[-1] < 1e-10 * sizes[0]
    assert falls[2] < 1.6 * falls[1] < 1.6**2 * falls[0] < 0


def test_one_stage_is_todays_operator_bit_for_bit():
    problem = problems.burgers(**SMALL["burgers"])
    model, params = network(problem, jax.random.key(0), stage=1)
    inputs = samples(problem)
    alone = jax.jit(predictor(problem, model.apply))(params, inputs)
    staged = jax.jit(staged_predictor(problem, [model.apply], last_applied=3))
    np.testing.assert_array_equal(staged((params,), inputs), alone)


def test_composition_equals_the_stages_by_hand():
    problem = problems.burgers(**SMALL["burgers"])
    model, first = network(problem, jax.random.key(0), stage=1)
    later = tuple(network(problem, jax.random.key(k))[1] for k in (1, 2))
    inputs, correct = samples(problem), corrector(problem, model.apply)

    @jax.jit
    def by_hand(stages, inputs):
        first, second, third = stages
        u = predictor(problem, model.apply)(first, inputs)
        for params in (second, third):
            u = correct(params, inputs, u)
        return u

    staged = jax.jit(staged_predictor(problem, [model.apply] * 3))
    stages = (first, *later)
    np.testing.assert_array_equal(staged(stages, inputs), by_hand(stages, inputs))


@pytest.mark.parametrize("left, kept", [(0.5, 3), (-0.5, 3), (2.5, 1), (-2.5, 1)])
def test_the_last_corrector_goes_on_while_errors_fall(left, kept, x64):
    """With a network that leaves a share of the exact error after each correction."""
    problem = problems.diffusion(**SMALL["diffusion"])
    exact, apply = newton_stage(after_the_start(problem))
    inputs = samples(problem)

    def first(params, features, axes):
        del params, axes
        return jnp.ones_like(features[..., :1])

    def leaves_a_share(params, features, axes):
        return (1 - left) * apply(params, features, axes)

    stages = [first, leaves_a_share]
    after = jax.jit(stage_fields(exact, stages, last_applied=3))(({}, {}), inputs)
    changes = [float(jnp.abs(b - a).max()) for a, b in itertools.pairwise(after)]
    assert sum(change > 0 for change in changes) == kept, changes


def test_an_exact_field_is_left_alone(x64):
    """Where nothing is left to correct, a corrector changes nothing that matters."""
    problem = problems.diffusion(**SMALL["diffusion"])
    inputs = {"u0": jnp.full((1, 8), 0.3)}
    model, params = network(problem, jax.random.key(0))
    u = jax.jit(jax.vmap(problem.solve))(inputs)
    better = correct_once(problem, model.apply)(params, inputs, u)
    np.testing.assert_allclose(better, u, atol=1e-8)
    assert np.isfinite(np.asarray(better)).all()


def test_the_network_sees_a_moving_wave_at_rest(x64):
    """`into_frame` undoes what a mean velocity does to a correction."""
    problem = problems.burgers(**SMALL["burgers"])
    x, t = (np.asarray(axis) for axis in problem.grid.scaled)
    raw = jnp.asarray(np.sin(2 * np.pi * x)[:, None] * np.cos(3 * t)[None])
    still = {"u0": jnp.asarray(0.3 * np.cos(4 * np.pi * x))}
    moving = {"u0": still["u0"] + 0.7}

    @jax.jit
    def change(inputs):
        lifting = problem.constrain(jnp.zeros_like(raw), inputs)
        return problem.constrain(raw, inputs) - lifting

    assert float(jnp.abs(change(moving) - change(still)).max()) > 0.1
    seen = jax.jit(problem.into_frame)(change(moving), moving)
    np.testing.assert_allclose(seen, change(still), atol=1e-12)
