"""A trained operator and what one asks of it.

run = pilno_jax.load("runs/burgers")         # or "burgers", which is shipped
u = run.predict({"u0": u0})                  # one sample, or a batch of them
u, error, *_ = run.predict({"u0": u0}, with_error=True)
fine = run.on(128, 101).predict({"u0": fine_u0})
"""

import dataclasses
import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, overload

import jax
import jax.numpy as jnp
import numpy as np

from pilno_jax import evaluation, operators, problems
from pilno_jax.checks import require, require_finite, require_positive
from pilno_jax.evaluation.error_bar import ErrorBar
from pilno_jax.numerics.precision import in_precision
from pilno_jax.runs.prediction import Prediction, with_bar


@dataclasses.dataclass(frozen=True)
class TrainedRun:
    """A problem, a network, and the parameters that did best on the validation set.

    Attributes:
        problem: The problem, on the grid that `predict` answers on.
        model: The network. Call it through `operator`, which knows its precision.
        params: The network's parameters; of an operator in stages, a tuple with those
            of every stage's network.
        step: The training step the parameters are of; of the last stage, if several.
        config: What config.json says, as plain dicts, tuples and numbers.
        correctors: The networks of the later stages, if any.
        error_bar: How to read an estimate of an error; None if the run was judged on
            fewer than ten validation inputs, or has not ended yet.
    """

    problem: problems.Problem
    model: Any
    params: operators.Params
    step: int
    config: dict[str, Any]
    correctors: tuple[Any, ...] = ()
    error_bar: ErrorBar | None = None

    def __repr__(self) -> str:
        shape = "x".join(map(str, self.problem.grid.shape))
        count = sum(np.size(leaf) for leaf in jax.tree.leaves(self.params))
        network = f"{type(self.model).__name__} with {count:,} parameters"
        where = f"{self.problem.name} on {shape}"
        return f"<TrainedRun: {where}, {network}, of step {self.step}>"

    @overload
    def predict(self, inputs: problems.Inputs) -> np.ndarray: ...

    @overload
    def predict(
        self,
        inputs: problems.Inputs,
        *,
        with_error: bool = ...,
        tolerance: float | None = ...,
    ) -> Prediction: ...

    def predict(
        self,
        inputs: problems.Inputs,
        *,
        with_error: bool = False,
        tolerance: float | None = None,
    ) -> np.ndarray | Prediction:
        """u on the problem's grid, for one sample or for a batch of them.

        The shapes tell which: fields shaped like those of `problem.sample(key)` are
        one sample, fields with one more axis in front a batch, and so is the answer.

        Args:
            inputs: The input fields by name, as `problem.sample(key)` has them. Fields
                that only the reference solver reads may be left out. A large batch is
                predicted in pieces, so it need not fit into the device's memory.
            with_error: Whether to estimate the errors of the answer, too, for the price
                of a residual.
            tolerance: A relative error that is good enough: the last stage is applied
                again while the error is above it and still falls. Default None: it is
                applied as in training. Needs an operator in stages.

        Returns:
            An array of the grid's shape, with the batch axis of the inputs, if any.
            With errors or a tolerance, a `Prediction`.

        Raises:
            ValueError: A field is unknown, has the wrong shape or is not finite.
        """
        fields = as_fields(inputs, np.asarray)
        if not self.is_batch(fields):
            single = {name: value[None] for name, value in fields.items()}
            several = self._predict_batch(single, with_error, tolerance)
            return jax.tree.map(lambda x: x[0], several)
        return self._predict_batch(fields, with_error, tolerance)

    def _predict_batch(
        self, inputs: problems.Inputs, with_error: bool, tolerance: float | None
    ) -> np.ndarray | Prediction:
        chunks = evaluation.predict_in_chunks
        if not with_error and tolerance is None:
            return chunks(self._predictor, self.params, inputs)
        allowed = "a run that has ended, with at least 10 validation inputs"
        require(self.error_bar is not None, "error_bar", None, allowed)
        assert self.error_bar is not None
        if tolerance is None:
            return with_bar(self.error_bar, *chunks(self._judged, self.params, inputs))
        require_positive(tolerance=tolerance)
        allowed = "None for an operator of one stage"
        require(bool(self.correctors), "tolerance", tolerance, allowed)
        size = self.error_bar.size_of(tolerance)
        corrected = functools.partial(self._corrected, tolerance=size)
        return with_bar(self.error_bar, *chunks(corrected, self.params, inputs))

    def _judged(self, params: Any, inputs: problems.Inputs) -> tuple[Any, Any, Any]:
        """Fields, sizes of their errors, and no further application of a corrector."""
        u = self._predictor(params, inputs)
        return u, self._sizes(inputs, u), np.zeros(len(u), np.int32)

    def _corrected(
        self, params: Any, inputs: problems.Inputs, tolerance: float
    ) -> operators.Corrected:
        """Fields, sizes of errors and how often the last corrector was applied."""
        u = self._predictor(params, inputs)
        return self._until(params[-1], inputs, u, tolerance)

    @functools.cached_property
    def _sizes(self) -> operators.Sizes:
        return jax.jit(operators.error_sizes(self.problem))

    @functools.cached_property
    def _until(self) -> Any:
        correct = operators.corrector(self.problem, self._applies[-1])
        sizes = operators.error_sizes(self.problem)
        return jax.jit(operators.correct_until(correct, sizes))

    def apply(self, inputs: problems.Inputs) -> jax.Array:
        """What `predict` answers, as a pure function to be jitted and differentiated:

            gradient = jax.grad(lambda u0: run.apply({"u0": u0})[-1].mean())(u0)

        Args:
            inputs: As for `predict`. A batch is predicted at once, not in pieces.
        """
        fields = as_fields(inputs, jnp.asarray)
        if self.is_batch(fields):
            return self.operator(self.params, fields)
        single = {name: value[None] for name, value in fields.items()}
        return self.operator(self.params, single)[0]

    def error(self, inputs: problems.Inputs, truth: Any = None) -> np.ndarray:
        """The relative L2 error of each answer, or its estimate where none knows it.

        Args:
            inputs: As for `predict`.
            truth: Solutions in the shape of the answer. Default: the residual tells,
                as far as it can.
        """
        if truth is None:
            return self.predict(inputs, with_error=True).error
        answer, truth = self.predict(inputs), np.asarray(truth)
        allowed = f"{answer.shape}, that of the answer"
        require(truth.shape == answer.shape, "shape of truth", truth.shape, allowed)
        if self.is_batch(as_fields(inputs, np.asarray)):
            return evaluation.relative_errors(answer, truth)
        return evaluation.relative_errors(answer[None], truth[None])[0]

    def save(self, folder: str | Path) -> Path:
        """Write the operator to a folder that `pilno_jax.load` reads.

        Args:
            folder: Where to write; made if it is missing.
        """
        from pilno_jax.runs import saving  # which imports this module

        return saving.save(self, Path(folder))

    def export(self, folder: str | Path) -> Path:
        """Write the operator as programs that need jax alone: `runs.exporting`.

        Args:
            folder: Where to write; made if it is missing.
        """
        from pilno_jax.runs import exporting  # which imports this module

        return exporting.export(self, folder)

    def on(self, *points: Any) -> "TrainedRun":
        """The same parameters on another grid.

        Args:
            points: The number of points of each axis, as in `on(num_x, num_t)`, or one
                `Grid` of the problem's domain. What the grid of the training did not
                resolve was not learnt: a finer one shows more points, not more scales.
        """
        return dataclasses.replace(self, problem=self.problem.on(*points))

    @functools.cached_property
    def operator(self) -> operators.Predict:
        """(params, batch of inputs) -> u: pure, to be jitted and differentiated.

        As it was trained: in the config's `matmul_precision`, all of its stages.
        """
        if not self.correctors:
            return operators.predictor(self.problem, self._applies[0])
        repeats = self.config["stages"]["last_applied"]
        return operators.staged_predictor(self.problem, self._applies, repeats)

    @functools.cached_property
    def stage_operator(self) -> Callable[[operators.Params, problems.Inputs], list]:
        """(params, batch of inputs) -> u after the first network and each correction.

        The last of them is what `operator` answers; of one network it is the only one.
        """
        if not self.correctors:
            return lambda params, inputs: [self.operator(params, inputs)]
        repeats = self.config["stages"]["last_applied"]
        return operators.stage_fields(self.problem, self._applies, repeats)

    @property
    def _applies(self) -> list[operators.Apply]:
        """The networks of all stages, in their precision."""
        precision = self.config.get("matmul_precision", "default")
        networks = (self.model, *self.correctors)
        return [in_precision(network.apply, precision) for network in networks]

    @functools.cached_property
    def _predictor(self) -> operators.Predict:
        return jax.jit(self.operator)

    def is_batch(self, inputs: problems.Inputs) -> bool:
        """Whether inputs are many samples or one.

        Args:
            inputs: The input fields by name, as for `predict`.

        Raises:
            ValueError: They fit neither, or are not finite.
        """
        one = jax.eval_shape(self.problem.sample, jax.random.key(0))
        require(bool(inputs), "inputs", inputs, f"a dict of {sorted(one)}")
        sizes = set()
        for name, value in inputs.items():
            require(name in one, "inputs", sorted(inputs), f"some of {sorted(one)}")
            shape, single = np.shape(value), one[name].shape
            allowed = f"{single} for one sample, or a batch axis in front of that"
            fits = shape in (single, (*shape[:1], *single))
            require(fits, f"shape of {name}", shape, allowed)
            require_finite(name, value)
            sizes.add(None if shape == single else shape[0])
        allowed = "the same batch size in every field"
        require(len(sizes) == 1, "batch sizes of inputs", sizes, allowed)
        return sizes != {None}


def as_fields(inputs: Any, as_array: Callable[[Any], Any]) -> dict[str, Any]:
    """Every field as an array, from lists too.

    Args:
        inputs: The input fields by name.
        as_array: `np.asarray`, or `jnp.asarray` where they may be traced.

    Raises:
        ValueError: The inputs are no dict, or a field is ragged.
    """
    require(isinstance(inputs, Mapping), "inputs", inputs, "a dict of arrays by name")
    fields = {}
    for name, value in inputs.items():
        try:
            fields[name] = as_array(value)
        except (TypeError, ValueError) as error:
            reason = " ".join(str(error).split())
            require(False, name, value, f"an array of numbers: {reason}")
    return fields
