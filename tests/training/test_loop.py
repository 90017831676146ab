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


def test_averaging_follows_a_geometric_window():
    state = train(200, averaging=0.5)
    step = jax.jit(training.training_step(LOSS, BATCHES, ADAM, 0.5))
    by_hand, now = start(), np.zeros(5)
    for k in range(200):
        by_hand, _ = step(by_hand, TRAIN)
        decay = min(0.5, (1 + k) / (10 + k))
        now = decay * now + (1 - decay) * np.asarray(by_hand.params)
    np.testing.assert_allclose(state.averaged, now, rtol=1e-4)
    assert same_bits(train(10).averaged, train(10).params)


@pytest.mark.parametrize("name", ["adam", "adamw", "muon"])
def test_every_optimiser_goes_down(name):
    rows = []
    chosen = optimizer(name, schedule("constant", 1e-2, 1), clip_norm=1.0)
    train(30, optimizer=chosen, callbacks=(rows.append,), steps_per_call=1)
    assert rows[-1].metrics["loss"] < 0.8 * rows[0].metrics["loss"]


def test_an_optimiser_that_searches_its_step_length_goes_down():
    """It evaluates the loss of the batch itself."""
    rows = []
    train(30, optimizer=optax.lbfgs(), callbacks=(rows.append,), steps_per_call=1)
    assert rows[-1].metrics["loss"] < 0.8 * rows[0].metrics["loss"]


def test_muon_orthogonalises_every_modes_matrix_by_itself():
    muon = optimizer("muon", schedule("constant", 1.0, 1))
    gradient = jax.random.normal(jax.random.key(0), (3, 2, 4, 2, 4))
    params = {"multiplier": jnp.zeros_like(gradient)}
    updates, _ = muon.update({"multiplier": gradient}, muon.init(params), params)
    matrices = updates["multiplier"].reshape(6, 4, 8)
    values = np.linalg.svd(np.asarray(matrices), compute_uv=False)
    # Newton-Schulz leaves singular values in about [0.7, 1.2] of their common scale.
    assert values.max() / values.min() < 2.0
    raw = np.linalg.svd(np.asarray(gradient.reshape(6, 4, 8)), compute_uv=False)
    assert raw.max() / raw.min() > 2.5


def test_adam_couples_weight_decay_like_the_papers():
    """Decay enters before the moments: a huge one alone moves by the learning rate."""
    coupled = optimizer("adam", schedule("constant", 1e-2, 1), weight_decay=10.0)
    params = jnp.array([1.0, -2.0])
    state = coupled.init(params)
    updates, _ = coupled.update(jnp.zeros(2), state, params)
    # eps = 1e-8 against a gradient of 10: relative 1e-9.
    np.testing.assert_allclose(updates, [-1e-2, 1e-2], rtol=1e-5)


def test_schedules_have_their_shapes():
    steps = schedule("step", 1.0, 100, decay_every=10, decay_factor=0.5)
    assert [float(steps(k)) for k in (0, 9, 10, 20)] == [1.0, 1.0, 0.5, 0.25]
    cosine = schedule("cosine", 1.0, 100, warmup=10)
    assert float(cosine(0)) == 0.0
    assert float(cosine(10)) == pytest.approx(1.0)
    assert float(cosine(55)) == pytest.approx(0.5, abs=1e-6)
    assert float(cosine(100)) == pytest.approx(0.0, abs=1e-7)
    assert float(schedule("linear", 1.0, 100)(25)) == pytest.approx(0.75)


def test_clipping_bounds_the_gradient():
    chosen = optimizer("adam", schedule("constant", 1.0, 1), clip_norm=1e-3)
    assert isinstance(chosen, optax.GradientTransformationExtraArgs)
    with pytest.raises(ValueError, match="optimizer = 'sgd'.*adam.*muon"):
        optimizer("sgd", schedule("constant", 1.0, 1))
    with pytest.raises(ValueError, match="schedule = 'cliff'"):
        schedule("cliff", 1.0, 1)
