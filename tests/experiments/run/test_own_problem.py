"""A problem in a file beside the config: everything that those of the package get."""

import json
import sys

import jax
import numpy as np
import pytest

import pilno_jax
from experiments.config.command_line import BrokenConfigFile, read_config
from experiments.run import other_law
from pilno_jax import data, problems
from pilno_jax.checks import ArgumentError
from pilno_jax.runs import exporting

# Without a solver, and with an option of its own.
OWN_PDE = """
import jax.numpy as jnp
from pilno_jax import Problem
from pilno_jax.numerics.derivatives import along, derivative
from pilno_jax.numerics.grids import Axis, Grid
from pilno_jax.numerics.random_fields import exp_sine
from pilno_jax.problems import resizable


@resizable("num_x", "num_t")
def allen_cahn(
    *, epsilon: float = 0.01, num_x: int = 32, num_t: int = 21, final_time: float = 1.0
):
    x, t = Axis("x", 0.0, 1.0, num_x, periodic=True), Axis("t", 0.0, final_time, num_t)
    grid = Grid((x, t))
    d_xx, d_t = derivative(x, 2), derivative(t, 1, accuracy=6)

    def features(inputs):
        u0, time = grid.broadcast(inputs["u0"], 0), grid.broadcast(t.scaled, 1)
        return jnp.stack([u0, time], -1)

    return Problem(
        name="allen_cahn",
        grid=grid,
        sample=lambda key: {"u0": exp_sine(key, x.coordinates, 1.0, 0.5)},
        features=features,
        residual=lambda u, inputs: along(d_t, u, 1)
        - epsilon * along(d_xx, u, 0) - u + u**3,
        constrain=lambda raw, inputs: inputs["u0"][:, None] + t.scaled[None] * raw,
        time_axis=1,
    )
"""
CONFIG = """
from experiments.config.problem_and_model import model, problem
from experiments.config.schema import RunConfig


def get_config():
    return RunConfig(
        problem=problem({name}, epsilon=0.02),
        model=model("alno", modes=(3, 3), poles=(2, 2)),
    )
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where a user's files are; what was imported from there is forgotten."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "own_pde.py").write_text(OWN_PDE)
    (tmp_path / "own_config.py").write_text(CONFIG.format(name='"own_pde:allen_cahn"'))
    yield tmp_path
    for name in ("own_pde", "own_config"):
        sys.modules.pop(name, None)


def labelled_file(folder):
    """Three solved samples on the grid of the tests' tiny runs, and where they are."""
    sys.path.append(str(folder))
    sizes = {"num_x": 16, "num_t": 9, "final_time": 0.2}
    problem = problems.make("own_pde:allen_cahn", epsilon=0.02, **sizes)
    solved = data.generate(problem, jax.random.key(5), 3)
    arrays = {"u0": solved["inputs"]["u0"], "u": solved["labels"]}
    np.savez(folder / "mine.npz", **arrays)
    return folder / "mine.npz", arrays


