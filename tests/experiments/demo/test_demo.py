"""The demo's server answers what it should, refuses what it should, and goes on."""

import dataclasses
import http.client
import json
import re
import socket
import threading
import types

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import toy

import pilno_jax
from experiments.demo.answers import Answers
from experiments.demo.server import LARGEST_BODY, serve
from experiments.demo.shelf import Shelf, shelf_of
from experiments.demo.shown import FinerGrid
from pilno_jax import problems
from pilno_jax.evaluation.error_bar import error_bar
from pilno_jax.runs.trained_run import TrainedRun


def untrained(problem) -> TrainedRun:
    """A network that compiles at once: the mean of its features, for every field."""
    channels = max(len(problem.fields), 1)

    def apply(params, features, axes):
        mean = params * features.mean(-1, keepdims=True)
        return jnp.broadcast_to(mean, (*mean.shape[:-1], channels))

    model = types.SimpleNamespace(apply=apply)
    return TrainedRun(problem, model, jnp.float32(0.5), step=0, config={})


@pytest.fixture(scope="module")
def answers():
    return Answers(untrained(problems.diffusion(num_x=8, num_t=9)))


def alone(answers) -> Shelf:
    """A shelf with one operator on it."""
    return Shelf({"it": ("It", lambda: answers)})


def test_it_says_what_the_operator_says_of_its_own_error():
    run = untrained(problems.diffusion(num_x=8, num_t=9))
    assert Answers(run).answer({"seed": 3})["estimate"] is None
    sizes = np.geomspace(1e-6, 1e-5, 20)
    bar = error_bar(sizes, sizes, sizes, sizes)
    known = dataclasses.replace(run, error_bar=bar)
    estimate = Answers(known).answer({"seed": 3})["estimate"]
    inputs = run.problem.sample(jax.random.key(3))
    prediction = known.predict(inputs, with_error=True)
    assert estimate["error"] == pytest.approx(prediction.error, rel=1e-5)
    assert estimate["upper"] == pytest.approx(prediction.upper, rel=1e-5)
    assert estimate["unlike_training"] is True


def test_without_a_solver_the_residual_gives_the_reference():
    problem = problems.diffusion(num_x=8, num_t=9)
    alone = dataclasses.replace(problem, solve=None)
    answer = Answers(untrained(alone)).answer({"seed": 3})
    truth = problem.solve(problem.sample(jax.random.key(3)))
    # The grid's own error, measured 1e-4.
    found = np.array(answer["reference"])[::8, ::8]
    np.testing.assert_allclose(found, truth, atol=1e-3)
    impossible = dataclasses.replace(alone, residual=lambda u, inputs: u**2 + 1.0)
    answer = Answers(untrained(impossible)).answer({"seed": 3})
    assert answer["note"] == "No reference: Newton's method finds no solution."
    assert answer["reference"] is None


@pytest.fixture(scope="module")
def port(answers):
    server = serve(alone(answers), 0)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server.server_port
    server.shutdown()
    server.server_close()
    thread.join()


def request(port, method, path, body=None, headers=()):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request(method, path, body, dict(headers))
    response = connection.getresponse()
    text = response.read()
    connection.close()
    return response.status, text


def ask(port, question, **headers):
    """A dict is sent as JSON, a string as it is."""
    body = question if isinstance(question, str) else json.dumps(question)
    sent = {"Content-Type": "application/json", **headers}
    status, text = request(port, "POST", "/answer/it", body, sent.items())
    return status, json.loads(text)


def test_the_page_and_what_it_has_to_know(port):
    status, page = request(port, "GET", "/")
    assert status == 200
    # Every file it names is served, and none is elsewhere.
    for path in re.findall(r'(?:src|href)="(\w[\w.]+)"', page.decode()):
        assert request(port, "GET", f"/{path}")[0] == 200
    assert b"http" not in page
    status, text = request(port, "GET", "/problems")
    assert json.loads(text) == {"problems": [{"name": "it", "title": "It"}]}
    status, text = request(port, "GET", "/about/it")
    about = json.loads(text)
    assert status == 200 and about["title"] == "The diffusion equation"
    assert "<math" in about["equation"] and "standard deviation" in about["law"]
    assert [axis["name"] for axis in about["axes"]] == ["x", "t"]
    assert [(item["name"], item["shape"]) for item in about["inputs"]] == [("u0", [8])]


