"""What is shipped predicts bit for bit what the run does, or refuses to."""

import ast
import dataclasses
import importlib.util
import json
import shutil

import jax
import numpy as np
import pytest
from untrained_run import untrained

from pilno_jax import models, problems
from pilno_jax.runs import load_operator
from pilno_jax.runs.trained_run import TrainedRun

pytest.importorskip("flatbuffers")
from pilno_jax.runs import exporting  # noqa: E402


@pytest.fixture(scope="module")
def run() -> TrainedRun:
    """Burgers, because its constraints go through an FFT; in two stages."""
    model = models.ALNO(width=4, num_layers=1, modes=3, poles=2, projection_width=4)
    return untrained(problems.burgers(num_x=16, num_t=9), model, stages=2)


@pytest.fixture(scope="module")
def folder(run, tmp_path_factory):
    return exporting.export(run, tmp_path_factory.mktemp("shipped") / "burgers")


def draw(run, count):
    keys = jax.random.split(jax.random.key(3), count)
    return {"u0": np.asarray(jax.vmap(run.problem.sample)(keys)["u0"])}


def test_predictions_are_bit_equal_for_every_batch_size(run, folder):
    """By the loader that was shipped, imported as a stranger would."""
    path = folder / "load_operator.py"
    spec = importlib.util.spec_from_file_location("shipped_loader", path)
    loader = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loader)
    operator = loader.load(folder)
    for count in (1, 5):
        inputs = draw(run, count)
        prediction = run.predict(inputs, with_error=True)
        u = operator(inputs)
        np.testing.assert_array_equal(u, run.predict(inputs))
        error, upper = operator.error(inputs, u)
        np.testing.assert_allclose(error, prediction.error, rtol=1e-5)
        np.testing.assert_allclose(upper, 2 * error, rtol=1e-5)


def test_the_loader_knows_nothing_of_this_package(folder):
    tree = ast.parse((folder / "load_operator.py").read_text())
    named = {
        name.split(".")[0]
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    outside = named - {"dataclasses", "hashlib", "json", "collections", "pathlib"}
    assert outside - {"typing"} == {"jax", "numpy"}


def test_metadata_tells_what_a_stranger_needs(run, folder):
    about = json.loads((folder / "metadata.json").read_text())
    assert about["inputs"] == {"u0": {"shape": [16], "dtype": "float32"}}
    assert about["output"] == {"shape": [16, 9], "dtype": "float32"}
    x, t = about["axes"]
    assert (x["name"], x["periodic"]) == ("x", True)
    assert (t["name"], t["periodic"]) == ("t", False)
    for axis, found in zip(run.problem.grid.axes, (x, t), strict=True):
        np.testing.assert_allclose(found["coordinates"], axis.coordinates, rtol=1e-6)
    assert about["platforms"] == ["cpu", "cuda", "tpu"]
    assert about["config"] == run.config and about["trained_steps"] == 7


def test_weights_are_a_plain_npz(run, folder):
    with np.load(folder / "weights.npz", allow_pickle=False) as archive:
        kernel = run.params[0]["params"]["kernel_0"]
        np.testing.assert_array_equal(
            archive["0/params/kernel_0/residues"], kernel["residues"]
        )
        assert len(archive.files) == len(jax.tree.leaves(run.params))


@pytest.mark.parametrize("name", load_operator.FILES)
def test_a_damaged_file_is_refused(folder, tmp_path, name):
    copy = shutil.copytree(folder, tmp_path / "copy")
    content = bytearray((copy / name).read_bytes())
    content[len(content) // 2] ^= 1
    (copy / name).write_bytes(content)
    with pytest.raises(ValueError, match=f"{name} is damaged.*sha256"):
        load_operator.load(copy)
    (copy / name).unlink()
    with pytest.raises(FileNotFoundError, match=f"{name} is missing"):
        load_operator.load(copy)


def test_a_folder_without_an_operator_is_told(tmp_path):
    with pytest.raises(FileNotFoundError, match="holds no operator"):
        load_operator.load(tmp_path)


@pytest.mark.parametrize(
    ("inputs", "told"),
    [
        ({"v": np.ones((1, 16))}, r"\['v'\]: expected \['u0'\]"),
        ({"u0": np.ones(16)}, r"shape \(16,\): expected \('batch', 16\)"),
        ({"u0": np.ones((0, 16))}, "above 0"),
        ({"u0": np.full((1, 16), np.inf)}, "infinite"),
    ],
)
def test_inputs_that_do_not_fit_are_told(folder, inputs, told):
    with pytest.raises(ValueError, match=told):
        load_operator.load(folder)(inputs)


def test_an_operator_that_is_not_finite_is_not_shipped(run, tmp_path):
    broken = jax.tree.map(lambda x: x * np.inf, run.params)
    with pytest.raises(ValueError, match="parameter .*params/.* infinite"):
        exporting.export(dataclasses.replace(run, params=broken), tmp_path / "shipped")
    assert not (tmp_path / "shipped").exists()


def test_inputs_of_the_reference_alone_are_left_out():
    model = models.FNO(width=2, num_layers=1, modes=2, projection_width=2)
    kdv = problems.forced_kdv(num_x=12, num_t=12)
    read = exporting.inputs_read(untrained(kdv, model, stages=2))
    assert not {"family", "constants"} & set(read)
    assert {"f_x", "u0", "alpha", "beta"} <= set(read)


def test_a_medium_is_all_that_darcy_asks_for(tmp_path):
    """Coefficients of faces are made inside: nobody else can."""
    model = models.FNO(width=2, num_layers=1, modes=2, projection_width=2)
    problem = problems.darcy(num_points=13, num_fine=25, label_points=5)
    darcy = untrained(problem, model, stages=2)
    operator = load_operator.load(exporting.export(darcy, tmp_path / "darcy"))
    assert list(operator.metadata["inputs"]) == ["a_fine"]
    inputs = problem.sample(jax.random.key(3))
    expected = darcy.predict(inputs)
    found = operator({"a_fine": inputs["a_fine"][None]})
    np.testing.assert_allclose(found[0], expected, rtol=1e-5, atol=1e-7)


def test_stages_that_solve_systems_are_exported_for_every_platform(tmp_path):
    """A KdV corrector factorises matrices, for which platforms have their own calls."""
    model = models.FNO(width=2, num_layers=1, modes=2, projection_width=2)
    kdv = untrained(problems.forced_kdv(num_x=12, num_t=12), model, stages=2)
    operator = load_operator.load(exporting.export(kdv, tmp_path / "kdv"))
    keys = jax.random.split(jax.random.key(3), 3)
    inputs = jax.jit(jax.vmap(kdv.problem.sample))(keys)
    read = {name: inputs[name] for name in operator.metadata["inputs"]}
    np.testing.assert_allclose(operator(read), kdv.predict(read), rtol=1e-5, atol=1e-5)
