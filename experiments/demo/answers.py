"""What the page asks of a trained run: plain dicts in, plain dicts out, no HTTP.

A question is {"seed": 3}, a sample of the problem's own law, or {"inputs": {...}}, a
value for each input that can be edited.
"""

import time
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import matplotlib
import numpy as np

from pilno_jax import operators, plotting
from pilno_jax.checks import require
from pilno_jax.evaluation import error_estimate
from pilno_jax.evaluation.newton import MOST_NODES, NotConverged, newton
from pilno_jax.numerics import norms
from pilno_jax.problems import Inputs, Problem
from pilno_jax.runs.trained_run import TrainedRun

LARGEST = 1e6  # beyond any physical value, and far from float32's end


class NoReference(Exception):
    """Why there is nothing to compare a prediction with."""


class Answers:
    """Compiled once, for one sample at a time."""

    def __init__(self, run: TrainedRun):
        problem = self.problem = run.problem
        self.params = run.params
        self._sample = jax.jit(problem.sample)
        predict = run.operator
        self._predict = jax.jit(
            lambda params, inputs: predict(
                params, jax.tree.map(lambda x: jnp.asarray(x)[None], inputs)
            )[0]
        )
        self._reference = _reference(problem)
        self._residual = jax.jit(problem.residual)
        self._measure = jax.jit(error_estimate.residuals(problem))
        self._error_sizes = jax.jit(operators.error_sizes(problem))
        self._error_bar = run.error_bar
        draws = [self._sample(jax.random.key(seed)) for seed in range(8)]
        self.fields = {
            name: field
            for name, field in problem.input_fields().items()
            if field.editable
        }
        self.editable = {
            name: np.stack([np.asarray(draw[name]) for draw in draws])
            for name in self.fields
        }
        # Compiled before anybody waits for it, and before anything is timed.
        drawn = self.answer({"seed": 0})
        self.answer({"inputs": drawn["inputs"]})

    def about(self) -> dict[str, Any]:
        """What the page has to know before it asks."""
        return {
            "problem": self.problem.name.replace("_", " "),
            "axes": [
                {"name": a.name, "coordinates": np.asarray(a.coordinates).tolist()}
                for a in self.problem.grid.axes
            ],
            "inputs": [self._about_input(name) for name in self.editable],
            "fields": list(self.problem.fields),
            "colours": {
                "field": _colours(plotting.FIELD_COLOURS),
                "signed": _colours(plotting.SIGNED_COLOURS),
            },
        }

    def _about_input(self, name: str) -> dict[str, Any]:
        """Its shape, the grid's axis it runs along (a number: any) and its range."""
        names = [axis.name for axis in self.problem.grid.axes]
        axes, draws = self.fields[name].axes, self.editable[name]
        return {
            "name": name,
            "shape": list(draws.shape[1:]),
            "axis": names.index(axes[0]) if axes else 0,
            "low": float(draws.min()),
            "high": float(draws.max()),
        }

    def answer(self, question: Any) -> dict[str, Any]:
        """Prediction, reference, residual, times; a ValueError says what is wrong."""
        inputs = self._inputs(question)
        u, predict_ms = _timed(lambda: self._predict(self.params, inputs))
        if not np.isfinite(np.asarray(u)).all():
            raise ValueError("the prediction overflows: expected smaller inputs")
        residual = self._residual(u, inputs)
        batch = jax.tree.map(lambda x: jnp.asarray(x)[None], inputs)
        answer = {
            "inputs": {name: _numbers(inputs[name]) for name in self.editable},
            "prediction": self._by_field(u),
            "residual": self._by_field(residual),
            "residual_size": float(self._measure(u[None], batch)[0]),
            "estimate": self._estimate(u, batch),
            "predict_ms": predict_ms,
            "reference": None,
            "note": "",
        }
        try:
            truth, solve_ms = _timed(lambda: self._reference(inputs, u))
        except NoReference as reason:
            answer["note"] = f"no reference: {reason}"
            return answer
        if not np.isfinite(np.asarray(truth)).all():
            answer["note"] = "no reference: the solver is unstable for this input"
            return answer
        error = float(norms.relative_l2(u, jnp.asarray(truth, u.dtype)))
        reference = {"reference": self._by_field(truth), "solve_ms": solve_ms}
        # Of a truth that is zero the relative error is not a number.
        return {**answer, **reference, "error": error if np.isfinite(error) else None}

    def _by_field(self, u: jax.Array) -> Any:
        """Numbers on the grid; of several fields, a list of that for each."""
        return _numbers(jnp.moveaxis(u, -1, 0) if self.problem.fields else u)

    def _estimate(self, u: jax.Array, batch: Inputs) -> dict[str, Any] | None:
        """What the operator says of its own error, if its run has an error bar."""
        if self._error_bar is None:
            return None
        sizes = np.asarray(self._error_sizes(batch, u[None]))
        if not np.isfinite(sizes).all():  # a field that is zero has no relative error
            return None
        return {
            "error": float(self._error_bar.expected(sizes)[0]),
            "upper": float(self._error_bar.upper(sizes)[0]),
            "unlike_training": bool(self._error_bar.is_unlike(sizes)[0]),
        }

    def _inputs(self, question: Any) -> Inputs:
        one_of = isinstance(question, dict) and len(question) == 1
        one_of = one_of and question.keys() <= {"seed", "inputs"}
        allowed = 'an object with either "seed" or "inputs"'
        require(one_of, "question", _short(question), allowed)
        if "seed" in question:
            seed = question["seed"]
            whole = isinstance(seed, int) and not isinstance(seed, bool)
            allowed = "a whole number from 0 to 2147483647"
            require(whole and 0 <= seed < 2**31, "seed", _short(seed), allowed)
            return self._sample(jax.random.key(seed))
        given = question["inputs"]
        named = isinstance(given, dict) and given.keys() == self.editable.keys()
        allowed = f"an object with {sorted(self.editable)}"
        require(named, "inputs", _short(given), allowed)
        edited = {
            name: _array(name, given[name], values.shape[1:])
            for name, values in self.editable.items()
        }
        return self.problem.complete(edited)


