"""Batches depend on (key, step) alone and show every sample once an epoch."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import toy

from pilno_jax.training.batches import batches, divisible, shuffled, with_fields

PROBLEM = toy.decay()
KEY = jax.random.key(7)
TRAIN = toy.batch(PROBLEM, labelled=6, virtual=0)


def make(**changes):
    options = dict(num_train=6, batch_data=2, batch_physics=4, num_virtual=None)
    return jax.jit(batches(PROBLEM, **options | changes))


@pytest.mark.parametrize("batch, total", [(3, 25), (5, 25), (25, 25), (40, 25)])
def test_an_epoch_shows_every_sample(batch, total):
    steps = -(-total // batch)
    draw = jax.jit(shuffled, static_argnums=(2, 3))
    epochs = [
        np.concatenate([draw(KEY, e * steps + s, batch, total) for s in range(steps)])
        for e in range(2)
    ]
    for seen in epochs:
        assert set(seen) == set(range(total))
        assert np.bincount(seen).max() <= -(-batch * steps // total)
    assert (epochs[0] != epochs[1]).any()


def test_labels_stay_with_their_inputs():
    made = make()(TRAIN, KEY, jnp.int32(3))
    np.testing.assert_allclose(made["labels"], jax.vmap(PROBLEM.solve)(made["inputs"]))


def test_numpy_data_can_be_closed_over():
    plain = jax.tree.map(np.asarray, TRAIN)
    draw = batches(
        PROBLEM, num_train=6, batch_data=2, batch_physics=4, num_virtual=None
    )
    inside = jax.jit(lambda step: draw(plain, KEY, step))(jnp.int32(3))
    outside = make()(TRAIN, KEY, jnp.int32(3))
    np.testing.assert_array_equal(inside["labels"], outside["labels"])


def test_the_same_step_gives_the_same_bits():
    draw = make()
    for step in (0, 5):
        one, two = (draw(TRAIN, KEY, jnp.int32(step)) for _ in range(2))
        assert jax.tree.all(jax.tree.map(lambda a, b: (a == b).all(), one, two))
    other = draw(TRAIN, KEY, jnp.int32(6))
    assert (other["virtual"]["u0"] != one["virtual"]["u0"]).all()


def seen_virtual(draw, steps):
    rows = [np.asarray(draw(TRAIN, KEY, jnp.int32(s))["virtual"]["u0"]) for s in steps]
    return {tuple(row) for part in rows for row in part}


def test_a_finite_ensemble_repeats_and_an_endless_one_does_not():
    finite, endless = make(num_virtual=8), make()
    assert len(seen_virtual(finite, range(2))) == 8
    assert seen_virtual(finite, range(2)) == seen_virtual(finite, range(2, 10))
    assert len(seen_virtual(endless, range(10))) == 40


@pytest.mark.parametrize("off", [dict(num_virtual=0), dict(batch_physics=0)])
def test_virtual_inputs_can_be_left_out(off):
    assert "virtual" not in make(**off)(TRAIN, KEY, jnp.int32(0))


def test_a_batch_that_divides_is_left_alone():
    drawn = batches(
        PROBLEM, num_train=6, batch_data=2, batch_physics=4, num_virtual=None
    )
    whole = drawn(TRAIN, KEY, jnp.int32(3))
    same = divisible(drawn, 2)(TRAIN, KEY, jnp.int32(3))
    jax.tree.map(np.testing.assert_array_equal, whole, same)


@pytest.mark.parametrize("parts", [3, 4, 8])
def test_filled_batches_have_the_same_means_and_equal_pieces(parts):
    drawn = batches(
        PROBLEM, num_train=6, batch_data=1, batch_physics=5, num_virtual=None
    )
    whole = drawn(TRAIN, KEY, jnp.int32(3))
    filled = divisible(drawn, parts)(TRAIN, KEY, jnp.int32(3))
    for kind, field in (("labelled", "inputs"), ("virtual", "virtual")):
        shares, u0 = filled[f"{kind}_shares"], filled[field]["u0"]
        assert len(u0) == len(shares) and len(u0) % parts == 0
        assert float(shares.mean()) == pytest.approx(1.0)
        mean = jnp.mean(shares[:, None] * u0, 0)
        # Five float32 numbers, summed in another order.
        np.testing.assert_allclose(mean, whole[field]["u0"].mean(0), rtol=1e-6)


def test_the_stages_before_receive_no_gradient():
    """The fields that a stage corrects depend on frozen parameters; its loss may not
    reach them."""
    problem = toy.decay()
    plain = batches(
        problem, num_train=0, batch_data=1, batch_physics=2, num_virtual=None
    )

    def predict(frozen, inputs):
        return jnp.broadcast_to(
            frozen * inputs["u0"][..., None], (2, *problem.grid.shape)
        )

    drawn = with_fields(plain, predict)

    def size(frozen, batch_function):
        batch = batch_function({"frozen": frozen}, jax.random.key(0), 0)
        return jnp.sum(batch["virtual_before"] ** 2)

    assert float(size(3.0, drawn)) == pytest.approx(9.0 * float(size(1.0, drawn)))
    assert float(jax.grad(size)(3.0, drawn)) == 0.0
