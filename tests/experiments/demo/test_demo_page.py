"""The demo's page in headless Chromium."""

import dataclasses
import json
import threading
import types

import jax.numpy as jnp
import numpy as np
import pytest
from browser import needs_chromium, started

from experiments.demo.answers import Answers
from experiments.demo.server import serve
from experiments.demo.shelf import Shelf
from pilno_jax import problems
from pilno_jax.evaluation.error_bar import error_bar
from pilno_jax.runs.trained_run import TrainedRun

pytestmark = needs_chromium


@pytest.fixture(scope="module")
def browser():
    yield from started()


@pytest.fixture
def played(browser, request):
    """The page of the mean of the features, on the problem that the test names."""
    model = types.SimpleNamespace(
        apply=lambda params, features, axes: params * features.mean(-1, keepdims=True)
    )
    run = TrainedRun(request.param, model, jnp.float32(0.5), step=0, config={})
    # Samples measure 0.7 at most, a saw 0.95: twice the largest lies between them.
    sizes = np.geomspace(0.1, 0.42, 20)
    run = dataclasses.replace(run, error_bar=error_bar(sizes, sizes, sizes, sizes))
    shelf = Shelf({"it": ("It", lambda: Answers(run))})
    server = serve(shelf, 0)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    browser.open(server.server_port)
    yield browser
    server.shutdown()
    server.server_close()


DIFFUSION = problems.diffusion(num_x=16, num_t=9)
PLANE = problems.navier_stokes(num_x=8, num_y=8, num_t=7, final_time=0.1)
LORENZ = problems.lorenz(num_t=132)
DARCY = problems.darcy(num_points=7, num_fine=13, label_points=4)
PICTURE = "document.querySelectorAll('#fields canvas')[{}].toDataURL()"
TEXT = "document.getElementById({!r}).textContent"
CURVE = "document.querySelector('#moving canvas').toDataURL()"
diffusion = pytest.mark.parametrize("played", [DIFFUSION], indirect=True)
SPREAD = "(f => Math.max(...f) - Math.min(...f))"


@pytest.mark.parametrize("played", [DIFFUSION, DARCY, PLANE], indirect=True)
def test_everything_is_shown_at_once(played):
    pictures = [played.evaluate(PICTURE.format(k)) for k in range(3)]
    assert len(set(pictures)) == 3
    assert "off by" in played.evaluate(TEXT.format("sentence"))
    times = played.evaluate(TEXT.format("times"))
    assert "Predicted in" in times and "solver took" in times
    assert played.evaluate(TEXT.format("message")) == ""
    # An equation that is set, not a picture of one.
    assert played.evaluate("document.querySelectorAll('#equation math').length") == 1


@pytest.mark.parametrize("kind", ["mouse", "touch"])
@diffusion
def test_a_line_drawn_by_hand_becomes_the_input(played, kind):
    before = played.evaluate(PICTURE.format(0))
    # Flat at the middle of the range, from one end to the other.
    played.drag("#inputs canvas", (0.0, 0.5), (0.999, 0.5), kind)
    played.wait(f"{PICTURE.format(0)} !== {json.dumps(before)}")
    # What does not vary does not diffuse; a pixel is a hundredth of the range.
    played.wait(f"{SPREAD}(state.shown.inputs.u0) < 0.05")
    assert played.evaluate(f"{SPREAD}(state.shown.reference.flat())") < 0.05


@diffusion
def test_a_jump_is_smoothed_across_the_ends_too(played):
    played.drag("#inputs canvas", (0.0, 0.5), (0.999, 0.5))
    flat = played.evaluate("state.inputs.u0[8]")
    played.drag("#inputs canvas", (0.0, 0.1), (0.001, 0.1))
    drawn = np.array(played.evaluate("state.inputs.u0")) - flat
    # Neighbours beyond the end rise as those beside it do, and far away nothing does.
    assert drawn[0] > 0 and drawn[-1] == pytest.approx(drawn[1], rel=0.1)
    assert abs(drawn[8]) < 0.05 * drawn[0]


