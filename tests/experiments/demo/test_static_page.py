"""The page as files: the browser's answers are those of Python."""

import dataclasses
import functools
import http.server
import json
import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from browser import needs_chromium, started
from untrained_run import untrained

from experiments.demo import browser_runtime, static_page
from experiments.demo.shown import FinerGrid
from pilno_jax import models, problems
from pilno_jax.checks import ArgumentError
from pilno_jax.evaluation.error_bar import error_bar
from pilno_jax.numerics.norms import relative_l2
from pilno_jax.runs import exporting_onnx
from pilno_jax.runs.trained_run import TrainedRun

# In the place of onnxruntime-web: u = u0(x) (1 - t / 2), from twice that before; a
# program is a number, and u multiplied by it.
STUB = """
export const env = { wasm: {} };
export class Tensor { constructor(type, data, dims) { Object.assign(this, { data }); } }
export const InferenceSession = { create: async (program) => ({
  outputNames: ["u_1", "u", "error_size"],
  run: async ({ u0 }) => {
    const factor = Number(new TextDecoder().decode(program));
    const u = Float32Array.from({ length: 144 },
      (_, k) => factor * u0.data[Math.floor(k / 9)] * (1 - (k % 9) / 16));
    const twice = u.map((v) => 2 * v), size = Float32Array.of(Math.abs(u0.data[0]));
    return { u: { data: u }, u_1: { data: twice }, error_size: { data: size } };
  },
}) };
"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *words):
        pass


@pytest.fixture(scope="module")
def browser():
    yield from started()


@pytest.fixture
def site(tmp_path):
    """A folder, and the port it is served at."""
    handler = functools.partial(Quiet, directory=tmp_path)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield tmp_path, server.server_port
    server.shutdown()
    server.server_close()


def between_nodes(problem, u):
    """What the page draws of a field, with all its digits."""
    values = np.asarray(u, float)
    for axis, matrix in enumerate(FinerGrid(problem.grid).matrices):
        if matrix is not None:
            along = np.tensordot(matrix, values, axes=(1, axis))
            values = np.moveaxis(along, 0, axis)
    return values


def shown_as(problem, browser, predict):
    """The page's answer, which is Python's prediction; its inputs; the prediction."""
    shown = browser.evaluate("state.shown")
    inputs = {name: np.float32(value) for name, value in shown["inputs"].items()}
    inputs = jax.tree.map(np.asarray, problem.complete(inputs))
    u = predict(inputs)
    expected, drawn = between_nodes(problem, u), np.array(shown["prediction"])
    drawn = np.moveaxis(drawn, 0, -1) if problem.fields else drawn
    assert np.linalg.norm(drawn - expected) < 1e-5 * np.linalg.norm(expected)
    return shown, inputs, u


@needs_chromium
def test_the_page_makes_of_fields_what_the_server_does(browser, site, monkeypatch):
    folder, port = site
    problem = problems.diffusion(num_x=16, num_t=9)
    sizes = np.geomspace(0.1, 0.3, 20)
    bar = error_bar(sizes, sizes, sizes, 2 * sizes)
    model = dataclasses.make_dataclass("Mean", ["apply"])(
        lambda params, features, axes: params * features.mean(-1, keepdims=True)
    )
    run = TrainedRun(problem, model, jnp.float32(0.5), 0, {}, error_bar=bar)
    monkeypatch.setattr(exporting_onnx, "operator_program", lambda *given: b"1")
    monkeypatch.setattr(static_page, "onnx_program", lambda *given: b"1.25")
    monkeypatch.setattr(
        browser_runtime,
        "unpack",
        lambda content, to: (to.mkdir(), (to / "ort.wasm.min.mjs").write_text(STUB)),
    )
    static_page.write_page(folder, b"")
    title = static_page.write_operator(folder / "it", run)
    static_page.write_list(folder, {"it": title})

    def predict(inputs):
        return inputs["u0"][:, None] * (1 - np.arange(9) / 16)

    browser.open(port)
    shown, inputs, u = shown_as(problem, browser, predict)
    truth = problem.solve(inputs)
    expected = [relative_l2(jnp.float32(k * u), truth) for k in (2, 1)]
    np.testing.assert_allclose(shown["stages"], expected, rtol=1e-4)
    difference = between_nodes(problem, u - truth)
    np.testing.assert_allclose(shown["difference"], difference, atol=1e-5)
    size = np.abs(inputs["u0"][:1])
    assert shown["estimate"]["error"] == pytest.approx(bar.expected(size)[0], rel=1e-5)
    assert shown["estimate"]["upper"] == pytest.approx(bar.upper(size)[0], rel=1e-5)
    assert shown["estimate"]["unlike_training"] == bool(bar.is_unlike(size)[0])

    browser.drag("#inputs canvas", (0.0, 0.02), (0.999, 0.02))
    browser.wait("state.shown.note.includes('being solved')")
    browser.wait("state.shown.reference !== null")
    shown, _, u = shown_as(problem, browser, predict)
    np.testing.assert_allclose(shown["stages"], [0.6, 0.2], rtol=1e-4)
    reference = between_nodes(problem, 1.25 * u)
    np.testing.assert_allclose(shown["reference"], reference, rtol=1e-5)
    assert shown["estimate"]["unlike_training"] is True and shown["note"] == ""
    browser.evaluate("(state.inputs.u0[0] = 1e9, state.edited())")
    browser.wait("document.getElementById('message').textContent.includes('u0')")
    browser.evaluate("document.getElementById('again').click()")
    browser.wait("document.getElementById('message').textContent === ''")


def test_another_package_than_the_tested_one_is_refused(tmp_path):
    with pytest.raises(ArgumentError, match="runtime.*a file"):
        browser_runtime.archive_bytes(str(tmp_path / "missing.tgz"))
    (tmp_path / "other.tgz").write_bytes(b"other")
    with pytest.raises(ArgumentError, match="byte for byte"):
        browser_runtime.archive_bytes(str(tmp_path / "other.tgz"))


@needs_chromium
def test_networks_in_the_browser_are_those_of_jax(browser, site):
    """Needs the extra `onnx`, and onnxruntime-web from an earlier `--static`."""
    pytest.importorskip("jax2onnx")
    if not browser_runtime.kept().is_file():
        pytest.skip(f"{browser_runtime.kept()} is not there")
    folder, port = site
    static_page.write_page(folder, browser_runtime.archive_bytes())
    small = {"width": 4, "num_layers": 1, "modes": 3, "poles": 2, "projection_width": 4}
    cases = {
        "burgers": problems.burgers(num_x=16, num_t=9),  # in a moving frame
        "darcy": problems.darcy(num_points=13, num_fine=25, label_points=5),
        "brusselator": problems.brusselator(num_x=8, num_t=9, final_time=0.1),
    }
    runs = {}
    for name, problem in cases.items():
        model = models.ALNO(**small, out_channels=max(len(problem.fields), 1))
        runs[name] = untrained(problem, model, stages=2)
        static_page.write_operator(folder / name, runs[name])
    static_page.write_list(folder, {name: name for name in cases})
    for name, run in runs.items():
        browser.open(port, name)
        for moved in (False, True):
            if moved:
                before = browser.evaluate(
                    inputs_now := "JSON.stringify(state.shown.inputs)"
                )
                browser.drag("#inputs canvas", (0.2, 0.3), (0.6, 0.7))
                browser.wait(f"!busy && {inputs_now} !== {json.dumps(before)}")
                browser.wait("!busy && state.shown.reference")
            shown, inputs, u = shown_as(run.problem, browser, run.predict)
            error = float(run.predict(inputs, with_error=True).error)
            assert shown["estimate"]["error"] == pytest.approx(error, rel=1e-3)
            if shown["reference"] is not None:
                truth = relative_l2(jnp.asarray(u), run.problem.solve(inputs))
                assert shown["error"] == pytest.approx(float(truth), rel=1e-4)
