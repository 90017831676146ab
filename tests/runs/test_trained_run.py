"""A run comes back from config.json and checkpoints alone."""

import json
import re
import shutil

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import pilno_jax
from pilno_jax import models, problems, training
from pilno_jax.runs import checkpoints

CONFIG = {
    "problem": {"name": "diffusion", "num_x": 16, "num_t": 9},
    "model": {"name": "alno", "width": 4, "num_layers": 1, "modes": 3, "poles": [2, 3]},
}


def saved_run(folder, errors=(0.3, 0.1, 0.2)):
    """A workdir with one checkpoint per error; averages are not the parameters."""
    (folder / "config.json").write_text(json.dumps(CONFIG))
    problem = problems.make(**CONFIG["problem"])
    model = models.make(**CONFIG["model"])
    features = problem.features(problem.sample(jax.random.key(0)))
    params = jax.jit(model.init)(jax.random.key(1), features, problem.grid.scaled)
    # An optimiser whose state loading cannot guess, and need not.
    state = training.initial_state(params, optax.adafactor(1e-3), jax.random.key(2))
    with checkpoints.Checkpoints(folder / "checkpoints") as saved:
        for step, error in enumerate(errors):
            averaged = jax.tree.map(lambda x, s=step: x + s, params)
            now = state._replace(step=jnp.int32(step), averaged=averaged)
            saved.save(step, now, error, {})
    return params


def changed(section, **fields):
    return json.dumps({**CONFIG, section: {**CONFIG[section], **fields}})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("run")
    saved_run(made)
    return made


def draw(problem, seed=0):
    return problem.sample(jax.random.key(seed))


def test_the_averaged_parameters_of_the_best_step_come_back(tmp_path):
    params = saved_run(tmp_path)
    run = pilno_jax.load(str(tmp_path))
    assert run.step == 1
    for found, initial in zip(
        jax.tree.leaves(run.params), jax.tree.leaves(params), strict=True
    ):
        np.testing.assert_array_equal(found, initial + 1)


def test_lists_of_the_file_are_tuples_again(folder):
    run = pilno_jax.load(folder)
    assert run.config["model"]["poles"] == (2, 3) == run.model.poles


def test_the_text_of_a_run_is_a_line(folder):
    text = repr(pilno_jax.load(folder))
    count = re.search(r"diffusion on 16x9, ALNO with ([0-9,]+) parameters", text)
    assert count and int(count[1].replace(",", "")) > 100
    assert "step 1" in text and len(text) < 100 and "\n" not in text


def test_shapes_tell_one_sample_from_a_batch(folder):
    run = pilno_jax.load(folder)
    samples = [draw(run.problem, seed) for seed in range(3)]
    batch = jax.tree.map(lambda *x: np.stack(x), *samples)
    together = run.predict(batch)
    assert together.shape == (3, 16, 9)
    for one, u in zip(samples, together, strict=True):
        alone = run.predict(one)
        assert alone.shape == (16, 9)
        # A batch of one and of three are products of other shapes: rounding differs,
        # by float32's 1e-7 of the largest values.
        np.testing.assert_allclose(alone, u, rtol=0, atol=1e-6 * np.abs(u).max())


def test_the_same_parameters_predict_on_a_finer_grid(folder):
    run = pilno_jax.load(folder)
    fine = run.on(32, 17)
    assert fine.params is run.params and run.problem.grid.shape == (16, 9)
    u0 = 0.1 * np.sin(2 * np.pi * np.arange(32) / 32)
    on_fine = fine.predict({"u0": u0})
    on_coarse = run.predict({"u0": u0[::2]})
    assert on_fine.shape == (32, 17)
    # The initial values are exact on both grids; later ones differ by the quadrature.
    np.testing.assert_allclose(on_fine[::2, 0], on_coarse[:, 0], atol=1e-6)
    scale = np.abs(on_coarse).max()
    np.testing.assert_allclose(on_fine[::2, ::2], on_coarse, atol=0.2 * scale)


@pytest.mark.parametrize(
    ("inputs", "told"),
    [
        ({}, "u0"),
        ({"v": np.ones(16)}, "some of"),
        ({"u0": np.ones(15)}, "shape of u0"),
        ({"u0": np.ones((2, 3, 16))}, "shape of u0"),
        ({"u0": np.full(16, np.nan)}, "finite"),
        ({"u0": np.full(16, 1e39)}, "16 NaN or infinite.*float32"),
        ({"u0": np.ones(16, complex)}, "dtype of u0.*real"),
        ({"u0": ["a"] * 16}, "dtype of u0.*real"),
        ({"u0": [[1.0], [1.0, 2.0]]}, "u0 = .*array of numbers"),
        (np.ones(16), "inputs = .*dict"),
    ],
)
def test_inputs_that_do_not_fit_are_named(folder, inputs, told):
    with pytest.raises(ValueError, match=told):
        pilno_jax.load(folder).predict(inputs)


