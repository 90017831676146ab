"""Seeds that are trained together have their own labels; the best of each is kept."""

import jax
import numpy as np
import pytest

from experiments.config import driven_recipes
from experiments.config.build import build
from experiments.config.problem_and_model import problem
from experiments.poles import seeds_together
from pilno_jax.checks import ArgumentError

NODES = 26
CONFIG = driven_recipes.looped_lno(
    problem("duffing", num_t=NODES, final_time=0.5, own_scale=False),
    poles=1,
    width=1,
    hidden=2,
).changed(
    {
        "train.num_train": 3,
        "train.batch_data": 3,
        "train.optimizer": "adam",
        "train.steps": 2,
        "train.steps_per_call": 1,
        "train.log_every": 1,
        "train.checkpoint_every": 1,
        "train.warmup": 0,
        "train.learning_rate": 1e3,  # one step leads far away
    }
)


@pytest.mark.parametrize(
    "change", [{"weights.pde": 1.0}, {"stages.steps": (2,)}], ids=["physics", "stages"]
)
def test_least_squares_are_of_the_labels_of_one_network(change):
    by_labels = CONFIG.changed({"train.optimizer": "levenberg-marquardt"})
    build(by_labels)
    with pytest.raises(ArgumentError, match=r"train\.optimizer = 'levenberg"):
        build(by_labels.changed(change))


def some_set(config, split, cache, **law):
    """Random fields in place of solved ones; of each seed its own."""
    del cache, law
    seed = 1 + config.seed if split == "train" else 0
    f, u = np.random.default_rng(seed).normal(size=(2, 3, NODES)).astype(np.float32)
    return {"inputs": {"f": f}, "labels": u}


def test_what_is_kept_of_each_seed_was_best_on_validation(monkeypatch, tmp_path):
    monkeypatch.setattr(seeds_together, "labelled_set", some_set)
    trained = seeds_together.train(CONFIG, 2, tmp_path, {})
    kept = trained.errors(some_set(CONFIG, "validation", tmp_path)).mean(1)
    np.testing.assert_allclose(kept, trained.validation, rtol=1e-5)
    sets = seeds_together.training_sets(CONFIG, 2, tmp_path)
    assert np.any(sets["labels"][0] != sets["labels"][1])
    # Random labels and steps that lead away: the first checkpoint was the better one.
    start = seeds_together.first_states(build(CONFIG), 2).params
    for now, before in zip(*map(jax.tree.leaves, (trained.params, start)), strict=True):
        assert np.abs(now - before).max() <= 1.1e3  # Adam's first step is the rate
        its_own = np.any(before[0] != before[1])  # not all begin with random numbers
        assert np.any(now[0] != now[1]) or not its_own


def test_seeds_in_turn_and_side_by_side_take_the_same_steps():
    def step(state, data):
        return state + data["x"], {"loss": state * data["x"]}

    states, data = jax.numpy.arange(3.0), {"x": jax.numpy.array([1.0, 10.0, 100.0])}
    new, loss = [1.0, 11.0, 102.0], [0.0, 10.0, 200.0]
    for platform in ("cpu", "gpu"):
        moved, metrics = seeds_together.over_seeds(step, platform)(states, data)
        np.testing.assert_array_equal(moved, new)
        np.testing.assert_array_equal(metrics["loss"], loss)


def test_a_cpu_steps_one_seed_at_a_time():
    def step(state, data):
        return jax.numpy.sin(state) @ data, {}

    arrays = jax.numpy.ones((3, 4, 4)), jax.numpy.ones((3, 4, 4))
    loops = {
        platform: "scan["
        in str(jax.make_jaxpr(seeds_together.over_seeds(step, platform))(*arrays))
        for platform in ("cpu", "gpu")
    }
    assert loops == {"cpu": True, "gpu": False}
