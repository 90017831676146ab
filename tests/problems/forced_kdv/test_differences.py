"""Differences in x: stable for errors, and, of "stable" ends, those of the residual."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pilno_jax.numerics.derivatives import finite_difference
from pilno_jax.numerics.grids import Axis
from pilno_jax.problems import forced_kdv
from pilno_jax.problems.forced_kdv.differences import ENDS, one_sided, stable

AXIS = Axis("x", -5.0, 5.0, 60)
X = AXIS.nodes()


@pytest.mark.parametrize("ends", ENDS)
@pytest.mark.parametrize("num_points", [9, 60, 100])
def test_no_mode_of_an_error_grows(ends, num_points):
    differences = ENDS[ends](Axis("x", -5.0, 5.0, num_points))
    assert np.linalg.eigvals(differences.error_third).real.min() > 0.0


def test_those_of_order_six_up_to_the_ends_have_modes_that_grow():
    """The reason for the choice: per unit of time, with beta = 1."""
    inner = finite_difference(AXIS, 3, 6)[1:-1, 1:-1]
    assert np.linalg.eigvals(inner).real.min() < -100.0


@pytest.mark.parametrize("ends", ENDS)
def test_errors_are_differentiated_exactly_where_they_are_cubic(ends):
    inner = X[1:-1]
    cubic = (inner + 5.0) * (inner - 5.0) ** 2
    found = ENDS[ends](AXIS).error_third @ cubic
    # Rows that see the ghost node, which mirrors, are right for what is even about L.
    np.testing.assert_allclose(found[:-3], 6.0, rtol=1e-6)
    np.testing.assert_allclose(
        ENDS[ends](AXIS).error_third[-3:] @ (inner - 5.0) ** 2, 0.0, atol=1e-8
    )


def test_the_given_slope_counts_at_the_right_end(x64):
    """A quadratic has no third derivative, if the slope is its own."""
    third = stable(AXIS).third
    u, slope = jnp.asarray((X - 1.0) ** 2)[:, None], 2.0 * (5.0 - 1.0)
    np.testing.assert_allclose(third(u, jnp.full(1, slope)), 0.0, atol=1e-8)
    changed = np.abs(third(u, jnp.full(1, slope + 1.0)))
    assert changed[-4:].min() > 1.0 and changed[:-4].max() < 1e-8


def test_inside_the_order_is_six(x64):
    def deviation(num_points):
        axis = Axis("x", -5.0, 5.0, num_points)
        x = jnp.asarray(axis.nodes())
        u_xxx = stable(axis).third(jnp.sin(x)[:, None], jnp.cos(x[-1:]))
        return jnp.abs(u_xxx[:, 0] + jnp.cos(x))[num_points // 4 : -num_points // 4]

    coarse, fine = deviation(50).max(), deviation(99).max()
    assert np.log2(coarse / fine) == pytest.approx(6.0, abs=0.2)


@pytest.mark.parametrize("ends", ENDS)
def test_stable_ends_are_the_same_for_the_residual_and_its_error(ends, x64):
    """The change of the residual's d_xxx by any error that vanishes at the ends."""
    differences = ENDS[ends](AXIS)
    errors = jax.random.normal(jax.random.key(0), (AXIS.num_points - 2, 3))
    whole, slope = jnp.pad(errors, ((1, 1), (0, 0))), jnp.zeros(3)
    change = np.asarray(differences.third(whole, slope))[1:-1]
    same = np.allclose(change, differences.error_third @ errors, atol=1e-8)
    assert same == (ends == "stable")


def test_what_a_residual_tells_of_a_fine_error(x64):
    """Ripples, of which a corrected field's error mostly consists."""

    @jax.jit
    def missed(key):
        shares = []
        for ends in ("stable", "one_sided"):
            problem = forced_kdv(num_x=60, num_t=60, ends=ends)
            inputs = problem.sample(key)
            u = problem.solve(inputs)
            grid = problem.grid
            x, t = (grid.broadcast(z, i) for i, z in enumerate(grid.scaled))
            raw = jnp.cos(24 * jnp.pi * x) * jnp.cos(2 * t)
            lifting = problem.constrain(jnp.zeros_like(u), inputs)
            error = 1e-4 * (problem.constrain(raw, inputs) - lifting)
            change = problem.residual(u + error, inputs) - problem.residual(u, inputs)
            guess = problem.error_of(change, u, inputs)
            shares.append(jnp.linalg.norm(guess - error) / jnp.linalg.norm(error))
        return shares

    same, other = np.asarray(missed(jax.random.key(2)))
    # Five nodes a wave: 0.006 and 0.54. What is left of the first is theta's, in t.
    assert same < 0.02 < 0.4 < other


def test_lower_orders_at_the_ends_cost_the_error_little(x64):
    """The truth, corrected by its own residual, moves less on a finer grid."""

    def moved(num_points):
        problem = forced_kdv(
            num_x=num_points, num_t=2 * num_points - 1, family="C", ends="stable"
        )

        @jax.jit
        def share(key):
            inputs = problem.sample(key)
            u = problem.solve(inputs)
            e = problem.error_of(problem.residual(u, inputs), u, inputs)
            return jnp.linalg.norm(e) / jnp.linalg.norm(u)

        return float(share(jax.random.key(0)))

    coarse, fine = moved(40), moved(79)
    assert np.log2(coarse / fine) > 3.5  # 4, that of the residual in t


def test_a_grid_too_small_is_named():
    with pytest.raises(ValueError, match="num_points of axis 'x' = 5 .* at least"):
        stable(Axis("x", 0.0, 1.0, 5))
    with pytest.raises(ValueError, match="ends = 'open' .*one_sided.*stable"):
        forced_kdv(ends="open")


def test_one_sided_ends_are_of_order_six_up_to_the_ends(x64):
    axis = Axis("x", -5.0, 5.0, 60)
    sextic = jnp.asarray(axis.nodes() ** 6)[:, None]
    expected = 120.0 * axis.nodes() ** 3
    found = one_sided(axis).third(sextic, jnp.zeros(1))[:, 0]
    np.testing.assert_allclose(found, expected, atol=1e-5)
