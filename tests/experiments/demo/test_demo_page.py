"""The demo's page in headless Chromium, driven by hand: by chromedriver's protocol."""

import json
import shutil
import subprocess
import threading
import time
import types
import urllib.request

import jax.numpy as jnp
import pytest

from experiments.demo.answers import Answers
from experiments.demo.server import serve
from pilno_jax import problems
from pilno_jax.runs.trained_run import TrainedRun

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")
# What keeps it from looking for anything beyond this machine.
OPTIONS = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run
--disable-background-networking --disable-component-update --disable-sync
--window-size=1300,1000"""
pytestmark = pytest.mark.skipif(
    not (CHROMIUM and DRIVER), reason="no chromium and chromedriver on this machine"
)


class Browser:
    """A session of chromedriver, as far as these tests need one."""

    def __init__(self, port: int):
        self.session = f"http://127.0.0.1:{port}/session"
        options = {"binary": CHROMIUM, "args": OPTIONS.split()}
        wanted = {"capabilities": {"alwaysMatch": {"goog:chromeOptions": options}}}
        self.session += f"/{self.send('', wanted)['sessionId']}"

    def send(self, path, body):
        request = urllib.request.Request(
            self.session + path,
            json.dumps(body).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.load(response)["value"]

    def open(self, port):
        self.send("/url", {"url": f"http://127.0.0.1:{port}/"})
        self.wait("document.body.dataset.ready === 'yes'")

    def evaluate(self, expression):
        return self.send(
            "/execute/sync", {"script": f"return {expression}", "args": []}
        )

    def wait(self, expression):
        limit = time.monotonic() + 30
        while not self.evaluate(expression):
            message = self.evaluate("document.getElementById('message').textContent")
            assert time.monotonic() < limit, (expression, message)
            time.sleep(0.05)

    def drag(self, selector, start, end):
        """With the left button, between two places given as parts of the element."""
        box = self.evaluate(
            f"document.querySelector({selector!r}).getBoundingClientRect().toJSON()"
        )
        steps = [
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]
        for place, step in zip((start, end), (0, 2), strict=True):
            x = box["x"] + place[0] * box["width"]
            y = box["y"] + place[1] * box["height"]
            move = {"type": "pointerMove", "x": round(x), "y": round(y)}
            steps.insert(step, {**move, "duration": 100})
        mouse = {"type": "pointer", "id": "mouse", "actions": steps}
        self.send("/actions", {"actions": [mouse]})


@pytest.fixture(scope="module")
def browser():
    driver = subprocess.Popen(
        [DRIVER, "--port=0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    for line in driver.stdout:
        if "started successfully on port" in line:
            break
    opened = Browser(int(line.rstrip().rstrip(".").rpartition(" ")[2]))
    yield opened
    urllib.request.urlopen(urllib.request.Request(opened.session, method="DELETE"))
    driver.terminate()
    driver.wait()


@pytest.fixture
def played(browser, request):
    """The page of the mean of the features, on the problem that the test names."""
    model = types.SimpleNamespace(
        apply=lambda params, features, axes: params * features.mean(-1, keepdims=True)
    )
    run = TrainedRun(request.param, model, jnp.float32(0.5), step=0, config={})
    server = serve(Answers(run), 0)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    browser.open(server.server_port)
    yield browser
    server.shutdown()
    server.server_close()


DIFFUSION = problems.diffusion(num_x=16, num_t=9)
PLANE = problems.navier_stokes(num_x=8, num_y=8, num_t=7, final_time=0.1)
DARCY = problems.darcy(num_points=7, num_fine=13, label_points=4)
PICTURE = "document.querySelectorAll('#fields canvas')[{}].toDataURL()"
NUMBERS = "document.getElementById('numbers').textContent"


@pytest.mark.parametrize("played", [DIFFUSION, DARCY, PLANE], indirect=True)
def test_everything_is_shown_at_once(played):
    pictures = [played.evaluate(PICTURE.format(k)) for k in range(4)]
    assert len(set(pictures)) == 4
    for told in ("prediction", "reference", "relative error", "residual", "ms"):
        assert told in played.evaluate(NUMBERS)
    assert played.evaluate("document.getElementById('message').textContent") == ""


@pytest.mark.parametrize("played", [DIFFUSION], indirect=True)
def test_a_line_drawn_by_mouse_becomes_the_input(played):
    before = played.evaluate(PICTURE.format(0))
    # Flat at the middle of the range, from one end to the other.
    played.drag("#inputs canvas", (0.0, 0.5), (0.999, 0.5))
    played.wait(f"{PICTURE.format(0)} !== {json.dumps(before)}")
    # What does not vary does not diffuse; a pixel is a hundredth of the range.
    spread = "(f => Math.max(...f) - Math.min(...f))"
    played.wait(f"{spread}(shown.inputs.u0) < 0.05")
    assert played.evaluate(f"{spread}(shown.reference.flat())") < 0.05


@pytest.mark.parametrize("played", [DIFFUSION], indirect=True)
def test_the_size_scales_and_another_sample_is_another(played):
    first = played.evaluate("inputs.u0")
    move = "(e => (e.value = 2, e.dispatchEvent(new Event('input'))))"
    played.evaluate(f"{move}(document.getElementById('size'))")
    assert played.evaluate("inputs.u0") == pytest.approx([2 * v for v in first])
    played.evaluate("document.getElementById('again').click()")
    played.wait(f"inputs.u0[0] !== {2 * first[0]!r}")
    assert played.evaluate("document.getElementById('size').value") == "1"


@pytest.mark.parametrize("played", [DARCY], indirect=True)
def test_a_medium_is_painted(played):
    low = played.evaluate("about.inputs[0].low")
    move = f"(e => (e.value = {low}, 1))"
    played.evaluate(f"{move}(document.querySelector('#inputs figure input'))")
    played.drag("#inputs canvas", (0.1, 0.5), (0.9, 0.5))
    across = played.evaluate("inputs.a.map(column => column[3])")
    # The outermost nodes lie beyond the stroke; a quick mouse leaves no gap in it.
    assert across[1:-1] == pytest.approx([low] * 5)


@pytest.mark.parametrize("played", [PLANE], indirect=True)
def test_time_is_a_slider_where_the_field_is_a_plane(played):
    last = played.evaluate(PICTURE.format(1))
    move = "(e => (e.value = 0, e.dispatchEvent(new Event('input'))))"
    played.evaluate(f"{move}(document.getElementById('moment'))")
    assert played.evaluate(PICTURE.format(1)) != last


@pytest.mark.parametrize("played", [DIFFUSION], indirect=True)
def test_what_the_server_refuses_is_told(played):
    played.evaluate("(inputs.u0[0] = 1e9, edited())")
    played.wait("document.getElementById('message').textContent.includes('u0')")
    # And the page goes on.
    played.evaluate("document.getElementById('again').click()")
    played.wait("document.getElementById('message').textContent === ''")
