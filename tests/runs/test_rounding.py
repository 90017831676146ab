"""Weights in few bits: answers change by what was asked for, and no more."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pilno_jax.runs import named_weights, rounding

MODES, WIDTH = 5, 50
# One weight, one node, and factors that differ by orders of magnitude between modes:
# a random sign per node then measures every derivative without noise.
FACTORS = np.geomspace(1e-3, 1e2, MODES).astype(np.float32).reshape(MODES, 1, 1, 1)


def operator(params, inputs):
    one = FACTORS * params["kernel"]
    return one[None] * inputs["a"].reshape(-1, 1, 1, 1, 1)


@pytest.fixture(scope="module")
def params():
    kernel = jax.random.normal(jax.random.key(0), (MODES, 1, WIDTH, WIDTH))
    return {"bias": jnp.arange(3.0) / 7, "kernel": kernel}


@pytest.fixture(scope="module")
def squares(params):
    inputs = {"a": jnp.asarray([0.5, 1.0, 3.0])}
    key = jax.random.key(1)
    return rounding.squared_sensitivities(operator, params, inputs, key)


def test_sensitivities_are_squared_derivatives_relative_to_the_answer(params, squares):
    # d u / d w is a times its factor, and a cancels in the quotient. Samples are drawn
    # with signs of their own, so that a mean over three has some scatter.
    norm = float(jnp.sum((FACTORS * params["kernel"]) ** 2))
    expected = np.broadcast_to(FACTORS**2 / norm, squares["kernel"].shape)
    of_mode = np.mean(np.asarray(squares["kernel"]), (1, 2, 3))
    np.testing.assert_allclose(of_mode, expected.mean((1, 2, 3)), rtol=0.1)
    assert not np.any(squares["bias"])


def test_an_answer_changes_by_as_much_as_is_allowed(params, squares):
    weights = named_weights.named_weights(params)
    stored = rounding.rounded(weights, named_weights.named_weights(squares), 1e-3)
    changed = named_weights.tree_of(rounding.restored(stored), params)
    inputs = {"a": jnp.ones(1)}
    before, after = operator(params, inputs), operator(changed, inputs)
    # The modes that hardly matter are rounded less than they might be: to their size.
    change = float(jnp.linalg.norm(after - before) / jnp.linalg.norm(before))
    assert 0.5e-3 < change < 1.1e-3


def test_whole_numbers_and_halves_survive_the_file(tmp_path):
    weights = {
        "0/kernel": np.linspace(-3e4, 3e4, 9000, dtype=np.float32).reshape(3, 1, -1),
        "0/bias": np.float32([1 / 3, -2.0]),
    }
    squares = {name: np.full_like(x, 1e-9) for name, x in weights.items()}
    path = tmp_path / "weights.npz"
    rounding.write_arrays(path, rounding.rounded(weights, squares, 1e-3))
    stored = rounding.read_arrays(path)
    restored = rounding.restored(stored)
    assert restored.keys() == weights.keys()
    np.testing.assert_array_equal(restored["0/bias"], np.float16([1 / 3, -2.0]))
    # Half a step, and what single precision makes of the product of number and step.
    steps = stored["0/kernel" + rounding.STEPS]
    apart = np.abs(restored["0/kernel"] - weights["0/kernel"])
    assert np.all(apart <= 0.5 * steps + 1e-7 * np.abs(weights["0/kernel"]))
    assert apart.max() > 0.4 * steps.max()


def test_weights_of_another_network_are_refused(params):
    arrays = {name: np.asarray(x) for name, x in params.items()}
    with pytest.raises(ValueError, match="bias"):
        named_weights.tree_of({"kernel": arrays["kernel"]}, params)
    with pytest.raises(ValueError, match="kernel"):
        named_weights.tree_of({**arrays, "kernel": arrays["kernel"][0]}, params)


def test_weights_that_were_not_rounded_keep_their_precision():
    exact = {"w": np.full((2, 3), 1 / 3), "b": np.ones(3, np.float32)}
    found = rounding.restored(exact)
    for name, array in exact.items():
        assert found[name].dtype == array.dtype
        np.testing.assert_array_equal(found[name], array)