def test_lists_and_empty_batches_are_inputs_too(folder):
    run = pilno_jax.load(folder)
    u0 = np.linspace(-1.0, 1.0, 16).astype(np.float32)
    np.testing.assert_array_equal(
        run.predict({"u0": u0.tolist()}), run.predict({"u0": u0})
    )
    nothing = run.predict({"u0": np.zeros((0, 16))})
    assert nothing.shape == (0, 16, 9) and nothing.dtype == np.float32


def test_an_applied_run_can_be_compiled_and_differentiated(folder):
    run = pilno_jax.load(folder)
    u0 = draw(run.problem)["u0"]
    np.testing.assert_allclose(
        jax.jit(run.apply)({"u0": u0}), run.predict({"u0": u0}), rtol=1e-4, atol=1e-6
    )

    def last(u0):
        return run.apply({"u0": u0})[:, -1].sum()

    direction = jnp.sin(jnp.arange(16.0))
    slope = float(jax.jit(jax.grad(last))(u0) @ direction)
    step = 1e-3
    # Central differences in float32: an error of step^2, and rounding over the step.
    difference = last(u0 + step * direction) - last(u0 - step * direction)
    assert slope == pytest.approx(float(difference) / (2 * step), rel=2e-2)


def test_an_operator_that_is_not_finite_is_not_loaded(tmp_path):
    saved_run(tmp_path, errors=(np.inf,))
    run = pilno_jax.load(tmp_path)
    broken = jax.tree.map(lambda x: x * np.nan, run.params)
    state = training.initial_state(broken, optax.adafactor(1e-3), jax.random.key(2))
    with checkpoints.Checkpoints(tmp_path / "checkpoints") as saved:
        saved.save(1, state, 0.5, {})
    with pytest.raises(ValueError, match="step 1: parameter params/.*NaN"):
        pilno_jax.load(tmp_path)


def test_a_normal_load_says_nothing(folder, recwarn, caplog, capfd):
    pilno_jax.load(folder)
    assert [str(w.message) for w in recwarn] == [] and caplog.text == ""
    assert capfd.readouterr() == ("", "")


def test_looking_leaves_the_run_alone(folder):
    """A half-written checkpoint belongs to the process that is writing it."""
    partial = folder / "checkpoints" / "7.orbax-checkpoint-tmp"
    partial.mkdir()
    assert pilno_jax.load(folder).step == 1
    assert partial.exists()
    partial.rmdir()


def test_what_is_no_run_is_told(tmp_path):
    with pytest.raises(FileNotFoundError, match="no run in .*nowhere"):
        pilno_jax.load(tmp_path / "nowhere")
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    with pytest.raises(FileNotFoundError, match="no checkpoint yet"):
        pilno_jax.load(tmp_path)
    (tmp_path / "checkpoints").mkdir()
    with pytest.raises(FileNotFoundError, match="no checkpoint yet"):
        pilno_jax.load(tmp_path)
    assert list((tmp_path / "checkpoints").iterdir()) == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "damaged"),
        ('{"problem": {"name": "diffusion", "colour": 1}, "model": {}}', "colour"),
        ('{"problem": {"name": "diffusion", "num_x": "x"}, "model": {}}', "fit this"),
        ('{"model": {}}', "does not fit this version"),
        (changed("model", width="wide"), "does not fit this version"),
        (json.dumps({**CONFIG, "matmul_precision": 8}), "matmul_precision = 8"),
    ],
)
def test_a_config_that_does_not_fit_is_told_in_a_line(tmp_path, text, reason):
    (tmp_path / "config.json").write_text(text)
    with pytest.raises(ValueError, match=reason) as error:
        pilno_jax.load(tmp_path)
    assert f"{tmp_path}/config.json" in str(error.value)
    assert "\n" not in str(error.value)


def test_a_loaded_network_has_the_precision_of_its_config(folder, tmp_path):
    copied = shutil.copytree(folder, tmp_path / "run")
    config = {**CONFIG, "matmul_precision": "tensorfloat32"}
    (copied / "config.json").write_text(json.dumps(config))
    run = pilno_jax.load(copied).on(32, 17)
    inputs = jax.tree.map(lambda x: x[None], draw(run.problem))
    program = str(jax.make_jaxpr(run.operator)(run.params, inputs))
    levels = re.findall(r"precision=(.*)", program)
    assert levels and set(levels) == {"(Precision.HIGH, Precision.HIGH)"}