def test_a_sample_and_the_same_drawn_by_hand_have_one_answer(port, answers):
    status, drawn = ask(port, {"seed": 3})
    assert status == 200
    status, again = ask(port, {"inputs": drawn["inputs"]})
    assert status == 200
    for field in ("prediction", "reference", "difference"):
        # Drawn between the nodes, of which the eighth and the ninth are left out.
        assert np.shape(again[field]) == (64, 65)
        # Inputs travel with five digits.
        np.testing.assert_allclose(again[field], drawn[field], rtol=1e-3, atol=1e-4)
    nodes = np.ix_(range(0, 64, 8), range(0, 65, 8))
    truth, u = np.array(drawn["reference"])[nodes], np.array(drawn["prediction"])[nodes]
    error = np.linalg.norm(u - truth) / np.linalg.norm(truth)
    assert drawn["error"] == pytest.approx(error, rel=1e-3)
    np.testing.assert_allclose(
        np.array(drawn["difference"])[nodes], u - truth, atol=1e-4
    )
    assert drawn["predict_ms"] > 0 and drawn["solve_ms"] > 0


U0 = [0.0] * 8


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("{", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ('{"inputs": {"u0": [NaN, 0, 0, 0, 0, 0, 0, 0]}}', "NaN"),
        ([1], "seed.*inputs"),
        ({}, "seed.*inputs"),
        ({"seed": 1, "inputs": {"u0": U0}}, "seed.*inputs"),
        ({"seed": -1}, "seed = .*whole number"),
        ({"seed": 1.5}, "seed = .*whole number"),
        ({"seed": True}, "seed = .*whole number"),
        ({"seed": 10**30}, "seed = .*whole number"),
        ({"inputs": 3}, r"an object with \['u0'\]"),
        ({"inputs": {"v": U0}}, r"an object with \['u0'\]"),
        ({"inputs": {"u0": U0[1:]}}, r"shape of u0 = \[7\].*\[8\]"),
        ({"inputs": {"u0": [[0.0], 1.0]}}, "u0 is not allowed"),
        ({"inputs": {"u0": ["a"] * 8}}, "u0 is not allowed"),
        ({"inputs": {"u0": {"0": 1}}}, "u0 is not allowed"),
        ({"inputs": {"u0": [None] * 8}}, "finite"),
        ({"inputs": {"u0": [1e30] * 8}}, "finite"),
        ('{"inputs": {"u0": [1e999, 0, 0, 0, 0, 0, 0, 0]}}', "finite"),
    ],
)
def test_bad_questions_are_told_and_the_next_is_answered(port, question, told):
    status, answer = ask(port, question)
    assert status == 400
    assert re.search(told, answer["error"]), answer["error"]
    assert ask(port, {"seed": 0})[0] == 200


def test_requests_that_are_no_questions_are_refused(port):
    assert request(port, "GET", "/etc/passwd")[0] == 404
    assert request(port, "GET", "/../server.py")[0] == 404
    assert request(port, "POST", "/about/it")[0] == 404
    assert request(port, "GET", "/about/other")[0] == 404
    assert request(port, "DELETE", "/answer/it")[0] == 501
    assert ask(port, {"seed": 0}, **{"Content-Type": "text/plain"})[0] == 415
    assert ask(port, {"seed": 0}, Host="elsewhere.example:80")[0] == 403
    assert ask(port, {"seed": 0})[0] == 200


def raw(port, text):
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(text.encode())
        return connection.recv(100).decode()


def test_a_body_without_a_length_or_with_too_much_of_it_is_not_read(port):
    head = f"POST /answer/it HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
    head += "Content-Type: application/json\r\n"
    assert " 411 " in raw(port, head + "\r\n")
    assert " 411 " in raw(port, head + "Content-Length: -5\r\n\r\n")
    assert " 413 " in raw(port, head + f"Content-Length: {LARGEST_BODY + 1}\r\n\r\n")
    assert " 413 " in raw(port, head + f"Content-Length: {'9' * 5000}\r\n\r\n")
    assert ask(port, {"seed": 0})[0] == 200


def test_only_this_machine_is_served(answers):
    server = serve(alone(answers), 0)
    assert server.server_address[0] == "127.0.0.1"
    server.server_close()


def test_an_internal_error_is_one_answer_and_not_the_end(answers, capfd):
    class Broken:
        def answer(self, question):
            raise RuntimeError("oh")

    server = serve(alone(Broken()), 0)  # type: ignore[arg-type]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for _ in range(2):
        status, answer = ask(server.server_port, {"seed": 0})
        assert status == 500 and "RuntimeError" in answer["error"]
    server.shutdown()
    server.server_close()
    assert "RuntimeError: oh" in capfd.readouterr().err


