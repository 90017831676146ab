"""Laws that turn what a residual tells into an error, from labelled inputs.

One half of the inputs makes a law, the other half judges it.
"""

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import numpy as np

from pilno_jax import data, evaluation, operators, plotting
from pilno_jax.evaluation import error_estimate
from pilno_jax.evaluation.error_bar import ErrorBar, bar_of_stages, judged
from pilno_jax.runs.trained_run import TrainedRun


@dataclasses.dataclass(frozen=True)
class Answered:
    """Labelled inputs and what a run answers to them.

    Args:
        run: the run.
        labelled: the inputs and their labels.
        fields: u after each stage.
        known: numbers of the inputs to calibrate on.
        unknown: of those to judge on.
    """

    run: TrainedRun
    labelled: data.Data
    fields: list[np.ndarray]
    known: np.ndarray
    unknown: np.ndarray

    def errors(self, stage: int = -1) -> np.ndarray:
        """Relative, after a stage; of the whole operator by default."""
        return evaluation.relative_errors(self.fields[stage], self.labelled["labels"])

    def measured(
        self, measure: Callable[..., jax.Array], stage: int = -1
    ) -> np.ndarray:
        """A number for each field after a stage.

        Args:
            measure: (inputs, u) -> numbers.
            stage: the last by default.
        """

        def measured(_: Any, samples: dict[str, Any]) -> jax.Array:
            return measure(samples["inputs"], samples["u"])

        samples = {"inputs": self.labelled["inputs"], "u": self.fields[stage]}
        return evaluation.predict_in_chunks(jax.jit(measured), None, samples)


def answered(run: TrainedRun, labelled: data.Data) -> Answered:
    """The answers of a run, their halves drawn by lot.

    Args:
        run: the run.
        labelled: inputs with labels.
    """
    predict = jax.jit(run.stage_operator)
    fields = evaluation.predict_in_chunks(predict, run.params, labelled["inputs"])
    count = len(labelled["labels"])
    # Families come in turn, so halves of neighbours would each miss some.
    order = np.random.default_rng(0).permutation(count)
    known, unknown = np.split(order, [count // 2])
    return Answered(run, labelled, fields, known, unknown)


def power_law(answers: Answered, figure: Path) -> dict[str, float]:
    """The power law from residuals to errors, and how right it is, both also drawn.

    Args:
        answers: of the run.
        figure: where to draw the half that judges.
    """
    residuals_of = error_estimate.residuals(answers.run.problem)
    residuals = answers.measured(lambda inputs, u: residuals_of(u, inputs))
    errors, known, unknown = answers.errors(), answers.known, answers.unknown
    law = error_estimate.calibrate(residuals[known], errors[known])
    shown = residuals[unknown], errors[unknown]
    plotting.save(plotting.calibration_figure(*shown, law), figure)
    ratios = law(shown[0]) / shown[1]
    return {
        "rank_correlation": error_estimate.rank_correlation(*shown),
        "factor": law.factor,
        "exponent": law.exponent,
        "spread": law.spread,
        "within_a_factor_of_2": float(np.mean((ratios < 2) & (ratios > 0.5))),
        "samples": len(errors),
    }


def error_bar(answers: Answered) -> tuple[ErrorBar, dict[str, float]] | None:
    """The error bar, and how right it is; None of too few inputs.

    Args:
        answers: of the run.
    """
    sizes_of, stages = operators.error_sizes(answers.run.problem), answers.fields
    known, unknown = answers.known, answers.unknown
    sizes = np.stack([answers.measured(sizes_of, k) for k in range(len(stages))])
    errors = np.stack([answers.errors(k) for k in range(len(stages))])
    bar = bar_of_stages(sizes[:, known], errors[:, known])
    return bar and (bar, judged(bar, sizes[-1, unknown], errors[-1, unknown]))
