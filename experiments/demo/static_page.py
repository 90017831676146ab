"""The demo's page as files, its operators in the browser: any host can serve it.

DIR/index.html and its scripts are those of the server; answers.js alone is another. Of
every operator there are

    NAME/about.json      what the server tells of it, and samples with their solutions
    NAME/operator.onnx   the operator after each stage, and the size of its error
    NAME/solver.onnx     the reference solver, if ONNX has a form of it

and in DIR/runtime is onnxruntime-web.
"""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax
import numpy as np

from experiments.demo import browser_runtime
from experiments.demo.answers import Answers
from experiments.demo.references import NoReference
from experiments.demo.server import PAGE, SCRIPTS
from pilno_jax.evaluation.error_bar import FAR
from pilno_jax.problems import Problem
from pilno_jax.runs import exporting_onnx, files
from pilno_jax.runs.onnx_program import onnx_program
from pilno_jax.runs.trained_run import TrainedRun

COPIED = ("index.html", "style.css", *SCRIPTS)


def write_page(folder: Path, runtime: bytes) -> None:
    """Write the page itself, without operators.

    Args:
        folder: where to; its files are replaced.
        runtime: the package of `browser_runtime`.
    """
    for name in COPIED:
        shutil.copy(PAGE / name, folder / name)
    for name in ("answers", "solver"):
        shutil.copy(PAGE / f"{name}_browser.js", folder / f"{name}.js")
    browser_runtime.unpack(runtime, folder / "runtime")


def write_list(folder: Path, titles: Mapping[str, str]) -> None:
    """Write which operators the page offers.

    Args:
        folder: of the page.
        titles: name -> title, the first one shown first.
    """
    listed = [{"name": name, "title": title} for name, title in titles.items()]
    files.write_json(folder / "problems.json", {"problems": listed})


def write_operator(folder: Path, run: TrainedRun) -> str:
    """Write an operator and what the page has to know of it.

    Args:
        folder: of this operator, inside the page's.
        run: the trained run.

    Returns:
        Its title.

    Raises:
        NotImplementedError: ONNX has no operation for a part of the operator.
    """
    answers = Answers(run)
    shapes = {
        name: jax.ShapeDtypeStruct(draws.shape[1:], np.float32)
        for name, draws in answers.editable.items()
    }
    program = exporting_onnx.operator_program(run, shapes, run.problem.complete)
    solver = _solver(run.problem, shapes)
    about = {**answers.about(), **_for_the_browser(answers, run), "solver": False}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / exporting_onnx.PROGRAM).write_bytes(program)
    if solver is not None:
        (folder / "solver.onnx").write_bytes(solver)
        about["solver"] = True
    files.write_json(folder / "about.json", about)
    return about["title"]


def _solver(problem: Problem, shapes: dict[str, jax.ShapeDtypeStruct]) -> bytes | None:
    """The program from inputs that can be drawn to u, where there is one."""
    solve = problem.solve
    if solve is None or problem.solver_inputs:
        return None
    try:
        return onnx_program(lambda given: {"u": solve(problem.complete(given))}, shapes)
    except NotImplementedError:
        return None


def _for_the_browser(answers: Answers, run: TrainedRun) -> dict[str, Any]:
    """What the server keeps to itself."""
    matrices, draws = answers.finer.matrices, answers.editable
    count = len(next(iter(draws.values())))
    return {
        "nodes": list(run.problem.grid.shape),
        "finer": [None if matrix is None else _single(matrix) for matrix in matrices],
        "error_bar": run.error_bar and {**run.error_bar.to_dict(), "far": FAR},
        "samples": [
            _sample(answers, {name: drawn[number] for name, drawn in draws.items()})
            for number in range(count)
        ],
    }


def _sample(answers: Answers, drawn: dict[str, np.ndarray]) -> dict[str, Any]:
    """One input with its solution, whose numbers stand in a row."""
    sample = {"inputs": {name: _single(values) for name, values in drawn.items()}}
    try:
        truth = answers.truth(answers.problem.complete(drawn))
    except NoReference:
        return {**sample, "reference": None}
    known = np.isfinite(truth).all()
    return {**sample, "reference": _single(truth.ravel()) if known else None}


def _single(values: Any) -> Any:
    """Nested lists with all the digits of single precision, and no more."""
    numbers = np.asarray(values, np.float32)
    short = np.vectorize(lambda number: float(f"{number:.9g}"), otypes=[float])
    return short(numbers).tolist()