@diffusion
def test_keys_draw_too(played):
    before = np.array(played.evaluate("state.inputs.u0"))
    played.evaluate("document.querySelector('#inputs canvas').focus()")
    right, up = "\ue014", "\ue013"
    played.press(right, right, right, up, up)
    change = np.array(played.evaluate("state.inputs.u0")) - before
    assert np.argmax(change) == 3 and change[3] > 0


@diffusion
def test_an_input_unlike_the_training_is_warned_of(played):
    assert "Unlike anything" not in played.evaluate(TEXT.format("sentence"))
    saw = "[...Array(16).keys()].map(i => (-1) ** i)"
    played.evaluate(f"(state.inputs.u0 = {saw}, state.edited())")
    played.wait(f"{TEXT.format('sentence')}.includes('Unlike anything')")
    assert played.evaluate("document.getElementById('verdict').className") == "warning"
    assert "e+" not in played.evaluate("document.getElementById('verdict').innerText")


@diffusion
def test_the_size_scales_and_another_sample_is_another(played):
    first = played.evaluate("state.inputs.u0")
    move = "(e => (e.value = 2, e.dispatchEvent(new Event('input'))))"
    played.evaluate(f"{move}(document.getElementById('size'))")
    twice = [2 * value for value in first]
    assert played.evaluate("state.inputs.u0") == pytest.approx(twice)
    played.evaluate("document.getElementById('again').click()")
    played.wait(f"state.inputs.u0[0] !== {2 * first[0]!r}")
    assert played.evaluate("document.getElementById('size').value") == "1"


@pytest.mark.parametrize("played", [DARCY], indirect=True)
def test_a_medium_is_painted_in_its_phases(played):
    low, high = played.evaluate("state.about.inputs[0].phases")
    assert (low, high) == (3.0, 12.0)
    brush = "document.querySelector('#inputs select')"
    played.evaluate(f"({brush}.value = {low}, 1)")
    played.drag("#inputs canvas", (0.1, 0.5), (0.9, 0.5))
    across = played.evaluate("state.inputs.a.map(column => column[3])")
    # The outermost nodes lie beyond the stroke; a quick mouse leaves no gap in it.
    assert across[1:-1] == pytest.approx([low] * 5)


@pytest.mark.parametrize("played", [DIFFUSION, PLANE], indirect=True)
def test_time_is_played(played):
    picture = CURVE if played.evaluate("state.about.axes.length") == 2 else None
    picture = picture or PICTURE.format(1)
    last = played.evaluate(picture)
    played.evaluate("document.getElementById('play').click()")
    played.wait("+document.getElementById('moment').value === 0 || +moment() > 0")
    played.wait(f"{picture} !== {json.dumps(last)}")
    played.evaluate("document.getElementById('play').click()")
    pressed = "document.getElementById('play').getAttribute('aria-pressed')"
    assert played.evaluate(pressed) == "false"


@pytest.mark.parametrize("played", [DIFFUSION, DARCY], indirect=True)
def test_it_fits_a_telephone(played):
    played.resize(500, 900)  # Chromium's windows are no narrower; a frame is
    width = played.evaluate(
        """(() => {
          document.body.style.width = "390px"; window.onresize();
          const shown = [...document.querySelectorAll("canvas, p, math, button")]
            .filter(e => !e.closest(".formula"));
          return Math.max(...shown.map(e => e.getBoundingClientRect().right));
        })()"""
    )
    played.resize(1300, 1000)
    assert width <= 55 + 390  # the body stands in the middle of 500 pixels


@diffusion
def test_what_the_server_refuses_is_told(played):
    played.evaluate("(state.inputs.u0[0] = 1e9, state.edited())")
    played.wait("document.getElementById('message').textContent.includes('u0')")
    # And the page goes on.
    played.evaluate("document.getElementById('again').click()")
    played.wait("document.getElementById('message').textContent === ''")


@pytest.mark.parametrize("played", [LORENZ], indirect=True)
def test_a_function_of_time_alone_is_a_curve(played):
    assert "off by" in played.evaluate(TEXT.format("sentence"))
    assert played.evaluate("document.getElementById('everywhere').hidden") is True
    before = played.evaluate(CURVE)
    played.drag("#inputs canvas", (0.1, 0.3), (0.9, 0.3))
    played.wait(f"{CURVE} !== {json.dumps(before)}")
