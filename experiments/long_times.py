"""How errors grow when an operator goes on where it ended:

python -m experiments.long_times --workdir=runs/burgers --windows=10

rolls a trained run out over several times its final time, holds every window against
the solver over the whole time, and against the operator's own estimate; draws
figures/long_times.png in the workdir, or what --figure says. With an --output in
results/long_times, the table of docs/systems.md is renewed.
"""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax
import numpy as np
from absl import flags

from experiments.pages import long_times_page
from experiments.run import other_law, outputs, trained_run_flags
from experiments.run.command import run_command
from experiments.run.open_run import open_run
from pilno_jax import evaluation, operators, plotting, problems
from pilno_jax.checks import require
from pilno_jax.numerics.derivatives import along, interpolation
from pilno_jax.numerics.grids import Grid
from pilno_jax.problems.coefficients import under_other_law
from pilno_jax.runs import environment, files
from pilno_jax.runs.trained_run import TrainedRun

WORKDIR, OUTPUT = trained_run_flags.define(count=20)
WINDOWS = flags.DEFINE_integer("windows", 10, "How many times T.", lower_bound=1)
TOLERANCE = flags.DEFINE_float(
    "tolerance", 0.05, "Estimated error at which a sample ends.", lower_bound=0.0
)
REFINE = flags.DEFINE_integer(
    "refine", 8, "Cells of the solver for each of the run's, where they are periodic."
)
FIGURE = flags.DEFINE_string("figure", None, "Where the picture goes.")
flags.adopt_module_key_flags(trained_run_flags)


def longer_problem(options: Mapping[str, Any], windows: int) -> problems.Problem:
    """The problem with its times repeated: its solver is the truth of a rollout.

    Args:
        options: of the problem of one window, `final_time` and `num_t` among them.
        windows: how many times its final time.
    """
    allowed = "a problem with the options final_time and num_t"
    known = {"final_time", "num_t"} <= options.keys()
    require(known, "problem", options["name"], allowed)
    longer = {
        "final_time": windows * options["final_time"],
        "num_t": windows * (options["num_t"] - 1) + 1,
    }
    return problems.make(**{**options, **longer})


def solved(
    options: Mapping[str, Any], inputs: Mapping[str, Any], windows: int, refine: int
) -> np.ndarray:
    """The solver's fields over all windows, at the nodes of the run's grid.

    In double precision, and on a finer grid along periodic axes: roundings of many
    steps, and what differences lose by dispersion, grow with the time and would be
    counted as the operator's.

    Args:
        options: of the problem of one window.
        inputs: a batch of them.
        windows: how many.
        refine: cells of the finer grid for each of the run's.
    """
    with jax.enable_x64(True):
        problem = longer_problem(options, windows)
        by = [refine if axis.periodic else 1 for axis in problem.grid.axes]
        axes = zip(problem.grid.axes, by, strict=True)
        fine = problem.on(Grid(tuple(axis.refined(factor) for axis, factor in axes)))
        pairs = zip(problem.grid.axes, fine.grid.axes, strict=True)
        matrices = {one.name: interpolation(one, finer) for one, finer in pairs}
        finer = {name: np.asarray(value, float) for name, value in inputs.items()}
        for name, field in problem.input_fields().items():
            for number, axis in enumerate(field.axes or ()):
                finer[name] = np.asarray(along(matrices[axis], finer[name], number + 1))
        u = np.asarray(jax.jit(jax.vmap(fine.solver()))(finer))
    return u[(slice(None), *(slice(None, None, factor) for factor in by))]


def growth(
    run: TrainedRun, inputs: Any, truths: np.ndarray, windows: int
) -> dict[str, np.ndarray]:
    """Errors and estimates of every sample in every window, (samples, windows).

    Args:
        run: the operator of one window.
        inputs: a batch of them.
        truths: the solver's fields over all windows.
        windows: how many.
    """
    answer = operators.rollout(run, inputs, windows)
    axis = run.problem.time_axis
    assert axis is not None
    steps = run.problem.grid.shape[axis] - 1
    errors = []
    for number in range(windows):
        times = np.arange(number * steps, (number + 1) * steps + 1)
        there = np.take(truths, times, axis=axis + 1)
        there = there.astype(answer.u.dtype)
        errors.append(evaluation.relative_errors(answer.u[:, number], there))
    return {"errors": np.stack(errors, 1), "estimates": np.asarray(answer.error)}


def main(words: list[str]) -> None:
    del words
    began = time.perf_counter()
    output = outputs.require_file("output", OUTPUT.value) if OUTPUT.value else None
    run, test = other_law.from_flags(open_run(WORKDIR.value))
    path = Path(FIGURE.value or Path(WORKDIR.value) / "figures" / "long_times.png")
    outputs.require_writable(path.parent)
    windows = WINDOWS.value
    changes = other_law.changes(flags.FLAGS.change)
    options = under_other_law(run.config["problem"], changes)
    truths = solved(options, test["inputs"], windows, REFINE.value)
    found = growth(run, test["inputs"], truths, windows)
    good = found["estimates"] <= TOLERANCE.value
    kept = np.cumprod(good, axis=1).astype(bool)
    summary = {
        "windows": windows,
        "samples": len(kept),
        "error": found["errors"].mean(0).tolist(),
        "largest_error": found["errors"].max(0).tolist(),
        "estimate": found["estimates"].mean(0).tolist(),
        "median_ratio": float(np.median(found["estimates"] / found["errors"])),
        "tolerance": TOLERANCE.value,
        "kept": kept.mean(0).tolist(),
        "largest_error_kept": float(found["errors"][kept].max(initial=0.0)),
    }
    for number in range(windows):
        error, estimate = (summary[name][number] for name in ("error", "estimate"))
        print(f"window {number + 1}: error {error:.1e}, estimated {estimate:.1e}")
    plotting.save(drawn(found, run.problem.name), path)
    print(f"drawn: {path}")
    if output:
        about = {
            "trained": run.config,
            "change": flags.FLAGS.change,
            "seed": flags.FLAGS.seed,
            "wall_clock_seconds": round(time.perf_counter() - began, 1),
        }
        files.write_json(output, {**about, **summary, **environment.environment()})
        if output.parent == long_times_page.RESULTS:
            long_times_page.write()


def drawn(found: dict[str, np.ndarray], name: str):
    """Errors of all samples over the windows, and the mean of the estimates."""
    figure, (ax,) = plotting.panels(1)
    errors, estimates = found["errors"], found["estimates"]
    ends = np.arange(1, errors.shape[1] + 1)
    ax.semilogy(ends, errors.T, color="0.8", linewidth=0.8)
    ax.semilogy(ends, errors.mean(0), "o-", label="error, mean")
    ax.semilogy(ends, estimates.mean(0), "s--", label="its own estimate, mean")
    ax.set(xlabel="window", ylabel="relative $L^2$ error")
    ax.set_title(f"{name.replace('_', ' ')}: beyond the final time")
    ax.legend(fontsize=7.5, edgecolor="none")
    return figure


if __name__ == "__main__":
    run_command(main)
