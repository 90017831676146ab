"""Zeros of the residual are solutions, as exactly as the grid allows."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import toy

from pilno_jax import data, evaluation, problems
from pilno_jax.checks import ArgumentError
from pilno_jax.evaluation.newton import NotConverged, newton
from pilno_jax.problems.darcy import solve_flow

SMOOTH = {"length_scale": 2.0}
# A problem on a small grid, and how far it may be from its solver: about twice what is
# measured, which falls with the grid as the orders in test_every_problem.py say.
CASES = {
    # Advection and a moving frame: all samples share one Jacobian.
    "burgers": (problems.burgers(num_x=16, num_t=9, **SMOOTH), 5e-4),
    # Two fields at once, coupled.
    "brusselator": (problems.brusselator(num_x=12, num_t=13, **SMOOTH), 5e-4),
    "diffusion": (problems.diffusion(num_x=16, num_t=9, **SMOOTH), 5e-6),
    "rd_forcing": (problems.reaction_diffusion(num_x=13, num_t=9, **SMOOTH), 1.5e-2),
    "rd_ic": (
        problems.reaction_diffusion(task="ic", num_x=13, num_t=9, **SMOOTH),
        1e-4,
    ),
    # Initial and boundary values are rows among those of the equation.
    "soft": (
        problems.reaction_diffusion(
            num_x=13, num_t=9, hard_constraints=False, **SMOOTH
        ),
        1.5e-2,
    ),
}


def drawn(problem, count=3):
    keys = jax.random.split(jax.random.key(5), count)
    return jax.jit(jax.vmap(problem.sample))(keys)


@pytest.mark.parametrize("name", CASES)
def test_zeros_are_as_near_to_the_solver_as_the_grid_allows(name):
    problem, near = CASES[name]
    inputs = drawn(problem)
    truths = jax.jit(jax.vmap(problem.solve))(inputs)
    solve = newton(dataclasses.replace(problem, solve=None))
    found = solve(inputs)
    errors = evaluation.relative_errors(found.u.astype(np.float32), truths)
    assert errors.max() < near
    again = solve(inputs, start=found.u)
    assert (again.steps <= 2).all()
    np.testing.assert_allclose(again.u, found.u, atol=1e-6 * np.abs(found.u).max())


def test_one_step_leaves_the_square_of_the_error():
    """Half the distance from the zero before it is a quarter of that after it."""
    plain = toy.decay()
    times = plain.grid.axes[1].scaled[None]
    problem = dataclasses.replace(
        plain,
        residual=lambda u, inputs: plain.residual(u, inputs) - u + u**2,
        constrain=lambda raw, inputs: inputs["u0"][:, None] + times * raw,
        constraints={},
    )
    inputs = jax.tree.map(lambda x: jnp.repeat(x, 2, 0), drawn(problem, 1))
    step = newton(problem, most_steps=1)
    u = step(inputs).u
    for _ in range(4):
        u = step(inputs, start=u).u
    bump = np.random.default_rng(0).normal(size=problem.shape) * np.asarray(times)
    distance = np.asarray([0.04, 0.02])[:, None, None] * bump
    after = step(inputs, start=u + distance)
    assert after.steps.tolist() == [1, 1]
    left, half = np.linalg.norm(after.u - u, axis=(1, 2))
    assert left < 0.1 * np.linalg.norm(distance[0])
    # The next power of the distance, and the step's linear tolerance of 1e-4.
    assert left / half == pytest.approx(4, rel=0.15)


def test_the_zero_of_a_linear_equation_is_that_of_a_direct_solver():
    """Darcy: media of two phases, each with a Jacobian of its own."""
    problem = problems.darcy(num_points=13, num_fine=25, label_points=5)
    inputs = drawn(problem)
    u = newton(problem)(inputs).u
    direct = jax.vmap(solve_flow)(inputs["a_x"], inputs["a_y"])
    # Single precision of the direct solver.
    assert evaluation.relative_errors(u.astype(np.float32), direct).max() < 1e-5


def test_the_closed_form_of_a_soft_problem():
    problem = dataclasses.replace(toy.decay(), solve=None)
    inputs = {"u0": np.array([[1.0, 2.0, 0.5, 3.0]], np.float32)}
    exact = inputs["u0"][..., None] * np.exp(-np.linspace(0.0, 1.0, toy.NUM_T))
    # Differences of order 4 and a step of 1/8: 2e-5.
    np.testing.assert_allclose(newton(problem)(inputs).u, exact, rtol=1e-4)


def test_least_squares_where_there_are_more_equations_than_unknowns(x64):
    """The equation also holds at t = 0, where u is given: the dense solution's word."""
    problem = problems.burgers(num_x=12, num_t=7, moving_frame=False, **SMOOTH)
    inputs = problem.sample(jax.random.key(1))
    start = jnp.broadcast_to(inputs["u0"][:, None], problem.grid.shape)

    def field(free):
        return start.at[:, 1:].set(free.reshape(12, 6))

    def rows(free):
        return problem.residual(field(free), inputs).ravel()

    free = start[:, 1:].ravel()
    for _ in range(8):
        jacobian = np.asarray(jax.jacfwd(rows)(free))
        free = free - np.linalg.lstsq(jacobian, np.asarray(rows(free)))[0]
    u = newton(problem)(jax.tree.map(lambda x: x[None], inputs)).u[0]
    np.testing.assert_allclose(u, field(free), atol=1e-7)


def test_an_equation_without_a_solution_says_so():
    problem = dataclasses.replace(
        toy.decay(), solve=None, residual=lambda u, inputs: u**2 + 1.0
    )
    with pytest.raises(NotConverged, match="'decay' for 2 of 2 inputs.*well posed"):
        newton(problem)(drawn(problem, 2))


def test_a_grid_that_is_too_large_is_named():
    with pytest.raises(
        ArgumentError, match="nodes of the grid = 10000.*`Problem.solve`"
    ):
        newton(problems.diffusion(num_x=100, num_t=100))


def test_labels_without_a_solver():
    problem, _ = CASES["diffusion"]
    key = jax.random.key(0)
    solved = data.generate(problem, key, 3, chunk=2)
    without = dataclasses.replace(problem, solve=None)
    labelled = data.generate(without, key, 3, chunk=2)
    np.testing.assert_array_equal(labelled["inputs"]["u0"], solved["inputs"]["u0"])
    assert labelled["labels"].dtype == np.float32
    errors = evaluation.relative_errors(labelled["labels"], solved["labels"])
    assert 0 < errors.max() < 1e-4
