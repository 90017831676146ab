"""A fitted run judged on its test sets: the content of result.json."""

from typing import Any

import jax
import numpy as np

from experiments.run.context import RunContext
from experiments.run.fit import FittedRun
from experiments.run.metrics import median_step_ms
from pilno_jax import data, evaluation, operators
from pilno_jax.evaluation.error_bar import ErrorBar, bar_of_stages, judged
from pilno_jax.problems import Inputs
from pilno_jax.runs import environment, metrics_log
from pilno_jax.runs.format import result_header


def predict_with(context: RunContext, fitted: FittedRun, inputs: Inputs) -> np.ndarray:
    """What the best parameters answer to a batch of inputs."""
    return evaluation.predict_in_chunks(context.predict, fitted.params, inputs)


def evaluate_run(
    context: RunContext,
    fitted: FittedRun,
    predictions: np.ndarray,
    bar: ErrorBar | None,
    origin: dict[str, Any],
) -> dict[str, Any]:
    """The result of a run.

    Args:
        context: of the run.
        fitted: what its training left.
        predictions: of the best parameters, on the inputs of the test set.
        bar: made from the validation set, see `fitted_error_bar`.
        origin: where the config came from; these entries stand first.
    """
    by_law, bars_by_law = errors_by_law(context, fitted, bar)
    test = context.sets["test"]
    labels = test["labels"]
    on_test = judged_bar(context, bar, predictions, test)
    restrict = context.built.problem.restrict
    on_labels = evaluation.summary(restrict(predictions), restrict(labels))
    return {
        **origin,
        **identity(context, fitted),
        **evaluation.summary(predictions, labels),
        # The error on the nodes that carry a label.
        "relative_l2_on_labels": on_labels["relative_l2"],
        "relative_l2_by_law": by_law,
        "relative_l2_by_stage": errors_by_stage(context, fitted),
        # What error bars, made from validation inputs, say and what is true.
        "error_bar": on_test,
        "error_bar_by_law": bars_by_law,
        **costs(context, fitted),
        **environment.environment(),
        **result_header(context.built.config.to_dict()),
    }


def measured_sizes(
    context: RunContext, fields: np.ndarray, inputs: Inputs
) -> np.ndarray:
    """What the residual of each field tells of its error, without its label."""

    def measure(_: Any, samples: dict[str, Any]) -> jax.Array:
        return context.error_sizes(samples["inputs"], samples["u"])

    samples = {"inputs": inputs, "u": fields}
    return evaluation.predict_in_chunks(measure, None, samples)


def fitted_error_bar(context: RunContext, fitted: FittedRun) -> ErrorBar | None:
    """The error bar of the validation set; None if that is too small."""
    validation = context.sets["validation"]
    inputs, labels = validation["inputs"], validation["labels"]
    every = fields_by_stage(context, fitted, inputs)
    every = every or [predict_with(context, fitted, inputs)]
    errors = np.stack([evaluation.relative_errors(u, labels) for u in every])
    sizes = np.stack([measured_sizes(context, u, inputs) for u in every])
    return bar_of_stages(sizes, errors)


def judged_bar(
    context: RunContext,
    bar: ErrorBar | None,
    fields: np.ndarray,
    labelled: data.Data,
) -> dict[str, float] | None:
    """How right the error bar is for fields whose labels are known."""
    if bar is None:
        return None
    sizes = measured_sizes(context, fields, labelled["inputs"])
    return judged(bar, sizes, evaluation.relative_errors(fields, labelled["labels"]))


def errors_by_law(
    context: RunContext, fitted: FittedRun, bar: ErrorBar | None
) -> tuple[dict[str, dict], dict[str, dict | None]]:
    """Errors, and error bars, on the test sets of the further laws of the config."""
    asked = context.built.config.evaluation
    errors, bars = {}, {}
    for value in asked.over if asked.vary else ():
        name = f"{asked.vary}={value}"
        law = context.load_set("test", **{asked.vary: value})
        fields = predict_with(context, fitted, law["inputs"])
        errors[name] = evaluation.summary(fields, law["labels"])["relative_l2"]
        bars[name] = judged_bar(context, bar, fields, law)
    return errors, bars


def fields_by_stage(
    context: RunContext, fitted: FittedRun, inputs: Inputs
) -> list[np.ndarray]:
    """Fields after the first network and after every correction, if there are any."""
    if not context.frozen:
        return []
    return evaluation.predict_in_chunks(context.stage_fields, fitted.params, inputs)


def errors_by_stage(context: RunContext, fitted: FittedRun) -> list[dict[str, float]]:
    """Errors on the test set after every correction; the last one may be repeated."""
    test = context.sets["test"]
    return [
        evaluation.summary(fields, test["labels"])["relative_l2"]
        for fields in fields_by_stage(context, fitted, test["inputs"])
    ]


def identity(context: RunContext, fitted: FittedRun) -> dict[str, Any]:
    """Which run the result is of."""
    config = context.built.config
    return {
        "problem": context.built.problem.name,
        "model": config.model.name,
        "recipe": config.recipe,
        "seed": config.seed,
        "num_train": config.train.num_train,
        "steps": context.first_step + fitted.last_step,
        "best_step": fitted.best_step,
        "validation": fitted.best_validation,
    }


def costs(context: RunContext, fitted: FittedRun) -> dict[str, Any]:
    """Time, memory and size."""
    rows = metrics_log.read_metrics(context.folder.metrics)
    return {
        "wall_clock_seconds": round(fitted.clock.elapsed(), 1),
        "step_ms": median_step_ms(rows),
        "peak_memory_mb": round(environment.peak_memory_mb()),
        "skipped_steps": rows[-1]["skipped"] if rows else 0,
        "num_params": operators.count_parameters(fitted.params),
    }
