"""Neumann's ends: a closed form, slopes that no output can miss, and their error."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pilno_jax import problems
from pilno_jax.numerics.derivatives import derivative

LEFT, RIGHT, DIFFUSIVITY = 0.7, -0.4, 0.05
SHORT = {"boundary": "neumann", "boundary_sigma": 0.5, "final_time": 0.1}


def made(num_x, num_t, **options):
    options = {"reaction": (0.0, 1.0), "diffusivity": DIFFUSIVITY, **SHORT, **options}
    return problems.reaction_diffusion(num_x=num_x, num_t=num_t, **options)


def parabola(x):
    return LEFT * (x - x**2 / 2) + RIGHT * x**2 / 2


def inputs_of(problem, reaction):
    """At the start u changes like -cos(pi x), which is flat at the ends."""
    x = np.asarray(problem.grid.coordinates[0])
    curvature = DIFFUSIVITY * (RIGHT - LEFT)
    source = curvature + reaction * parabola(x) ** 2 + np.cos(np.pi * x)
    numbers = {"slope_left": LEFT, "slope_right": RIGHT, "reaction": reaction}
    return {k: jnp.asarray(value) for k, value in ({"f": source} | numbers).items()}


def without_reaction(problem):
    """The parabola, and a mode of the insulated rod that the source drives."""
    x, t = (np.asarray(one) for one in problem.grid.coordinates)
    rate = DIFFUSIVITY * np.pi**2
    driven = np.outer(np.cos(np.pi * x), -np.expm1(-rate * t) / rate)
    return parabola(x)[:, None] - driven


def test_the_reference_solves_the_equation(x64):
    problem = made(151, 9)
    linear, reacting = inputs_of(problem, 0.0), inputs_of(problem, 0.8)
    both = jax.tree.map(lambda *x: jnp.stack(x), linear, reacting)
    first, second = jax.jit(jax.vmap(problem.solve))(both)
    # Order 4 on 151 nodes, of fields of size 1.
    np.testing.assert_allclose(first, without_reaction(problem), atol=1e-8)
    left = problem.residual(second, reacting)
    assert float(jnp.sqrt(jnp.mean(left**2))) < 1e-5
    slopes = derivative(problem.grid.axes[0], 1, 6)[[0, -1]] @ second
    np.testing.assert_allclose(slopes, [[LEFT] * 9, [RIGHT] * 9], atol=1e-6)


def test_the_residual_of_the_closed_form_is_of_the_order_of_the_stencils(x64):
    def largest(num_x):
        problem = made(num_x, 13)
        u = jnp.asarray(without_reaction(problem))
        return np.abs(problem.residual(u, inputs_of(problem, 0.0))).max()

    assert np.log2(largest(13) / largest(25)) > 5.5


def test_slopes_and_start_are_hard(x64):
    problem, soft = made(17, 9), made(17, 9, hard_constraints=False)
    inputs = inputs_of(problem, 0.0)
    raw = np.random.default_rng(0).normal(size=problem.shape)
    u = np.asarray(problem.constrain(jnp.asarray(raw), inputs))
    x = np.asarray(problem.grid.coordinates[0])
    for end, slope in ((0, LEFT), (-1, RIGHT)):
        # The derivative of the polynomial through seven nodes, one by one.
        nodes = slice(0, 7) if end == 0 else slice(-7, None)
        fit = np.polynomial.Polynomial.fit(x[nodes], u[nodes, 5], 6)
        assert fit.deriv()(x[end]) == pytest.approx(slope, abs=1e-8)
    np.testing.assert_allclose(u[:, 0], parabola(x), atol=1e-12)
    for name, penalty in soft.constraints.items():
        np.testing.assert_allclose(penalty(u, inputs), 0.0, atol=1e-8, err_msg=name)
    steeper = soft.constraints["bc"](u + 2.0 * jnp.asarray(x)[:, None], inputs)
    np.testing.assert_allclose(steeper, 2.0, atol=1e-8)


def test_an_error_is_told_from_its_residual(x64):
    """e = t cos(pi x), whose residual grows in time, at the ends and between."""
    problem = made(25, 13, reaction=0.0)
    x, t = (np.asarray(one) for one in problem.grid.coordinates)
    inputs, truth = inputs_of(problem, 0.0), jnp.asarray(without_reaction(problem))
    error = np.outer(np.cos(np.pi * x), t)
    residual = problem.residual(truth + error, inputs)
    seen = problem.error_of(residual, truth + error, inputs)
    np.testing.assert_allclose(seen, error, atol=1e-5)


def test_insulated_ends_need_no_inputs():
    problem = problems.reaction_diffusion(boundary="neumann", num_x=17, num_t=9)
    inputs = problem.sample(jax.random.key(0))
    assert set(inputs) == {"f"} and r"u_x = 0" in problem.statement.conditions
    with pytest.raises(ValueError, match="boundary = 'neumann' .* Task 'ic'"):
        problems.reaction_diffusion(task="ic", boundary="neumann")
    with pytest.raises(ValueError, match="boundary = 'robin' .*'neumann'"):
        problems.reaction_diffusion(boundary="robin")
