"""An operator in onnxruntime answers what it does in JAX; needs the extra `onnx`."""

import dataclasses
import json
import re
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from untrained_run import untrained

from pilno_jax import models, operators, problems
from pilno_jax.runs import exporting_onnx, load_operator
from pilno_jax.runs.onnx_program import onnx_program

onnxruntime = pytest.importorskip("onnxruntime")
pytest.importorskip("jax2onnx")

SMALL = {"width": 4, "num_layers": 1, "modes": 3, "poles": 2, "projection_width": 4}


@pytest.mark.parametrize(
    "problem",
    [
        problems.burgers(num_x=16, num_t=9),  # in a moving frame
        problems.reaction_diffusion(task="ic", num_x=9, num_t=9, final_time=0.1),
        problems.reaction_diffusion(task="forcing", num_x=9, num_t=9, final_time=0.1),
        problems.darcy(num_points=13, num_fine=25, label_points=5),
        problems.brusselator(num_x=8, num_t=9, final_time=0.1),
        problems.forced_kdv(num_x=12, num_t=12),  # a dense system at every time
    ],
    ids=["burgers", "rd_ic", "rd_forcing", "darcy", "brusselator", "forced_kdv"],
)
def test_every_stage_is_as_in_jax(problem, tmp_path):
    model = models.ALNO(**SMALL, out_channels=max(len(problem.fields), 1))
    run = untrained(problem, model, stages=2)
    # Applied again, the corrector is a loop, which the program has too.
    run = dataclasses.replace(run, config={"stages": {"last_applied": 2}})
    folder = exporting_onnx.export_onnx(run, tmp_path)
    for line in (folder / load_operator.CHECKSUMS).read_text().splitlines():
        digest, _, name = line.partition("  ")
        assert load_operator.digest(folder / name) == digest
    about = json.loads((folder / load_operator.METADATA).read_text())
    session = onnxruntime.InferenceSession(folder / exporting_onnx.PROGRAM)
    inputs = problem.sample(jax.random.key(3))
    given = {name: np.asarray(inputs[name]) for name in about["inputs"]}
    batch = {name: value[None] for name, value in inputs.items()}
    fields = [u[0] for u in run.stage_operator(run.params, batch)]
    for name, expected in zip(("u_1", "u_2", "u"), fields, strict=True):
        (u,) = session.run([name], given)
        size = np.linalg.norm(expected)
        assert np.linalg.norm(u - expected) < 1e-5 * size
    (size,) = session.run([exporting_onnx.ERROR_SIZE], given)
    bar = about["error_bar"]
    error = np.hypot(bar["factor"] * size, bar["floor"])
    prediction = run.predict(inputs, with_error=True)
    assert error == pytest.approx(float(prediction.error), rel=1e-3)


def test_the_documents_program_runs(tmp_path, monkeypatch):
    problem = problems.burgers(num_x=16, num_t=9)
    run = untrained(problem, models.ALNO(**SMALL), stages=1)
    exporting_onnx.export_onnx(run, tmp_path / "burgers_onnx")
    monkeypatch.chdir(tmp_path)
    text = (Path(__file__).parents[2] / "docs" / "sharing.md").read_text()
    (program,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    inputs = problem.sample(jax.random.key(3))
    names = {"u0": np.asarray(inputs["u0"])}
    exec(program, names)
    expected = run.predict(inputs, with_error=True)
    np.testing.assert_allclose(names["u"], expected.u, atol=1e-6)
    assert names["upper"] == pytest.approx(float(expected.upper), rel=1e-3)


def test_what_onnx_cannot_do_is_told(tmp_path, monkeypatch):
    """A measure of the error that has no form, as one of the user's own may be."""
    run = untrained(problems.diffusion(num_x=8, num_t=8), models.ALNO(**SMALL), 1)
    determinants = lambda inputs, u: jnp.linalg.det(u)  # noqa: E731
    monkeypatch.setattr(operators, "error_sizes", lambda problem: determinants)
    with pytest.raises(NotImplementedError, match="ONNX has no .*a matrix's factors"):
        exporting_onnx.export_onnx(run, tmp_path / "it")
    assert not (tmp_path / "it").exists()


def test_a_solver_that_iterates_until_it_is_satisfied():
    darcy = problems.darcy(num_points=13, num_fine=25, label_points=5)
    inputs = darcy.complete({"a_fine": darcy.sample(jax.random.key(3))["a_fine"]})
    shapes = {"a_fine": jax.ShapeDtypeStruct((25, 25), np.float32)}

    def solve(given):
        return {"u": darcy.solve(darcy.complete(given))}

    session = onnxruntime.InferenceSession(onnx_program(solve, shapes))
    (u,) = session.run(["u"], {"a_fine": np.asarray(inputs["a_fine"])})
    expected = darcy.solve(inputs)
    assert np.linalg.norm(u - expected) < 1e-5 * np.linalg.norm(expected)
