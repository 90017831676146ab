"""A fitted run judged on its test sets: the content of result.json."""

from typing import Any

import jax
import numpy as np

from experiments.run.context import RunContext
from experiments.run.fit import FittedRun
from experiments.run.metrics import median_step_ms
from pilno_jax import evaluation, operators
from pilno_jax.numerics.precision import in_precision
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
    origin: dict[str, Any],
) -> dict[str, Any]:
    """The result of a run.

    Args:
        context: of the run.
        fitted: what its training left.
        predictions: of the best parameters, on the inputs of the test set.
        origin: where the config came from; these entries stand first.
    """
    by_law = errors_by_law(context, fitted)
    labels = context.sets["test"]["labels"]
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
        **costs(context, fitted),
        **environment.environment(),
        **result_header(context.built.config.to_dict()),
    }


def errors_by_law(context: RunContext, fitted: FittedRun) -> dict[str, dict]:
    """Errors on the test sets of the further laws that the config asks for."""
    asked = context.built.config.evaluation
    errors = {}
    for value in asked.over if asked.vary else ():
        law = context.load_set("test", **{asked.vary: value})
        predictions = predict_with(context, fitted, law["inputs"])
        summary = evaluation.summary(predictions, law["labels"])
        errors[f"{asked.vary}={value}"] = summary["relative_l2"]
    return errors


def errors_by_stage(context: RunContext, fitted: FittedRun) -> list[dict[str, float]]:
    """Errors on the test set after each of the stages, if there are several."""
    if not context.frozen:
        return []
    test, problem = context.sets["test"], context.built.problem
    applies = [
        in_precision(model.apply, context.built.config.matmul_precision)
        for model in context.built.networks
    ]
    errors = []
    for count in range(1, len(applies) + 1):
        predict = jax.jit(operators.staged_predictor(problem, applies[:count]))
        fields = evaluation.predict_in_chunks(
            predict, fitted.params[:count], test["inputs"]
        )
        errors.append(evaluation.summary(fields, test["labels"])["relative_l2"])
    return errors


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
