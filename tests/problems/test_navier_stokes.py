"""Vorticity in the plane: closed forms, spectral accuracy, conserved quantities."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pilno_jax import models, problems, training
from pilno_jax.problems.navier_stokes import velocity
from pilno_jax.training import batches, objective, optimizers

KEY = jax.random.key(4)
TWO_PI = 2 * np.pi


def planes(problem):
    """x, y and t as fields on the problem's grid."""
    return np.meshgrid(*map(np.asarray, problem.grid.coordinates), indexing="ij")


def taylor_green(problem, viscosity):
    """sin(2 pi x) sin(2 pi y): along a streamline u is constant, so it just decays."""
    x, y, t = planes(problem)
    decay = np.exp(-2 * viscosity * TWO_PI**2 * t)
    return np.sin(TWO_PI * x) * np.sin(TWO_PI * y) * decay


@pytest.mark.usefixtures("x64")
def test_taylor_green_vortices_decay():
    problem = problems.navier_stokes(viscosity=0.02, num_x=8, num_y=12, num_t=21)
    exact = jnp.asarray(taylor_green(problem, 0.02))
    solved = jax.jit(problem.solve)({"u0": exact[..., 0]})
    # RK4 of 500 steps with rate 1.6: (1.6 * 2e-3)^4 / 120.
    np.testing.assert_allclose(solved, exact, atol=1e-11)
    residual = problem.residual(exact, {})
    # The time derivative is of order 6 on 21 nodes: (1.6 / 20)^6 * 1.6, at the ends.
    assert np.abs(residual).max() < 3e-6


@pytest.mark.usefixtures("x64")
def test_velocity_is_that_of_the_stream_function():
    x, y = np.meshgrid(*2 * [np.arange(16) / 16], indexing="ij")
    # psi = cos(2 pi (x + 2 y)): |k|^2 = 5 (2 pi)^2, and a mean that moves nothing.
    phase = TWO_PI * (x + 2 * y)
    along_x, along_y = velocity(jnp.asarray(5 * TWO_PI**2 * np.cos(phase) + 3.0))
    np.testing.assert_allclose(along_x, -2 * TWO_PI * np.sin(phase), atol=1e-12)
    np.testing.assert_allclose(along_y, TWO_PI * np.sin(phase), atol=1e-12)


@pytest.mark.usefixtures("x64")
def test_convection_and_signs_of_the_residual():
    """Of u = t + cos(2 pi x) + cos(4 pi y), term by term and by hand."""
    problem = problems.navier_stokes(viscosity=0.1, num_x=8, num_y=10)
    x, y, t = planes(problem)
    a, b = TWO_PI, 2 * TWO_PI
    u = t + np.cos(a * x) + np.cos(b * y)
    along_x, along_y = -np.sin(b * y) / b, np.sin(a * x) / a
    convection = -along_x * a * np.sin(a * x) - along_y * b * np.sin(b * y)
    diffusion = -(a**2) * np.cos(a * x) - b**2 * np.cos(b * y)
    expected = 1.0 + convection - 0.1 * diffusion
    found = problem.residual(jnp.asarray(u), {})
    np.testing.assert_allclose(found, expected, atol=1e-10)


@pytest.mark.usefixtures("x64")
def test_the_residual_of_the_reference_converges_spectrally():
    """Doubling a grid that resolves the flow gains digits, not an order."""
    sizes = []
    for points in (12, 24, 48):
        problem = problems.navier_stokes(viscosity=0.02, final_time=0.02)
        problem = problem.on(points, points, 21)
        inputs = problem.sample(KEY)
        u = jax.jit(problem.solve)(inputs)
        sizes.append(float(jnp.sqrt(jnp.mean(problem.residual(u, inputs) ** 2))))
    # u0 has waves of all lengths, their amplitudes falling like 2^-n / sqrt(n!); an
    # order 4 would gain 16 from one grid to the next.
    assert sizes[1] < sizes[0] / 50 and sizes[2] < sizes[1] / 50


def test_mean_stays_and_enstrophy_falls():
    problem = problems.navier_stokes()
    u = jax.jit(problem.solve)(problem.sample(KEY))
    assert u.shape == problem.grid.shape and u.dtype == jnp.float32
    np.testing.assert_allclose(np.mean(u, (0, 1)), 0.0, atol=1e-4)
    enstrophy = np.mean(np.square(u), (0, 1))
    assert np.all(np.diff(enstrophy) < 0)


def test_samples_have_the_deviation_asked_for():
    problem = problems.navier_stokes(sigma=3.0)
    draws = jax.vmap(problem.sample)(jax.random.split(KEY, 200))["u0"]
    np.testing.assert_allclose(np.mean(draws, (1, 2)), 0.0, atol=1e-4)
    # Of the variance, the mean mode's share is left out: l = 1, (I_0(1) / e)^2 = 0.217.
    expected = 3.0 * np.sqrt(1 - 0.4658**2)
    # 200 draws of some 15 independent modes.
    assert np.std(draws) == pytest.approx(expected, rel=0.05)


def test_a_network_on_three_axes_learns():
    problem = problems.navier_stokes(num_x=8, num_y=8, num_t=7, final_time=0.2)
    model = models.ALNO(
        width=6, num_layers=2, modes=(3, 3, 3), poles=(0, 0, 2), projection_width=8
    )
    loss = objective.objective(problem, model.apply, objective.Weights(pde=1e-2))
    inputs = jax.vmap(problem.sample)(jax.random.split(KEY, 4))
    labels = jax.jit(jax.vmap(problem.solve))(inputs)
    features = problem.features(jax.tree.map(lambda x: x[0], inputs))
    params = jax.jit(model.init)(KEY, features, problem.grid.scaled)
    drawn = batches.batches(
        problem, num_train=4, batch_data=4, batch_physics=2, num_virtual=None
    )
    adam = optimizers.optimizer("adam", optimizers.schedule("constant", 5e-3, 1))
    state = training.initial_state(params, adam, KEY)
    step = training.training_step(loss, drawn, adam)
    rows = []
    with jax.numpy_dtype_promotion("standard"):  # which optax leaves no choice about
        training.fit(
            step,
            state,
            {"inputs": inputs, "labels": labels},
            num_steps=60,
            steps_per_call=10,
            callbacks=(rows.append,),
        )
    assert rows[-1].skipped == 0
    assert rows[-1].metrics["loss"] < 0.6 * rows[0].metrics["loss"]