@pytest.mark.parametrize(
    "problem",
    [
        problems.burgers(num_x=8, num_t=9, final_time=0.1),
        problems.reaction_diffusion(task="ic", num_x=9, num_t=9, final_time=0.1),
        problems.reaction_diffusion(task="forcing", num_x=9, num_t=9, final_time=0.1),
        problems.darcy(num_points=7, num_fine=13, label_points=4),
        problems.forced_kdv(num_x=32, num_t=16),
        problems.navier_stokes(num_x=8, num_y=8, num_t=7, final_time=0.1),
        problems.burgers(num_x=8, num_t=9, final_time=0.1, viscosity=(0.01, 0.1)),
        problems.brusselator(num_x=8, num_t=9, final_time=0.1),
        toy.decay(),
    ],
    ids=lambda problem: problem.name,
)
def test_every_problem_can_be_played_with(problem):
    """Also, last, one whose inputs nobody described."""
    answers = Answers(untrained(problem))
    drawn = answers.answer({"seed": 1})
    about = answers.about()
    assert about["fields"] == list(problem.fields)
    # Several fields come one after the other.
    shape = tuple(len(axis["coordinates"]) for axis in about["shown"])
    shape = (*problem.shape[len(problem.grid.axes) :], *shape)
    assert np.shape(drawn["reference"]) == shape
    edited = answers.answer({"inputs": drawn["inputs"]})
    assert np.shape(edited["prediction"]) == shape
    if problem.name == "forced_kdv":
        assert edited["reference"] is None
        assert "inputs of your own have no closed-form solution" in edited["note"]
    else:
        assert np.shape(edited["reference"]) == shape
    json.dumps(edited, allow_nan=False)
    assert [item["name"] for item in about["inputs"]] == [*drawn["inputs"]]


def test_what_stands_between_the_nodes_is_what_the_grid_resolves():
    """A wave, exactly along the periodic x, and to third order along t."""
    problem = problems.diffusion(num_x=8, num_t=9)
    finer = FinerGrid(problem.grid)
    x, t = (np.asarray(axis.coordinates) for axis in problem.grid.axes)
    fine_x, fine_t = (np.asarray(axis.coordinates) for axis in finer.axes)

    def wave(x, t):
        return np.outer(np.sin(4 * np.pi * x), t**3)

    drawn = np.array(finer.numbers(wave(x, t)))
    np.testing.assert_allclose(drawn, wave(fine_x, fine_t), atol=2e-5)


def test_stages_are_answered_one_by_one():
    run = dataclasses.replace(
        untrained(problems.diffusion(num_x=8, num_t=9)),
        params=(jnp.float32(0.5), jnp.float32(0.1)),
        config={"stages": {"last_applied": 1}},
        correctors=(untrained(problems.diffusion(num_x=8, num_t=9)).model,),
    )
    answers = Answers(run)
    assert answers.about()["stages"] == 2
    first, last = (answers.answer({"seed": 1, "stage": k}) for k in (1, 2))
    assert first["error"] == first["stages"][0] != last["error"] == last["stages"][1]
    assert last["prediction"] == answers.answer({"seed": 1})["prediction"]
    with pytest.raises(ValueError, match="stage = 3 .*from 1 to 2"):
        answers.answer({"seed": 1, "stage": 3})


def test_shipped_operators_are_on_the_shelf_before_they_are_loaded():
    names = {name: name for name in pilno_jax.shipped()}
    listed = shelf_of(names).listed()["problems"]
    titles = {one["name"]: one["title"] for one in listed}
    assert titles["rd_ic"] == "Reaction-diffusion from an initial state"
    with pytest.raises(FileNotFoundError, match="nowhere"):
        shelf_of({"mine": "nowhere"})


def test_inputs_that_close_and_media_of_phases_are_told_apart():
    circle = problems.reaction_diffusion(task="ic", num_x=9, num_t=9, final_time=0.1)
    (u0,) = Answers(untrained(circle)).about()["inputs"]
    assert u0["closed"] and u0["phases"] == []
    medium = problems.darcy(num_points=7, num_fine=13, label_points=4)
    (a,) = Answers(untrained(medium)).about()["inputs"]
    assert not a["closed"] and a["phases"] == [3.0, 12.0]


def test_answers_have_the_precision_of_the_run():
    run = untrained(problems.diffusion(num_x=8, num_t=9))
    levels = set()

    def apply(params, features, axes):
        program = str(jax.make_jaxpr(jnp.matmul)(jnp.ones((2, 2)), jnp.ones((2, 2))))
        levels.update(re.findall(r"precision=(.*)", program))
        return params * features.mean(-1, keepdims=True)

    model = types.SimpleNamespace(apply=apply)
    config = {"matmul_precision": "tensorfloat32"}
    Answers(dataclasses.replace(run, model=model, config=config))
    assert levels == {"(Precision.HIGH, Precision.HIGH)"}


def test_inputs_are_drawn_along_their_axis_and_what_follows_from_them_is_not():
    kdv = Answers(untrained(problems.forced_kdv(num_x=12, num_t=8))).about()
    along = {item["name"]: (item["axis"], item["shape"]) for item in kdv["inputs"]}
    assert along == {
        "f_x": (0, [12, 8]),
        "u0": (0, [12]),
        **dict.fromkeys(("u_left", "u_right", "ux_right"), (1, [8])),
        **dict.fromkeys(("alpha", "beta"), (0, [])),
    }
