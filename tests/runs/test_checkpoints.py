"""What is kept, what comes back, and in which shape."""

import math
import shutil

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from pilno_jax.runs.checkpoints import Checkpoints, best_parameters
from pilno_jax.training.loop import initial_state


def state_at(step, value=0.0):
    params = {"layer": {"w": jnp.full((3, 2), value), "b": jnp.arange(2.0)}}
    state = initial_state(params, optax.adam(1e-3), jax.random.key(5))
    return state._replace(step=jnp.int32(step))


def save_all(folder, errors):
    with Checkpoints(folder) as checkpoints:
        for step, error in enumerate(errors):
            checkpoints.save(step, state_at(step, error), error, {"error": str(error)})


def kept(folder):
    return sorted(int(p.name) for p in folder.iterdir() if p.name.isdigit())


def test_latest_and_best_stay_when_the_metric_worsens(tmp_path):
    save_all(tmp_path, [5.0, 1.0, 3.0, 4.0, 6.0])
    with Checkpoints(tmp_path) as checkpoints:
        assert checkpoints.latest == 4
        assert checkpoints.restore_best(state_at(0)).step == 1
    assert kept(tmp_path) == [1, 3, 4]


def test_a_nan_neither_wins_nor_displaces_the_best(tmp_path):
    save_all(tmp_path, [2.0, 1.0, math.nan, math.nan, math.nan])
    with Checkpoints(tmp_path) as checkpoints:
        assert checkpoints.latest == 4
        assert checkpoints.restore_best(state_at(0)).step == 1


def test_everything_comes_back_bit_for_bit(tmp_path):
    saved = state_at(3, 0.1)
    with Checkpoints(tmp_path) as checkpoints:
        checkpoints.save(3, saved, 0.5, {"elapsed": 1.5})
    with Checkpoints(tmp_path) as checkpoints:
        found, notes = checkpoints.restore(3, state_at(0))
    assert notes == {"elapsed": 1.5}
    assert (jax.random.key_data(found.key) == jax.random.key_data(saved.key)).all()
    for one, two in zip(
        jax.tree.leaves(found._replace(key=jnp.zeros(()))),
        jax.tree.leaves(saved._replace(key=jnp.zeros(()))),
        strict=True,
    ):
        assert one.dtype == two.dtype
        np.testing.assert_array_equal(one, two)


def test_the_saved_values_are_those_of_the_moment(tmp_path):
    """The writer must not see what the training step does to donated buffers."""
    state = state_at(0, 1.0)
    scribble = jax.jit(lambda s: jax.tree.map(lambda x: x * 0, s), donate_argnums=0)
    with Checkpoints(tmp_path) as checkpoints:
        checkpoints.save(0, state, 0.0, {})
        scribble(state.params)
        scribble(state.averaged)
    with Checkpoints(tmp_path) as checkpoints:
        found, _ = checkpoints.restore(0, state_at(0))
    np.testing.assert_array_equal(found.params["layer"]["w"], np.ones((3, 2)))


def largest_file(folder):
    files = [path for path in folder.rglob("*") if path.is_file()]
    return max(files, key=lambda path: path.stat().st_size)


def cut_off(state):
    path = largest_file(state / "d")
    path.write_bytes(path.read_bytes()[:100])


def one_value_changed(state):
    """As a bad disk would: the files are whole, their checksums too, a number is not.

    The arrays of another checkpoint are in their place, so Orbax has no objection.
    """
    other = state.parents[1] / "1" / "state"
    shutil.rmtree(state)
    shutil.copytree(other, state)


@pytest.mark.parametrize("damage", [cut_off, one_value_changed, shutil.rmtree])
def test_a_damaged_checkpoint_is_passed_over_and_kept(tmp_path, damage, caplog):
    folder = tmp_path / "checkpoints"
    save_all(folder, [3.0, 2.0, 1.0])
    damage(folder / "2" / "state")
    like = state_at(0)
    step, averaged = best_parameters(folder, jax.eval_shape(lambda: like.averaged))
    assert step == 1 and float(averaged["layer"]["w"][0, 0]) == 2.0
    assert len(caplog.messages) == 1 and "checkpoint 2 cannot" in caplog.messages[0]
    assert "taking step 1" in caplog.messages[0] and "\n" not in caplog.messages[0]
    with Checkpoints(folder) as checkpoints:
        newest, best = checkpoints.restore_newest(like), checkpoints.restore_best(like)
        assert newest.step == best.step == 1 and best.validation == 2.0
        assert int(newest.state.step) == 1 and newest.notes == {"error": "2.0"}
        assert len(newest.damage) == 1 and "\n" not in newest.damage[0]
        checkpoints.set_aside(newest.step)
        # The run gets there again, and saves; what was damaged is still there.
        checkpoints.save(2, state_at(2, 9.0), 1.0, {})
    assert kept(folder) == [1, 2] and (tmp_path / "damaged" / "checkpoints-2").is_dir()
    with Checkpoints(folder) as checkpoints:
        assert checkpoints.restore_newest(like).step == 2


def test_a_run_without_any_usable_checkpoint_is_not_begun_anew(tmp_path):
    save_all(tmp_path, [1.0, 2.0])
    for step in "01":
        cut_off(tmp_path / step / "state")
    with Checkpoints(tmp_path) as checkpoints, pytest.raises(OSError, match="1 cannot"):
        checkpoints.restore_newest(state_at(0))


def test_another_architecture_is_refused(tmp_path):
    save_all(tmp_path, [1.0])
    other = initial_state({"w": jnp.zeros(7)}, optax.adam(1e-3), jax.random.key(0))
    with Checkpoints(tmp_path) as checkpoints, pytest.raises(ValueError):
        checkpoints.restore(0, other)


def test_relative_folders_work(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    from pathlib import Path

    save_all(Path("somewhere"), [1.0])
    assert kept(tmp_path / "somewhere") == [0]
