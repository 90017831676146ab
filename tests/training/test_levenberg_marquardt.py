"""Least squares with a known end, and what the horizon lets count."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from pilno_jax.training import levenberg_marquardt as lm

TIMES = jnp.linspace(0.0, 1.0, 20)


def descend(misfits, params, steps, batch=None):
    chosen = lm.levenberg_marquardt(misfits)

    def step(carry, _):
        params, state = carry
        updates, state = chosen.update(None, state, params, batch=batch)
        return (optax.apply_updates(params, updates), state), state

    start = params, chosen.init(params)
    (params, _), states = jax.lax.scan(step, start, length=steps)
    return params, states


def rosenbrock(params, batch):
    """The bent valley, whose only zero is at (1, 1)."""
    del batch
    x, y = params["x"], params["y"]
    return jnp.stack([10 * (y - x**2), 1 - x]).reshape(1, 1, 2)


def decaying(params, batch):
    """e^{-rate t} against that of the rate 2, relative to it."""
    del batch
    truth = jnp.exp(-2 * TIMES)
    found = params["size"] * jnp.exp(-params["rate"] * TIMES)
    return ((found - truth) / jnp.linalg.norm(truth)).reshape(1, -1, 1)


def test_it_follows_a_bent_valley_to_its_end():
    start = {"x": jnp.float32(-1.2), "y": jnp.float32(1.0)}
    params, _ = descend(rosenbrock, start, 40)
    np.testing.assert_allclose([params["x"], params["y"]], 1.0, atol=1e-4)


def test_no_step_makes_the_misfit_larger():
    start = {"x": jnp.float32(-1.2), "y": jnp.float32(1.0)}

    def size(steps):
        return jnp.sum(rosenbrock(descend(rosenbrock, start, steps)[0], None) ** 2)

    changes = np.diff([float(size(steps)) for steps in range(1, 12)])
    assert np.all(changes <= 0)
    assert np.any(changes == 0)  # some were refused: the valley is bent


def test_the_horizon_moves_on_when_what_is_before_it_is_known():
    start = {"rate": jnp.float32(0.5), "size": jnp.float32(0.2)}
    params, states = descend(decaying, start, 80)
    horizons = np.asarray(states.horizon)
    assert horizons[0] == pytest.approx(lm.FIRST_HORIZON) and horizons[-1] == 1.0
    assert np.all(np.diff(horizons) >= 0) and np.all(np.diff(horizons) < 0.021)
    np.testing.assert_allclose([params["rate"], params["size"]], [2, 1], atol=1e-3)


def test_times_beyond_the_horizon_do_not_count():
    """Not even if they are not finite, as where an unstable loop has run away."""

    def astray(params, batch):
        found = decaying(params, batch)
        late = jnp.arange(found.shape[1]) >= 10
        return jnp.where(late[:, None], jnp.inf, found)

    start = {"rate": jnp.float32(0.5), "size": jnp.float32(0.2)}
    (far, _), (near, _) = (descend(each, start, 5) for each in (astray, decaying))
    assert far == near and far != start


def test_parameters_that_change_nothing_stay():
    start = {"x": jnp.float32(0.5), "y": jnp.float32(0.5), "idle": jnp.float32(3.0)}
    params, _ = descend(rosenbrock, start, 10)
    assert params["idle"] == 3.0 and params["x"] != 0.5
