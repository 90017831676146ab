"""The loop: what it computes, what it skips, how it resumes."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
import toy

from pilno_jax import training
from pilno_jax.training.batches import batches
from pilno_jax.training.objective import Weights, objective
from pilno_jax.training.optimizers import optimizer, schedule

PROBLEM = toy.decay()
TRAIN = toy.batch(PROBLEM, labelled=6, virtual=0)
LOSS = objective(PROBLEM, toy.apply, Weights(data=1.0, pde=1.0, ic=1.0))
BATCHES = batches(PROBLEM, num_train=6, batch_data=2, batch_physics=4, num_virtual=None)
ADAM = optimizer("adam", schedule("constant", 1e-2, 1))


def start(optimizer=ADAM):
    return training.initial_state(jnp.zeros(5), optimizer, jax.random.key(0))


def train(steps, state=None, optimizer=ADAM, loss=LOSS, **options):
    step = training.training_step(
        loss, BATCHES, optimizer, options.pop("averaging", 0.0)
    )
    defaults = dict(num_steps=steps, steps_per_call=5)
    return training.fit(step, state or start(optimizer), TRAIN, **defaults | options)


def same_bits(one, two):
    return jax.tree.all(jax.tree.map(lambda a, b: bool((a == b).all()), one, two))


def test_fit_finds_the_solution_of_a_linear_problem():
    fast = optimizer("adam", schedule("cosine", 0.1, 1000, warmup=20))
    state = train(1000, optimizer=fast, steps_per_call=100)
    t = np.linspace(0.0, 1.0, 50)
    curve = np.polynomial.Polynomial(np.asarray(state.params))(t)
    # A quartic can follow exp(-t) to 1e-4; noise of the fresh batches dominates.
    assert np.abs(curve - np.exp(-t)).max() < 5e-3


def test_many_steps_in_one_call_are_the_same_steps():
    step = jax.jit(training.training_step(LOSS, BATCHES, ADAM))
    state = start()
    for _ in range(10):
        state, _ = step(state, TRAIN)
    together = train(10)
    np.testing.assert_allclose(together.params, state.params, rtol=1e-6)


def test_a_resumed_run_is_bit_equal():
    straight = train(40)
    resumed = train(40, state=train(20))
    assert same_bits(straight.params, resumed.params)
    assert same_bits(straight.opt_state, resumed.opt_state)


def test_callbacks_see_the_means_since_their_last_call():
    rows, every = [], []
    train(20, callbacks=(rows.append,), callback_every=10)
    train(20, callbacks=(every.append,), steps_per_call=1)
    assert [row.step for row in rows] == [10, 20]
    mean = np.mean([row.metrics["loss"] for row in every[:10]])
    assert rows[0].metrics["loss"] == pytest.approx(mean, rel=1e-5)


def test_a_callback_can_end_the_run():
    state = train(100, callbacks=(lambda progress: progress.step >= 15,))
    assert int(state.step) == 15


def test_steps_that_are_not_finite_are_skipped_and_counted():
    def spiky(params, batch):
        value, terms = LOSS(params, batch)
        # A batch-dependent coin: some steps break, the others must not notice.
        broken = batch["virtual"]["u0"][0, 0] > 3.0
        return jnp.where(broken, jnp.nan, 1.0) * value, terms

    rows = []
    state = train(40, loss=spiky, callbacks=(rows.append,), steps_per_call=1)
    bad = sum(np.isnan(row.metrics["loss"]) for row in rows)
    assert 0 < bad < 40
    assert int(state.skipped) == bad
    assert np.isfinite(np.asarray(state.params)).all()
    assert max(row.in_a_row for row in rows) >= 1
    assert rows[-1].skipped == bad


def test_parameters_that_overflow_are_noticed():
    """Loss and gradient are finite, the update is not: the next steps are all bad."""
    rows = []
    train(2, optimizer=optax.sgd(jnp.inf), callbacks=(rows.append,), steps_per_call=1)
    assert [row.is_finite for row in rows] == [False, False]
    assert np.isfinite(rows[0].metrics["loss"]) and rows[0].skipped == 0
    train(2, callbacks=(rows.append,), steps_per_call=1)
    assert [row.is_finite for row in rows[2:]] == [True, True]


def test_averaging_follows_a_geometric_window():
    state = train(40, averaging=0.5)
    step = jax.jit(training.training_step(LOSS, BATCHES, ADAM, 0.5))
    by_hand, now = start(), np.zeros(5)
    for k in range(40):
        by_hand, _ = step(by_hand, TRAIN)
        decay = min(0.5, (1 + k) / (10 + k))
        now = decay * now + (1 - decay) * np.asarray(by_hand.params)
    np.testing.assert_allclose(state.averaged, now, rtol=1e-4)
    assert same_bits(train(10).averaged, train(10).params)


def test_an_optimiser_that_searches_along_a_line_gets_the_loss():
    """One that takes the best of five step lengths never goes up on a fixed batch."""
    lengths = 0.1 ** jnp.arange(1.0, 6.0)

    def best_step(gradient, state, params, *, value, value_fn, **_):
        values = jax.vmap(lambda length: value_fn(params - length * gradient))(lengths)
        best = jnp.argmin(values)
        length = jnp.where(values[best] < value, lengths[best], 0.0)
        return -length * gradient, state

    search = optax.GradientTransformationExtraArgs(optax.init_empty_state, best_step)
    step = training.training_step(
        LOSS, lambda data, key, step: BATCHES(data, key, 0), search
    )
    rows = []
    settings = dict(num_steps=20, steps_per_call=1, callbacks=(rows.append,))
    training.fit(step, start(search), TRAIN, **settings)
    losses = [row.metrics["loss"] for row in rows]
    assert (np.diff(losses) <= 0).all() and losses[-1] < 0.5 * losses[0]
