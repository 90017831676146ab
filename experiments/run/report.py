"""A run for people: a line with its errors, figures and report.html."""

from typing import Any

import jax
import numpy as np

from experiments.run.context import RunContext
from experiments.run.evaluate import fields_by_stage, measured_sizes
from experiments.run.fit import FittedRun
from experiments.run.report_text import stage_names, whole_page
from experiments.run.terminal import clock
from pilno_jax import evaluation, operators
from pilno_jax.evaluation.error_bar import ErrorBar
from pilno_jax.runs import files, metrics_log


def print_result(context: RunContext, result: dict[str, Any]) -> None:
    error, count = result["relative_l2"], len(context.sets["test"]["labels"])
    context.console.line(
        f"relative L2 on {count} test inputs: mean {error['mean']:.3e}, "
        f"std {error['std']:.1e}, max {error['max']:.3e}; "
        f"{clock(result['wall_clock_seconds'])} in all; {context.folder.result}"
    )


def last_network(params: operators.Params) -> operators.Params:
    """Those of the last network, which figures of parameters show."""
    return params[-1] if isinstance(params, tuple) else params


def named_stages(
    context: RunContext, fitted: FittedRun, index: int
) -> dict[str, np.ndarray]:
    """What the operator has of a test case after each correction; {} for one network.

    Args:
        context: of the run.
        fitted: what its training left.
        index: of the test case.
    """
    inputs = context.sets["test"]["inputs"]
    one = jax.tree.map(lambda x: x[index : index + 1], inputs)
    fields = [u for (u,) in fields_by_stage(context, fitted, one)]
    return dict(zip(stage_names(len(fields)), fields, strict=True))


def bounded_errors(
    context: RunContext, predictions: np.ndarray
) -> tuple[np.ndarray, np.ndarray] | None:
    """What the operator expects of each test error, and its bounds; None without."""
    if not context.folder.error_bar.exists():
        return None
    bar = ErrorBar(**files.read_json(context.folder.error_bar))
    sizes = measured_sizes(context, predictions, context.sets["test"]["inputs"])
    return np.asarray(bar.expected(sizes)), np.asarray(bar.upper(sizes))


def write_report(
    context: RunContext,
    fitted: FittedRun,
    predictions: np.ndarray,
    result: dict[str, Any],
) -> None:
    """Figures, then report.html with those that could be drawn.

    A figure that fails is one printed line, and costs nothing else.
    """
    labels, folder = context.sets["test"]["labels"], context.folder
    try:
        from experiments.run import figures

        drawn, failures = figures.draw_all(
            folder.figures,
            context.built.problem,
            last_network(fitted.params),
            metrics_log.read_metrics(folder.metrics),
            labels,
            predictions,
            evaluation.relative_errors(predictions, labels),
            lambda index: named_stages(context, fitted, index),
            lambda: bounded_errors(context, predictions),
            context.built.config.model.options.get("pole_unit", 1.0),
        )
    except ImportError as error:
        drawn, failures = [], [f"figures: {error}"]
    for failure in failures:
        context.console.line(failure)
    config = context.built.config.to_dict()
    page = whole_page(context.built.problem, result, config, drawn)
    files.write_text(folder.report, page)
    context.console.line(f"report: {folder.report}")
