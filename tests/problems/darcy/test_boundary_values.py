"""Pressure on the boundary: closed forms, an order, and values no output can miss."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pilno_jax.problems.darcy import darcy, inputs_from

TINY = {"num_points": 13, "num_fine": 13, "label_points": 4}


def walk(field):
    """The boundary of an array, from (0, 0) by (1, 0), (1, 1) and (0, 1)."""
    sides = field[:-1, 0], field[-1, :-1], field[:0:-1, -1], field[0, :0:-1]
    return jnp.asarray(np.concatenate(sides))


def given(medium, u, num_points):
    """Inputs with the boundary values of a field on the fine grid."""
    problem = darcy(num_points=num_points, num_fine=len(u), label_points=4)
    stride = (len(u) - 1) // (num_points - 1)
    data = {"g": walk(u[::stride, ::stride]), "g_fine": walk(u)}
    return inputs_from(medium, problem.grid.shape[0]) | data


def graded(n):
    """a = 1 + x and u(x) = 3 log(1 + x) - x: the flux a u' = 2 - x falls by 1."""
    x = np.broadcast_to(np.linspace(0.0, 1.0, n)[:, None], (n, n))
    return 1 + x, 3 * np.log1p(x) - x


def tilted(n, degrees=30.0):
    """A harmonic polynomial, whose second differences are exact, turned."""
    x, y = np.meshgrid(*2 * [np.linspace(0.0, 1.0, n)], indexing="ij")
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return c * (x**2 - y**2) + s * x * y + 0.3 * x - 0.5 * y + 0.2


def test_a_harmonic_polynomial_in_a_constant_medium_is_exact(x64):
    """Added to it, what the source makes of zero boundary values."""
    n, medium, field = 13, np.full((13, 13), 3.0), tilted(13)
    problem = darcy(boundary_sigma=0.01, **TINY)
    inputs = given(medium, field, n)
    u = problem.solve(inputs)
    without = darcy(**TINY).solve(inputs_from(medium, n))
    np.testing.assert_allclose(u, field + without, atol=1e-11)
    np.testing.assert_allclose(problem.residual(u, inputs), 0.0, atol=1e-8)


def test_reference_and_residual_are_of_second_order(x64):
    """In a medium that grows along x."""

    def errors(n):
        medium, exact = graded(n)
        options = {"num_points": n, "num_fine": n, "label_points": 4}
        problem, inputs = darcy(boundary_sigma=0.01, **options), given(medium, exact, n)
        left = problem.residual(jnp.asarray(exact), inputs)
        return [np.abs(problem.solve(inputs) - exact).max(), np.abs(left).max()]

    orders = np.log2(np.divide(errors(13), errors(25)))
    # The largest residual is at the first inner node, which is nearer to x = 0 then.
    assert np.all(np.abs(orders - 2) < [0.1, 0.25]), orders


def test_boundary_values_are_hard_and_penalties_know_them(x64):
    hard = darcy(boundary_sigma=0.01, **TINY)
    soft = darcy(boundary_sigma=0.01, hard_constraints=False, **TINY)
    inputs = given(np.full((13, 13), 3.0), tilted(13), 13)
    raw = jnp.asarray(np.random.default_rng(0).normal(size=hard.shape))
    u = hard.constrain(raw, inputs)
    np.testing.assert_allclose(walk(u), inputs["g"], atol=1e-12)
    assert np.abs(np.asarray(u)[1:-1, 1:-1] - tilted(13)[1:-1, 1:-1]).max() > 1e-3
    np.testing.assert_allclose(soft.constraints["bc"](u, inputs), 0.0, atol=1e-9)
    np.testing.assert_allclose(soft.constraints["bc"](u + 0.01, inputs), 1.0, atol=1e-9)


def test_draws_share_the_medium_and_one_function_on_both_grids():
    options = {"num_points": 13, "num_fine": 25, "label_points": 4}
    problem, key = darcy(boundary_sigma=0.01, **options), jax.random.key(3)
    laws = problem.sample, darcy(**options).sample
    inputs, without = jax.jit(lambda key: [law(key) for law in laws])(key)
    np.testing.assert_array_equal(inputs["a"], without["a"])
    np.testing.assert_array_equal(inputs["g"], inputs["g_fine"][::2])
    keys = jax.random.split(key, 400)
    draws = jax.jit(jax.vmap(lambda one: problem.sample(one)["g"]))(keys)
    # Of 400 normal numbers, to five standard deviations.
    assert np.std(draws[:, 7]) == pytest.approx(0.01, rel=0.18)
    # A medium that a person drew has none: features stay finite.
    drawn = problem.complete({"a": np.full((13, 13), 3.0)})
    seen = jax.jit(problem.features)(drawn)
    assert np.isfinite(seen).all() and not np.any(drawn["g"])


def test_bad_options_are_named():
    with pytest.raises(ValueError, match="boundary_sigma = -1.0 .* >= 0"):
        darcy(boundary_sigma=-1.0)
    with pytest.raises(ValueError, match="measure = 'energy' .*boundary_sigma"):
        darcy(boundary_sigma=0.01, measure="energy")
