"""Darcy's reference and residual against scipy and manufactured solutions."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from darcy_oracle import SMALL, direct, relative, smooth_medium

from pilno_jax.numerics.poisson import unit_membrane
from pilno_jax.problems.darcy import darcy, inputs_from, solve_flow


def manufactured_error(n, fine):
    """Largest truncation error of the residual, u = sin(pi x) sin(2 pi y)."""
    a_fine, *_ = smooth_medium(fine)
    a, x, y = smooth_medium(n)
    pi = np.pi
    u = np.sin(pi * x) * np.sin(2 * pi * y)
    u_x = pi * np.cos(pi * x) * np.sin(2 * pi * y)
    u_y = 2 * pi * np.sin(pi * x) * np.cos(2 * pi * y)
    a_x = 3 * np.cos(3 * x + y) * np.cos(2 * y)
    a_y = a_x / 3 - 2 * np.sin(3 * x + y) * np.sin(2 * y)
    source = 5 * pi**2 * a * u - a_x * u_x - a_y * u_y
    problem = darcy(num_points=n, num_fine=fine, label_points=n)
    residual = problem.residual(jnp.asarray(u), inputs_from(a_fine, n))
    return np.abs(residual + 1.0 - source[1:-1, 1:-1]).max()


@pytest.mark.parametrize("refined", [True, False])
def test_residual_is_of_second_order(x64, refined):
    """With faces averaged from a finer grid and, at ratio 1, from the grid itself."""
    sizes = [16, 31, 61]
    errors = [manufactured_error(n, 121 if refined else n) for n in sizes]
    orders = np.log2(np.divide(errors[:-1], errors[1:]))
    assert np.all(np.abs(orders - 2) < 0.1), orders


def test_reference_is_of_second_order(x64):
    def solution(fine):
        medium, *_ = smooth_medium(fine)
        problem = darcy(num_points=16, num_fine=fine, label_points=4)
        return np.asarray(problem.solve(inputs_from(medium, 16)))

    finest = solution(121)
    errors = [np.abs(solution(fine) - finest).max() for fine in (16, 31, 61)]
    # Against the 121 grid the errors are C (h^2 - h_121^2): ratios 63/15 and 15/3.
    orders = np.divide(errors[:-1], errors[1:]) / np.array([63 / 15, 15 / 3])
    assert np.all(np.abs(orders - 1) < 0.05), orders


def test_constant_medium_is_solved_exactly(x64):
    problem = darcy(**SMALL)
    inputs = inputs_from(np.full((121, 121), 3.0), 31)
    exact = unit_membrane(31) / 3.0
    assert np.abs(problem.residual(jnp.asarray(exact), inputs)).max() < 1e-11
    # Poisson's equation on the unit square: max u = 0.0736713533 (series).
    fine = problem.on(121, 121).solve(inputs)
    assert abs(3.0 * fine.max() - 0.0736713533) < 2e-5


@pytest.fixture(scope="module")
def medium():
    """A draw of the default law on 121 nodes, in double precision and in single."""
    single = darcy(**SMALL).on(121, 121).sample(jax.random.key(0))
    with jax.enable_x64(True):
        double = inputs_from(np.asarray(single["a_fine"], np.float64), 121)
    return {"single": single, "double": double}


def test_reference_agrees_with_scipy_in_double(x64, medium):
    problem, inputs = darcy(**SMALL).on(121, 121), medium["double"]
    u = problem.solve(inputs)
    assert relative(u, direct(inputs)) < 1e-10
    # Written apart from each other, solver and residual agree on what the equation is.
    residual = problem.residual(u, inputs)
    assert np.abs(residual).max() < 1e-8
    assert problem.measure(residual) < 1e-20
    wrong = problem.residual(1.1 * u, inputs)
    np.testing.assert_allclose(wrong, 0.1, rtol=1e-6)


def test_reference_agrees_with_scipy_in_single(medium):
    inputs = medium["single"]
    u = darcy(**SMALL).on(121, 121).solve(inputs)
    assert u.dtype == jnp.float32
    assert relative(u, direct(inputs)) < 1e-6
    coarse = darcy(**SMALL).solve(inputs_from(inputs["a_fine"], 31))
    np.testing.assert_array_equal(coarse, u[::4, ::4])


def test_high_contrast_still_converges(x64):
    problem = darcy(values=(1e-2, 1e2), **SMALL).on(121, 121)
    inputs = problem.sample(jax.random.key(0))
    assert relative(problem.solve(inputs), direct(inputs)) < 1e-8


@pytest.mark.parametrize(("steps", "enough"), [(16, True), (5, False)])
@pytest.mark.parametrize("points", [31, 121])
def test_an_unconverged_reference_is_nan(medium, points, steps, enough):
    """The preconditioner makes the steps independent of the grid: 12 at contrast 4."""
    inputs = inputs_from(medium["single"]["a_fine"], points)
    u = solve_flow(inputs["a_x"], inputs["a_y"], max_steps=steps)
    assert np.isnan(u[1:-1, 1:-1]).any() != enough


def test_floor_of_the_training_grid(x64):
    """A perfect fit of the 61-grid equations is this far from the 241 truth."""
    problem = darcy()
    floors = []
    for seed in range(2):
        inputs = problem.sample(jax.random.key(seed))
        truth = problem.solve(inputs)
        floors.append(relative(direct(inputs), truth))
        naive = inputs_from(inputs["a"], 61)
        assert relative(direct(naive), truth) > 1.5 * floors[-1]
    assert 5e-4 < np.mean(floors) < 2.5e-3, floors


def test_pressure_is_positive_and_vanishes_on_the_boundary():
    problem = darcy(**SMALL)
    u = problem.solve(problem.sample(jax.random.key(0)))
    assert u.shape == problem.grid.shape == (31, 31)
    assert u[1:-1, 1:-1].min() > 0
    for side in (u[0], u[-1], u[:, 0], u[:, -1]):
        assert np.all(side == 0)
    assert 0.008 < u.max() < 0.02
    # Its mean lies between those of the two pure media.
    membrane = unit_membrane(31).mean()
    assert membrane / 12 < u.mean() < membrane / 3


def test_zero_has_the_residual_minus_the_source():
    problem = darcy(source=2.0, **SMALL)
    inputs = problem.sample(jax.random.key(0))
    zero = jnp.zeros((31, 31))
    np.testing.assert_array_equal(problem.residual(zero, inputs), -2.0)
    once = darcy(**SMALL).solve(inputs)
    np.testing.assert_allclose(problem.solve(inputs), 2 * once, rtol=1e-6)


def test_reference_is_differentiable_in_the_medium(x64):
    problem = darcy(num_points=13, num_fine=13, label_points=4)
    rng = np.random.default_rng(0)
    a, change = rng.uniform(3.0, 12.0, (2, 13, 13))

    def total(a):
        return problem.solve({"a_fine": a}).sum()

    slope = jnp.vdot(jax.grad(total)(jnp.asarray(a)), change)
    step = 1e-4
    expected = (total(a + step * change) - total(a - step * change)) / (2 * step)
    assert abs(slope / expected - 1) < 1e-7


def test_wrong_fields_are_named():
    good = np.full((25, 25), 3.0)
    problem = darcy(num_points=13, num_fine=25, label_points=4)
    inputs = inputs_from(good, 13)
    with pytest.raises(ValueError, match=r"shape of u = \(7, 7\)"):
        problem.residual(jnp.zeros((7, 7)), inputs)
    with pytest.raises(ValueError, match="shape of a_fine"):
        problem.solve(inputs_from(good[::2, ::2], 13))
