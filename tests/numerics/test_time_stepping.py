"""Time stepping: order and rounding of RK4, where `repeat` and `rollout` stop."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pilno_jax.numerics.derivatives import finite_difference
from pilno_jax.numerics.grids import Axis
from pilno_jax.numerics.time_stepping import (
    compensated,
    diffusion_step,
    repeat,
    rk4,
    rollout,
    snapshots,
)


def pendulum(state):
    """A nonlinear system without closed form: nothing is of order 4 by luck."""
    angle, speed = state
    return jnp.stack([speed, -jnp.sin(angle)])


def after(slope, dt, count, start):
    """The state after so many steps of RK4."""
    step = compensated(rk4(slope, dt))
    return jax.jit(repeat(step, count))((start, jnp.zeros_like(start)))[0]


def test_rk4_is_of_order_4(x64):
    start = jnp.array([2.0, 0.0])
    run = {n: after(pendulum, 2.0 / n, n, start) for n in (20, 40, 640)}
    # 640 steps err 16^4 times less than 40: as good as exact here.
    coarse, fine = (float(jnp.abs(run[n] - run[640]).max()) for n in (20, 40))
    assert np.log2(coarse / fine) == pytest.approx(4, abs=0.2)


def test_rk4_solves_a_nonlinear_equation_with_a_known_solution(x64):
    end = after(lambda u: -(u**2), 0.01, 100, jnp.array([1.0, 2.0]))
    # u' = -u^2: u = u0 / (1 + u0 t). h^4 = 1e-8 times a small constant.
    np.testing.assert_allclose(end, [1 / 2, 2 / 3], atol=1e-8)


def test_one_rk4_step_of_a_linear_equation_is_the_taylor_polynomial(x64):
    z = -0.7
    change = rk4(lambda u: z * u, 1.0)(jnp.ones(1))
    exact = z + z**2 / 2 + z**3 / 6 + z**4 / 24
    np.testing.assert_allclose(change, exact, rtol=1e-15)


@pytest.mark.parametrize("rate", [-1.0, 1e-3])
def test_many_small_steps_keep_all_digits_of_single_precision(rate):
    """A step of the slow one adds 1e-7 to 1, where the next number is 1.2e-7 away."""
    count = 10_000
    end = after(lambda u: rate * u, 1 / count, count, jnp.array([1.0, 0.7, 1e-3]))
    expected = np.exp(rate) * np.array([1.0, 0.7, 1e-3])
    np.testing.assert_allclose(end, expected, rtol=2e-7)


def test_rollout_starts_at_the_start_and_puts_time_last():
    trajectory = rollout(lambda u: 2 * u, 4)(jnp.array([1.0, 3.0]))
    np.testing.assert_array_equal(trajectory, np.outer([1, 3], [1, 2, 4, 8, 16]))
    np.testing.assert_array_equal(repeat(lambda u: 2 * u, 4)(jnp.ones(1)), [16.0])
    np.testing.assert_array_equal(repeat(lambda u: 2 * u, 0)(jnp.ones(1)), [1.0])


@pytest.mark.parametrize("largest, count", [(0.25, 1), (0.1, 3), (0.05, 5), (9.0, 1)])
def test_snapshots_are_at_the_nodes_in_equal_steps_below_the_largest(
    x64, largest, count
):
    """The amplification of u' = z u betrays how many steps lie between two nodes."""
    times, z = Axis("t", 0.0, 1.0, 5), -1.5
    found = snapshots(lambda u: z * u, times, largest)(jnp.ones(1))
    step = z * 0.25 / count
    once = 1 + step + step**2 / 2 + step**3 / 6 + step**4 / 24
    np.testing.assert_allclose(found[0], once ** (count * np.arange(5)), rtol=1e-13)


def test_a_step_that_divides_the_interval_is_not_halved_by_rounding():
    """0.04 / 1e-4 is 400.00000000000006 in floating point: 400 steps, not 401."""
    times = Axis("t", 0.0, 1.0, 26)
    jaxpr = jax.make_jaxpr(snapshots(lambda u: -u, times, 1e-4))(jnp.ones(1))
    assert "length=400" in str(jaxpr)


@pytest.mark.parametrize("periodic", [True, False])
def test_the_diffusion_step_is_stable_and_not_wasteful(periodic):
    """RK4 is stable on the negative axis down to -2.785."""
    axis, diffusivity = Axis("x", 0.0, 1.0, 40, periodic), 0.3
    matrix = finite_difference(axis, 2, 4)
    if not periodic:
        matrix = matrix[1:-1, 1:-1]
    step = diffusion_step(axis, diffusivity)
    spectrum = step * diffusivity * np.linalg.eigvals(matrix)
    amplification = sum(spectrum**n / np.prod(np.arange(1, n + 1)) for n in range(5))
    assert np.abs(amplification).max() <= 1 + 1e-12
    assert -2.785 < spectrum.real.min() < -1.5
