"""Least squares with a known end, and labels that pull until they are not needed."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from pilno_jax.training import levenberg_marquardt as lm

RATE = 1.3


def descend(misfits, params, steps, batch=None):
    chosen = lm.levenberg_marquardt(misfits)

    def step(carry, _):
        params, state = carry
        updates, state = chosen.update(None, state, params, batch=batch)
        return (optax.apply_updates(params, updates), state), state

    start = params, chosen.init(params)
    (params, _), states = jax.lax.scan(step, start, length=steps)
    return params, states


def rosenbrock(params, batch=None, pull=None):
    """The bent valley, whose only zero is at (1, 1)."""
    del batch, pull
    x, y = params["x"], params["y"]
    return jnp.stack([10 * (y - x**2), 1 - x]).reshape(1, 1, 2)


def growing(params, batch, pull):
    """z_{k+1} = rate z_k from 1 against that of the rate 1.3, relative to it."""
    del batch
    truth = RATE ** jnp.arange(40.0)

    def step(z, label):
        return params["rate"] * (z + pull * (label - z)), z

    _, found = jax.lax.scan(step, jnp.float32(1.0), truth)
    return ((found - truth) / jnp.linalg.norm(truth)).reshape(1, -1, 1)


def test_it_follows_a_bent_valley_to_its_end():
    start = {"x": jnp.float32(-1.2), "y": jnp.float32(1.0)}
    params, _ = descend(rosenbrock, start, 40)
    np.testing.assert_allclose([params["x"], params["y"]], 1.0, atol=1e-4)


def test_no_step_makes_the_misfit_larger():
    start = {"x": jnp.float32(-1.2), "y": jnp.float32(1.0)}

    def size(steps):
        return jnp.sum(rosenbrock(descend(rosenbrock, start, steps)[0]) ** 2)

    changes = np.diff([float(size(steps)) for steps in range(1, 8)])
    assert np.all(changes <= 0) and np.any(changes < 0)


def test_a_step_that_would_only_harm_is_not_taken():
    """Of |x| to the power 1/3 every damped step overshoots the zero."""

    def cusp(params, batch, pull):
        del batch, pull
        return jnp.cbrt(params["x"]).reshape(1, 1, 1)

    start = {"x": jnp.float32(1.0)}
    chosen = lm.levenberg_marquardt(cusp)
    careless = chosen.init(start)._replace(damping=jnp.float32(1e-3))
    updates, state = chosen.update(None, careless, start, batch=None)
    assert updates["x"] == 0 and state.damping > 4 * careless.damping


def test_the_pull_grows_weaker_until_what_is_learned_runs_freely():
    start = {"rate": jnp.float32(0.5)}
    params, states = descend(growing, start, 160)
    assert params["rate"] == pytest.approx(RATE, abs=1e-5)
    pulls = np.asarray(states.pull)
    assert pulls[-1] == 0.0 and np.all(np.diff(pulls) <= 0)
    later = pulls[pulls > lm.NO_PULL]
    weaker = later[1:] / later[:-1]
    assert np.all(np.isclose(weaker, 1) | np.isclose(weaker, lm.WEAKER))


def test_the_pull_stays_while_the_misfit_is_large():
    def hopeless(params, batch, pull):
        del batch, pull
        return (1 + params["x"] ** 2).reshape(1, 1, 1)

    _, states = descend(hopeless, {"x": jnp.float32(0.5)}, 5)
    assert np.all(states.pull == lm.FIRST_PULL)


def test_parameters_that_change_nothing_stay():
    start = {"x": jnp.float32(0.5), "y": jnp.float32(0.5), "idle": jnp.float32(3.0)}
    params, _ = descend(rosenbrock, start, 10)
    assert params["idle"] == 3.0 and params["x"] != 0.5
