"""Answers to a source at nodes, against closed forms and scipy's DOP853."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from pilno_jax.numerics.driven_systems import (
    damped_oscillation,
    driven,
    gauss_collocation,
    oscillation_response,
    response_matrix,
)
from pilno_jax.numerics.grids import Axis

TIMES = Axis("t", 0.0, 20.47, 512)
T = TIMES.low + TIMES.extent * TIMES.unit_nodes()


def decaying_sine(t):
    return 9.0 * np.exp(-0.05 * t) * np.sin(5 * t)


def duffing(y, f):
    return [y[1], f - y[0] - y[0] ** 3]


def lorenz(y, f):
    change = y[0] * y[1] - 8 / 3 * y[2] - f
    return [10 * (y[1] - y[0]), y[0] * (10 - y[2]) - y[1], change]


@pytest.mark.parametrize(
    "slope, start", [(duffing, (0.0, 0.0)), (lorenz, (1.0, 0.0, 0.0))]
)
def test_driven_is_right_to_eight_digits(x64, slope, start):
    exact = solve_ivp(
        lambda t, y: slope(y, decaying_sine(t)),
        (0.0, 20.47),
        start,
        method="DOP853",
        t_eval=T,
        rtol=1e-12,
        atol=1e-13,
    )
    evolve = jax.jit(driven(lambda y, f: jnp.stack(slope(y, f)), TIMES))
    found = evolve(jnp.asarray(start), jnp.asarray(decaying_sine(T)))
    # Seen: 6e-9 of an undamped Duffing oscillator of size 2, and 8e-10 of size 10.
    assert np.abs(np.asarray(found) - exact.y).max() < 1e-8 * np.abs(exact.y).max()


def test_driven_gains_ten_orders_where_the_source_is_known(x64):
    """Without a source only the method itself is left: x'' + x = 0 from (1, 0)."""

    def error(intervals):
        times = Axis("t", 0.0, 24.0, intervals + 1)
        evolve = driven(lambda y, f: jnp.stack([y[1], -y[0]]) + 0 * f, times, steps=1)
        found = evolve(jnp.asarray([1.0, 0.0]), jnp.zeros(intervals + 1))[0]
        return np.abs(np.asarray(found) - np.cos(np.linspace(0, 24, len(found)))).max()

    # Steps of 0.75 and 0.375 rad, where rounding is far away and Picard has converged.
    assert np.log2(error(32) / error(64)) > 9.5


@pytest.mark.parametrize("stages", [1, 2, 5])
def test_collocation_integrates_polynomials(stages):
    places, weights, integrals = gauss_collocation(stages)
    for power in range(stages):
        primitive = places ** (power + 1) / (power + 1)
        np.testing.assert_allclose(integrals @ places**power, primitive, atol=1e-13)
    for power in range(2 * stages):
        np.testing.assert_allclose(weights @ places**power, 1 / (power + 1))


@pytest.mark.parametrize("damping", [0.0, 0.5, 2.0, 5.0])
def test_a_damped_oscillation_answers_a_sine_in_closed_form(damping):
    """x'' + c x' + x = sin 5t from rest: undamped, damped, critical and beyond."""
    matrix = response_matrix(damped_oscillation(1.0, damping), TIMES)
    found = matrix @ np.sin(5 * T)
    exact = solve_ivp(
        lambda t, y: [y[1], np.sin(5 * t) - damping * y[1] - y[0]],
        (0.0, 20.47),
        (0.0, 0.0),
        method="DOP853",
        t_eval=T,
        rtol=1e-12,
        atol=1e-13,
    )
    np.testing.assert_allclose(found, exact.y[0], atol=1e-9)


def test_a_fast_oscillation_between_nodes_is_integrated():
    """Frequency 250 over steps of 0.016: four radians from node to node."""
    times = Axis("t", 0.0, 4.0, 256)
    found = response_matrix(damped_oscillation(250.0**2, 0.0), times) @ np.ones(256)
    t = np.linspace(0.0, 4.0, 256)
    # x'' + w^2 x = 1 has (1 - cos w t) / w^2.
    np.testing.assert_allclose(250.0**2 * found, 1 - np.cos(250.0 * t), atol=1e-6)


def test_an_oscillation_of_changing_stiffness_is_answered_to_second_order(x64):
    """Against the collocation, whose source carries the stiffness."""

    def error(intervals):
        times = Axis("t", 0.0, 6.0, intervals + 1)
        t = jnp.asarray(times.nodes())
        respond = oscillation_response(times, damping=0.3)
        found = respond(2 + jnp.sin(t), jnp.cos(3 * t))

        def slope(y, now):
            pull = (2 + jnp.sin(now)) * y[0]
            return jnp.stack([y[1], jnp.cos(3 * now) - 0.3 * y[1] - pull])

        exact = driven(slope, times)(jnp.zeros(2), t)[0]
        return np.abs(np.asarray(found - exact)).max()

    assert 1.9 < np.log2(error(60) / error(120)) < 2.1


def test_too_few_nodes_are_named():
    with pytest.raises(ValueError, match="'t' = 9 .* at least 10"):
        response_matrix(np.exp, Axis("t", 0.0, 1.0, 9))


@pytest.mark.parametrize("damping", [7.0, 400.0])
def test_what_creeps_does_so_however_strong_the_damping(damping):
    ages = np.linspace(0.0, 20.0, 9)
    found = damped_oscillation(4.0, damping)(ages)
    # Of x'' + c x' + 4 x = 0 both roots are real, the slow one nearly 0.
    fast = -(damping + np.sqrt(damping**2 - 16)) / 2
    slow = 4.0 / fast
    exact = (np.exp(slow * ages) - np.exp(fast * ages)) / (slow - fast)
    np.testing.assert_allclose(found, exact, rtol=1e-10)
