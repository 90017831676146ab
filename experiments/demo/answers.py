"""What the page asks of a trained run: plain dicts in, plain dicts out, no HTTP.

A question is {"seed": 3}, a sample of the problem's own law, or {"inputs": {...}}, a
value for each input that can be edited. With "stage": 1 beside it, it is answered by
the first network alone, with 2 after its first correction, and so on.
"""

import time
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from experiments.demo.references import NoReference, reference
from experiments.demo.shown import FinerGrid, about_axis, colours, numbers
from pilno_jax import operators, plotting
from pilno_jax.checks import require
from pilno_jax.numerics import norms
from pilno_jax.problems import Inputs
from pilno_jax.runs.formulas import mathml, with_formulas
from pilno_jax.runs.trained_run import TrainedRun

LARGEST = 1e6  # beyond any physical value, and far from float32's end
DRAWS = 8  # samples that the ranges of inputs are read off


class Answers:
    """Compiled once, for one sample at a time."""

    def __init__(self, run: TrainedRun):
        problem = self.problem = run.problem
        self.params = run.params
        self._sample = jax.jit(problem.sample)
        every = run.stage_operator
        self._fields = jax.jit(
            lambda params, inputs: [u[0] for u in every(params, _batch(inputs))]
        )
        self._reference = reference(problem)
        self._error_sizes = jax.jit(operators.error_sizes(problem))
        self._error_bar = run.error_bar
        self.finer = FinerGrid(problem.grid)
        draws = [self._sample(jax.random.key(seed)) for seed in range(DRAWS)]
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
        self.num_stages = len(drawn["stages"])
        self.answer({"inputs": drawn["inputs"]})

    def about(self) -> dict[str, Any]:
        """What the page has to know before it asks."""
        statement = self.problem.statement
        return {
            "title": statement.title or self.problem.name.replace("_", " "),
            "equation": statement.equation and mathml(statement.equation),
            "conditions": statement.conditions and mathml(statement.conditions),
            "learned": statement.learned and mathml(statement.learned),
            "law": with_formulas(statement.law),
            "grid": "×".join(map(str, self.problem.grid.shape)),
            "stages": self.num_stages,
            "time": self.problem.time_axis is not None,
            "axes": [about_axis(axis) for axis in self.problem.grid.axes],
            "shown": [about_axis(axis) for axis in self.finer.axes],
            "inputs": [self._about_input(name) for name in self.editable],
            "fields": list(self.problem.fields),
            "colours": {
                "field": colours(plotting.FIELD_COLOURS),
                "signed": colours(plotting.SIGNED_COLOURS),
            },
        }

    def _about_input(self, name: str) -> dict[str, Any]:
        """Its shape, the grid's axis it runs along (a number: any) and its values."""
        names = [axis.name for axis in self.problem.grid.axes]
        axes, draws = self.fields[name].axes, self.editable[name]
        values = np.unique(draws)
        symbol = self.fields[name].symbol or name
        return {
            "name": name,
            "symbol": with_formulas(symbol) if "$" in symbol else symbol,
            "shape": list(draws.shape[1:]),
            "axis": names.index(axes[0]) if axes else 0,
            "low": float(draws.min()),
            "high": float(draws.max()),
            # A medium of few phases is painted in them, not between.
            "phases": values.tolist() if len(values) <= 4 and axes else [],
            "closed": _closes(draws),
        }

    def answer(self, question: Any) -> dict[str, Any]:
        """Prediction, reference, errors, times; a ValueError says what is wrong."""
        inputs, stage = self._inputs(question), self._stage(question)
        fields, predict_ms = _timed(lambda: self._fields(self.params, inputs))
        u = fields[stage - 1 if stage else -1]
        if not np.isfinite(np.asarray(u)).all():
            raise ValueError("the prediction overflows: expected smaller inputs")
        answer = {
            "inputs": {name: numbers(inputs[name]) for name in self.editable},
            "prediction": self._drawn(u),
            # An error bar is made for the whole operator, not for a part of it.
            "estimate": None if stage else self._estimate(u, _batch(inputs)),
            "predict_ms": predict_ms,
            "stages": [None] * len(fields),
            "reference": None,
            "note": "",
        }
        try:
            truth, solve_ms = _timed(lambda: self._reference(inputs, u))
        except NoReference as reason:
            answer["note"] = f"No reference: {reason}."
            return answer
        if not np.isfinite(np.asarray(truth)).all():
            answer["note"] = "No reference: the solver is unstable for this input."
            return answer
        errors = [_error(field, truth) for field in fields]
        return {
            **answer,
            "reference": self._drawn(truth),
            "difference": self._drawn(np.asarray(u) - np.asarray(truth)),
            "solve_ms": solve_ms,
            "stages": errors,
            "error": errors[stage - 1 if stage else -1],
        }

    def truth(self, inputs: Inputs) -> np.ndarray:
        """The reference on the nodes of the grid.

        Args:
            inputs: of one sample, complete.

        Raises:
            NoReference: There is none.
        """
        u = self._fields(self.params, inputs)[-1]
        return np.asarray(self._reference(inputs, u))

    def _drawn(self, u: Any) -> Any:
        """Numbers between the nodes; of several fields, a list of that for each."""
        if not self.problem.fields:
            return self.finer.numbers(u)
        return [self.finer.numbers(one) for one in np.moveaxis(np.asarray(u), -1, 0)]

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
        known = isinstance(question, dict) and question.keys() - {"stage"}
        one_of = known in ({"seed"}, {"inputs"})
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

    def _stage(self, question: dict[str, Any]) -> int:
        """Which of the fields is asked for, from 1 on; 0 for the last."""
        if "stage" not in question:
            return 0
        stage = question["stage"]
        whole = isinstance(stage, int) and not isinstance(stage, bool)
        allowed = f"a whole number from 1 to {self.num_stages}"
        require(whole and 1 <= stage <= self.num_stages, "stage", stage, allowed)
        return stage if stage < self.num_stages else 0


def _batch(inputs: Inputs) -> Inputs:
    """One sample as a batch of one."""
    return jax.tree.map(lambda x: jnp.asarray(x)[None], inputs)


def _closes(draws: np.ndarray) -> bool:
    """Whether functions of one axis all end with the value they begin with."""
    if draws.ndim != 2:
        return False
    apart, size = np.abs(draws[:, 0] - draws[:, -1]), np.abs(draws).max()
    return bool(apart.max() < 1e-4 * size)


def _error(u: jax.Array, truth: Any) -> float | None:
    """Relative; of a truth that is zero it is not a number."""
    error = float(norms.relative_l2(u, jnp.asarray(truth, u.dtype)))
    return error if np.isfinite(error) else None


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
