"""After the last step: judge the best parameters, write the result, then draw it."""

import resource
from collections.abc import Callable
from typing import Any

import numpy as np

from experiments.run.terminal import clock
from experiments.run.trainer import Trainer, count_params, disk_errors, step_time
from pilno_jax import data, evaluation
from pilno_jax.runs import environment, files, metrics_log, report_page
from pilno_jax.runs.format import read_result, result_header
from pilno_jax.runs.run_folder import RunFolder
from pilno_jax.training import devices


def finish(
    trainer: Trainer,
    num_steps: int,
    labelled: Callable[..., data.Data],
    origin: dict[str, Any],
) -> dict[str, Any]:
    """result.json, figures and report.html; a figure that fails loses no result.

    Written by the leading process alone, read by all: restoring takes every process.
    """
    with disk_errors(trainer.workdir):
        trainer.checkpoints.wait()
    best = trainer.checkpoints.best
    assert best is not None  # the last step is always saved
    params = devices.local(trainer.state_at(best)[0].averaged, trainer.mesh)
    if not devices.leads():
        return {}
    test = trainer.sets["test"]

    def predict(inputs: Any) -> np.ndarray:
        return evaluation.predict_in_chunks(trainer.predict, params, inputs)

    predictions = predict(test["inputs"])
    path = RunFolder(trainer.workdir).result
    if path.exists():  # the run was cut off between its result and its report
        result = read_result(trainer.workdir)
    else:
        config = trainer.run.config
        vary, by_law = config.evaluation.vary, {}
        for value in config.evaluation.over if vary else ():
            law = labelled("test", **{vary: value})
            found = evaluation.summary(predict(law["inputs"]), law["labels"])
            by_law[f"{vary}={value}"] = found["relative_l2"]
        result = {
            **origin,
            **identity(trainer, num_steps, best),
            **evaluation.summary(predictions, test["labels"]),
            "relative_l2_on_labels": on_labels(trainer, predictions),
            "relative_l2_by_law": by_law,
            **costs(trainer, params),
            **environment.environment(),
            **result_header(config.to_dict()),
        }
        files.write_json(path, result)
    error, console = result["relative_l2"], trainer.console
    console.line(
        f"relative L2 on {len(predictions)} test inputs: mean {error['mean']:.3e}, "
        f"std {error['std']:.1e}, max {error['max']:.3e}; "
        f"{clock(result['wall_clock_seconds'])} in all; {path}"
    )
    draw(trainer, result, params, predictions)
    return result


def on_labels(trainer: Trainer, predictions: np.ndarray) -> dict[str, float]:
    """The error on the nodes that carry a label."""
    restrict = trainer.run.problem.restrict
    truths = restrict(trainer.sets["test"]["labels"])
    return evaluation.summary(restrict(predictions), truths)["relative_l2"]


def draw(trainer: Trainer, result: dict, params: Any, predictions: np.ndarray) -> None:
    """Figures and report.html; what fails is said, and nothing else."""
    workdir, labels = trainer.workdir, trainer.sets["test"]["labels"]
    try:
        from experiments.run import figures

        drawn, failures = figures.draw_all(
            workdir / "figures",
            trainer.run.problem,
            params,
            metrics_log.read_metrics(trainer.log.path),
            labels,
            predictions,
            evaluation.relative_errors(predictions, labels),
        )
    except ImportError as error:
        drawn, failures = [], [f"figures: {error}"]
    for failure in failures:
        trainer.console.line(failure)
    report = workdir / "report.html"
    report_page.write_report(report, result, trainer.run.config.to_dict(), drawn)
    trainer.console.line(f"report: {report}")


def identity(trainer: Trainer, num_steps: int, best: int) -> dict[str, Any]:
    config = trainer.run.config
    return {
        "problem": trainer.run.problem.name,
        "model": config.model.name,
        "recipe": config.recipe,
        "seed": config.seed,
        "num_train": config.train.num_train,
        "steps": num_steps,
        "best_step": best,
        "validation": trainer.best["validation"],
    }


def costs(trainer: Trainer, params: Any) -> dict[str, Any]:
    rows = metrics_log.read_metrics(trainer.log.path)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "wall_clock_seconds": round(trainer.elapsed(), 1),
        "step_ms": step_time(rows),
        "peak_memory_mb": round(memory),
        "skipped_steps": rows[-1]["skipped"] if rows else 0,
        "num_params": count_params(params),
    }
