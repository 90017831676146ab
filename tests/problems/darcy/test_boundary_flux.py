"""Flux through a side: closed forms, an order, conservation, hard zeros elsewhere."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pilno_jax.numerics.random_fields import two_phase
from pilno_jax.problems.darcy import darcy

SIGMA = 0.2
TINY = {"num_points": 13, "num_fine": 13, "label_points": 4}


def flux_problem(**options):
    return darcy(boundary="neumann", boundary_sigma=SIGMA, **{**TINY, **options})


def given(problem, medium, flux):
    return problem.complete({"a_fine": medium, "q_fine": jnp.asarray(flux)})


def two_phases(n):
    nodes = np.linspace(0.0, 1.0, n)
    return two_phase(jax.random.key(5), nodes, (3.0, 12.0), "neumann", 3.0)


def test_the_discrete_answer_to_a_wave_of_flux_in_a_constant_medium(x64):
    """sin(pi y) sinh(kappa (1 - x)), with the kappa of the grid."""
    n, a = 13, 3.0
    problem, medium = flux_problem(), np.full((13, 13), 3.0)
    s, h = np.linspace(0.0, 1.0, n), 1 / (n - 1)
    wave = np.sin(np.pi * s)
    u, without = (
        np.asarray(problem.solve(given(problem, medium, q))) for q in (wave, 0 * wave)
    )
    kappa = 2 / h * np.arcsinh(np.sin(np.pi * h / 2))
    exact = np.outer(np.sinh(kappa * (1 - s)), wave)
    exact *= h / (a * np.cosh(kappa) * np.sinh(kappa * h))
    np.testing.assert_allclose(u - without, exact, atol=1e-12)
    # On ever finer grids it is the solution of Laplace's equation.
    height = np.tanh(np.pi) / (np.pi * a)
    assert exact[0].max() == pytest.approx(height, rel=0.02)


def test_the_reference_solves_the_equations_of_its_grid_and_nothing_is_lost(x64):
    """What the source makes and the side lets in leaves through the other sides."""
    problem = flux_problem()
    flux = 0.3 + np.cos(np.linspace(0.0, 4.0, 13))
    inputs = given(problem, two_phases(13), flux)
    u = problem.solve(inputs)
    np.testing.assert_allclose(problem.residual(u, inputs), 0.0, atol=1e-9)
    h, rows = 1 / 12, jnp.concatenate([inputs["a_left"][None], inputs["a_y"]])
    half = np.where(np.arange(12) == 0, 0.5, 1.0)  # the cells of the side
    out = jnp.sum(inputs["a_x"][-1] * u[-2, 1:-1])
    for beside, faces in ((u[:-1, 1], rows[:, 0]), (u[:-1, -2], rows[:, -1])):
        out = out + jnp.sum(half * faces * beside)
    made = h**2 * 11 * half.sum() + h * flux[1:-1].sum()
    assert float(out) == pytest.approx(made, rel=1e-9)


def test_the_answer_converges_at_second_order(x64):
    """In a smooth medium, to that of the finest grid."""

    def answer(n):
        x, y = np.meshgrid(*2 * [np.linspace(0.0, 1.0, n)], indexing="ij")
        problem = flux_problem(num_points=n, num_fine=n)
        flux = np.sin(np.pi * y[0]) ** 2
        return problem.solve(given(problem, 2 + np.sin(3 * x + y), flux))[
            :: (n - 1) // 12, :: (n - 1) // 12
        ]

    coarse, middle, fine = answer(13), answer(25), answer(49)
    order = np.log2(np.abs(middle - coarse).max() / np.abs(fine - middle).max())
    assert order == pytest.approx(2, abs=0.15)


def test_faces_of_the_side_are_those_of_the_mirrored_medium():
    """A coarse face along the side conducts like one inside the medium and its mirror
    image."""
    problem = flux_problem(num_points=4, num_fine=13)
    medium = np.asarray(two_phases(13))
    mirrored = np.concatenate([medium[:0:-1], medium])
    series = 1 / (2 / (mirrored[:, 1:] + mirrored[:, :-1])).reshape(25, 3, 4).mean(2)
    weights = np.array([0.5, 1, 1, 1, 0.5]) / 4
    expected = weights @ series[10:15]
    found = given(problem, medium, np.zeros(13))["a_left"]
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_the_measure_is_the_square_of_a_relative_error_and_error_of_the_answer(x64):
    problem = flux_problem()
    inputs = given(problem, np.full((13, 13), 1.0), np.zeros(13))
    u = problem.solve(inputs)
    for missing in (1.0, 0.1):
        left = problem.residual((1 - missing) * u, inputs)
        assert float(problem.measure(left)) == pytest.approx(missing**2, rel=1e-9)
    wrong = u + problem.constrain(jnp.ones(problem.shape), inputs)
    told = problem.error_of(problem.residual(wrong, inputs), wrong, inputs)
    np.testing.assert_allclose(told, wrong - u, atol=1e-12)


def test_three_sides_are_hard_and_the_fourth_is_free(x64):
    hard, soft = flux_problem(), flux_problem(hard_constraints=False)
    inputs = given(hard, np.full((13, 13), 3.0), np.ones(13))
    raw = jnp.asarray(np.random.default_rng(0).normal(size=hard.shape))
    u = np.asarray(hard.constrain(raw, inputs))
    assert not u[-1].any() and not u[:, [0, -1]].any() and np.all(u[:-1, 1:-1] != 0)
    np.testing.assert_array_equal(soft.constraints["bc"](u, inputs), 0.0)
    np.testing.assert_allclose(soft.constraints["bc"](u + 0.01, inputs), 1.0)


def test_draws_share_the_medium_and_one_function_on_both_grids():
    options = {"num_points": 13, "num_fine": 25}
    problem, key = flux_problem(**options), jax.random.key(3)
    laws = problem.sample, darcy(**{**TINY, **options}).sample
    inputs, without = jax.jit(lambda key: [law(key) for law in laws])(key)
    np.testing.assert_array_equal(inputs["a"], without["a"])
    np.testing.assert_array_equal(inputs["q"], inputs["q_fine"][::2])
    keys = jax.random.split(key, 400)
    draws = jax.jit(jax.vmap(lambda one: problem.sample(one)["q"]))(keys)
    # Of 400 normal numbers, to five standard deviations; both ends are free.
    assert np.std(draws[:, 7]) == pytest.approx(SIGMA, rel=0.18)
    assert abs(np.corrcoef(draws[:, 0], draws[:, -1])[0, 1]) < 0.5
    # A medium that a person drew has none: features stay finite.
    drawn = problem.complete({"a": np.full((13, 13), 3.0)})
    seen = jax.jit(problem.features)(drawn)
    assert np.isfinite(seen).all() and not np.any(drawn["q"])


def test_bad_options_are_named():
    with pytest.raises(ValueError, match="boundary = 'robin' .*neumann"):
        darcy(boundary="robin")
    with pytest.raises(ValueError, match="measure = 'l2' .*neumann"):
        flux_problem(measure="l2")
    with pytest.raises(ValueError, match="boundary_sigma = 0.0 .*positive"):
        darcy(boundary="neumann", **TINY)