def test_a_run_of_one_s_own_problem(folder, launch):
    """Trained, judged, resumed, loaded, exported, and noticed when its file changes."""
    workdir, config = folder / "run", str(folder / "own_config.py")
    own, arrays = labelled_file(folder)
    physics_alone = {"train.num_train": 0, "cache": folder / "cache"}
    physics_alone["data.validation_file"] = own
    code, lines, errors = launch(workdir, physics_alone, config=config)
    assert code == 0, errors
    result = json.loads((workdir / "result.json").read_text())
    assert result["problem"] == "allen_cahn"
    assert result["complete_config"]["problem"]["epsilon"] == 0.02
    names = {path.name for path in (folder / "cache").iterdir()}
    assert len(names) == 2 and all(n.startswith("own_pde_allen_cahn") for n in names)

    # A process that has never heard of it finds the file where it was.
    sys.path.remove(str(folder))
    sys.modules.pop("own_pde")
    run = pilno_jax.load(workdir)
    # The first two samples of the file chose the checkpoint.
    predictions = run.predict({"u0": arrays["u0"][:2]})
    judged = pilno_jax.relative_errors(predictions, arrays["u"][:2]).mean()
    np.testing.assert_allclose(judged, result["validation"], rtol=1e-5)
    assert any(f"validation set from {own}: 2 labelled samples" in x for x in lines)
    inputs = run.problem.sample(jax.random.key(1))
    np.testing.assert_array_equal(run.predict(inputs)[:, 0], inputs["u0"])
    softer, labelled = other_law.under_law(run, {"epsilon": 0.05}, 2, 0)
    residual = jax.vmap(softer.problem.residual)
    zeros = np.zeros_like(labelled["labels"])
    at_rest = jax.vmap(softer.problem.constrain)(zeros, labelled["inputs"])
    left = residual(labelled["labels"], labelled["inputs"])
    before = residual(at_rest, labelled["inputs"])
    # Of the equations at t = 0, where u is given, the grid leaves a part.
    assert np.abs(left).max() < 0.02 * np.abs(before).max()
    assert (exporting.export(run, folder / "shipped") / "load_operator.py").exists()

    more = {**physics_alone, "train.steps": 120}
    code, lines, _ = launch(workdir, more, config=config)
    assert code == 0 and any("resuming at step 110 of 120" in line for line in lines)

    np.savez(own, u0=arrays["u0"], u=-arrays["u"])
    code, _, errors = launch(workdir, more, config=config)
    changed = f"{own}, the validation set, has changed since"
    assert code == 2 and len(errors) == 1 and changed in errors[0]

    with (folder / "own_pde.py").open("a") as file:
        file.write("# another equation\n")
    code, _, errors = launch(workdir, more, config=config)
    changed = f"{folder}/own_pde.py, or a file that it imports, has changed since"
    assert code == 2 and len(errors) == 1 and changed in errors[0]
    with pytest.warns(UserWarning, match="has changed since.*may not fit"):
        pilno_jax.load(workdir)

    (folder / "own_pde.py").unlink()
    sys.modules.pop("own_pde")
    with pytest.raises(ArgumentError, match=r"there is no file own_pde\.py in"):
        pilno_jax.load(workdir)


def test_a_factory_in_the_config_file_itself(folder):
    path = folder / "own_config.py"
    path.write_text(OWN_PDE + CONFIG.format(name="allen_cahn"))
    section = read_config(str(path)).problem
    assert section.name == "own_config:allen_cahn"
    assert problems.make(**section.to_dict()).name == "allen_cahn"


def test_labels_follow_the_user_s_file(folder, launch):
    """Another equation under the same name never meets the old one's labels."""
    key = data.label_key.label_key
    sys.path.append(str(folder))
    before = key({}, problems.factory_of("own_pde:allen_cahn"))
    with (folder / "own_pde.py").open("a") as file:
        file.write("# changed\n")
    assert key({}, problems.factory_of("own_pde:allen_cahn")) != before


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("own_pde:allen_cahn", None, r"there is no file own_pde\.py in .*{folder}"),
        ("own_pde:burgers", "", r"{folder}/own_pde\.py has no function burgers"),
        ("own_pde:f", "import nowhere_to_be_found", r"own_pde\.py cannot be imported"),
        ("own_pde:f", "def f(:", r"own_pde\.py cannot be imported .SyntaxError"),
        ("own_pde:f", "def f(**options): pass", r"arguments of f in {folder}"),
        ("own_pde:f", "def f(nu): pass", r"problem\.nu has no default"),
        ("own pde:f", "", "expected module:function"),
    ],
)
def test_slips_are_one_line_with_the_path(folder, name, text, reason, launch):
    if text is None:
        (folder / "own_pde.py").unlink()
    else:
        (folder / "own_pde.py").write_text(text)
    config = folder / "own_config.py"
    config.write_text(CONFIG.format(name=repr(name)).replace(", epsilon=0.02", ""))
    with pytest.raises(ArgumentError, match=reason.format(folder=folder)):
        read_config(str(config))


def test_a_bug_keeps_its_traceback(folder):
    (folder / "own_pde.py").write_text("eps = 1 / 0")
    with pytest.raises(BrokenConfigFile) as caught:
        read_config(str(folder / "own_config.py"))
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_what_a_factory_returns_is_a_problem(folder):
    sys.path.append(str(folder))
    (folder / "own_pde.py").write_text("def f(): return 3")
    with pytest.raises(ArgumentError, match=r"f in .*own_pde\.py returned = 'int'"):
        problems.make("own_pde:f")


def test_a_problem_that_cannot_be_labelled_says_so(folder, launch):
    text = (folder / "own_pde.py").read_text().replace("- u + u**3", "+ u**2 + 1e3")
    (folder / "own_pde.py").write_text(text)
    config = str(folder / "own_config.py")
    changes = {"train.num_train": 0, "cache": folder / "cache"}
    code, _, errors = launch(folder / "run", changes, config=config)
    assert code == 2 and len(errors) == 1
    assert "validation set: Newton's method found no solution" in errors[0]