def _reference(problem: Problem) -> Callable[[Inputs, jax.Array], Any]:
    """(inputs, prediction) -> the truth, by the solver or from the residual alone."""
    if problem.solve is not None:
        solve = jax.jit(problem.solve)

        def by_solver(inputs: Inputs, u: jax.Array) -> jax.Array:
            del u
            if not problem.solvable(inputs):
                names = " and ".join(problem.solver_inputs)
                raise NoReference(f"only drawn samples have its {names}")
            return solve(inputs)

        return by_solver
    if problem.grid.size > MOST_NODES:
        return _without_reference
    find = newton(problem)

    def by_newton(inputs: Inputs, u: jax.Array) -> np.ndarray:
        batch = jax.tree.map(lambda x: np.asarray(x)[None], inputs)
        try:
            return find(batch, start=np.asarray(u)[None]).u[0]
        except NotConverged:
            raise NoReference("Newton's method finds no solution") from None

    return by_newton


def _without_reference(inputs: Inputs, u: jax.Array) -> jax.Array:
    del inputs, u
    raise NoReference("the problem has no solver, and too many nodes for Newton")


def _array(name: str, value: Any, shape: tuple[int, ...]) -> np.ndarray:
    try:
        array = np.asarray(value, np.float32)
    except (TypeError, ValueError, OverflowError):
        text = f"{name} is not allowed: expected numbers in the shape {list(shape)}"
        raise ValueError(text) from None
    given = list(array.shape)
    require(array.shape == shape, f"shape of {name}", given, f"{list(shape)}")
    bounded = bool(np.all(np.abs(array) <= LARGEST))  # False for NaN, too
    allowed = f"finite numbers of at most {LARGEST:g}"
    require(bounded, name, "<out of bounds>", allowed)
    return array


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:60] + "..."


def _timed(compute: Callable[[], Any]) -> tuple[Any, float]:
    start = time.perf_counter()
    field = jax.block_until_ready(compute())
    return field, 1e3 * (time.perf_counter() - start)


def _numbers(field: Any) -> Any:
    """Nested lists with the five digits that a picture can show."""
    rounded = np.vectorize(lambda x: float(f"{x:.5g}"), otypes=[float])
    return rounded(np.asarray(field, float)).tolist()


def _colours(name: str) -> list[list[int]]:
    table = matplotlib.colormaps[name](np.linspace(0.0, 1.0, 64))
    return (255 * np.asarray(table)[:, :3]).round().astype(int).tolist()
