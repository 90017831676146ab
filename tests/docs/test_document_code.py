"""The Python blocks of the documents run as they stand."""

from pathlib import Path

import jax
import numpy as np
import pytest

from experiments.pages import run_document
from pilno_jax.runs import train

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """run("name.md", NAME=value) -> what its names stand for and what it printed.

    `pilno_jax.train` chooses a network of one layer, which compiles fast.
    """
    chosen = train.network_for

    def smaller(problem):
        return chosen(problem).clone(width=16, num_layers=1, poles=1)

    def call(name, **replaced):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(train, "network_for", smaller)
        # Readers have JAX's own settings.
        with jax.numpy_rank_promotion("allow"):
            names = run_document.run(DOCS / name, replaced)
        return names, capsys.readouterr().out

    return call


def test_lines_of_the_program_are_those_of_the_document():
    text = (
        "# Title\n\n```python\na = 1\n```\n\n```sh\nls\n```\n\n```python\nb = a\n```\n"
    )
    lines = run_document.program(text).splitlines()
    assert lines[3] == "a = 1" and lines[11] == "b = a"
    assert sum(bool(line) for line in lines) == 2


def test_values_can_be_replaced(tmp_path):
    path = tmp_path / "a.md"
    path.write_text("```python\nSTEPS = 3\ntwice = 2 * STEPS\n```\n")
    assert run_document.run(path)["twice"] == 6
    assert run_document.run(path, {"STEPS": 5})["twice"] == 10
    with pytest.raises(ValueError, match="STEP.*not assigned"):
        run_document.run(path, {"STEP": 5})


def test_first_steps(run, tmp_path):
    names, printed = run("first_steps.md")
    assert names["error"] < 2 * float(names["prediction"].upper) < 0.01
    assert not names["mine"].unlike_training and names["spikes"].unlike_training
    assert (tmp_path / "first_steps.png").stat().st_size > 10_000
    assert 0 < names["flow"].u.max() < 0.03 and "burgers" in printed


def test_your_own_pde(run, tmp_path):
    names, printed = run("your_own_pde.md", STEPS=40)
    # Measured: 0.064; u0 itself, at all times, is 0.33 from the solutions.
    assert names["errors"].mean() < 0.1
    # Two ways to solve it, measured 1.5e-5 apart.
    assert names["distances"].max() < 1e-4
    u, again = names["u"], names["again"]
    np.testing.assert_array_equal(again.predict(names["u0"]), u)
    assert (tmp_path / "allen_cahn.png").stat().st_size > 10_000
    assert names["swapped"].mismatches.max() > 0.1
    assert names["backwards"].residuals.min() > 10 * names["mine"].residuals.max()
    assert "yours looks like (samples, t, x)" in printed


def test_reusing_losses(run):
    names, _ = run("reusing_losses.md", STEPS=30)
    # Measured: 0.25, the losses fall by factors of 3.7 to 4.5; 0.062 and 39 to 48 after
    # the document's 200 steps.
    assert names["error"] < 0.35
    assert (names["history"][:, -1] < names["history"][:, 0] / 3).all()
    assert names["alike"] > 0.9


def test_inverse_problem(run, tmp_path):
    names, _ = run("inverse_problem.md", STEPS=50)
    # Measured: 0.24; the misfit falls from 515 to 5.6 in units of the noise. After the
    # document's 200 steps 0.11 and 1.6.
    assert names["error"] < 0.35 and names["values"][-1] < names["values"][0] / 10
    assert (tmp_path / "inverse_problem.png").stat().st_size > 10_000


def test_systems(run, tmp_path):
    names, _ = run("systems.md", STEPS=50, WINDOWS=2)
    # Measured: 8e-3, and the operator's own estimate 5e-3.
    error = names["errors"].mean()
    assert error < 1e-2
    assert 0.3 < names["answer"].error[:, 0].mean() / error < 3
    assert names["answer"].u.shape == (20, 2, 16, 13, 2)
    assert (tmp_path / "hunt.png").stat().st_size > 10_000


def test_parameters(run):
    names, printed = run("parameters.md")
    assert names["steepest"][0] > 1.2 * names["steepest"][1]
    # Differences of order 6 at the largest rate: measured 2e-3.
    assert abs(names["residuals"]).max() < 1e-2
    assert "rate = (5.0, 0.5) is not allowed" in printed
    ends = [float(names["inputs"][name]) for name in ("u_left", "u_right")]
    field = names["field"]
    assert [float(field[i, -1]) for i in (0, -1)] == pytest.approx(ends, abs=1e-6)
    assert names["pressure"][0].max() > 0 and not names["pressure"][-1].any()
    slopes = [float(names["heat"][name]) for name in ("slope_left", "slope_right")]
    # Differences of order 6 on 17 nodes multiply the rounding of float32 by 100.
    assert names["slopes"].tolist() == pytest.approx(slopes, abs=1e-4)
