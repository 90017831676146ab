"""Refine a trained run on inputs it was not made for, by the equation alone:

python -m experiments.refine --workdir=runs/burgers --change=length_scale=0.5

Every input starts from the trained parameters. Prints residual and error before and
after; `--output=FILE.json` keeps them.
"""

import time

import jax
import numpy as np
from absl import flags

from experiments.run import other_law, outputs, trained_run_flags
from experiments.run.command import run_command
from experiments.run.open_run import open_run
from pilno_jax import evaluation
from pilno_jax.checks import require_finite, require_positive
from pilno_jax.evaluation import error_estimate, refinement
from pilno_jax.runs import environment, files

WORKDIR, OUTPUT = trained_run_flags.define(count=20)
flags.adopt_module_key_flags(trained_run_flags)
STEPS = flags.DEFINE_integer("steps", 200, "Steps for each input.", lower_bound=1)
RATE = flags.DEFINE_float("learning_rate", 3e-3, "Adam's, at the first step.")


def main(words: list[str]) -> None:
    del words
    rate = RATE.value
    require_positive(learning_rate=rate)
    require_finite("learning_rate", rate)
    output = outputs.require_file("output", OUTPUT.value) if OUTPUT.value else None
    run, test = other_law.from_flags(open_run(WORKDIR.value))
    refine = refinement.refiner(
        run.problem, run.operator, STEPS.value, learning_rate=rate
    )
    predict = jax.jit(run.operator)
    residuals = jax.jit(error_estimate.residuals(run.problem))
    rows, seconds = {"before": [], "after": []}, []
    for index, truth in enumerate(test["labels"]):
        inputs = jax.tree.map(lambda x, i=index: x[i : i + 1], test["inputs"])
        start = time.perf_counter()
        params, _ = jax.block_until_ready(refine(run.params, inputs))
        seconds.append(time.perf_counter() - start)
        for moment, weights in (("before", run.params), ("after", params)):
            u = predict(weights, inputs)
            error = evaluation.relative_errors(np.asarray(u), truth[None])
            rows[moment].append((float(residuals(u, inputs)[0]), float(error[0])))
        (r0, e0), (r1, e1) = rows["before"][-1], rows["after"][-1]
        print(f"{index:3}  residual {r0:.2e} -> {r1:.2e}   error {e0:.2e} -> {e1:.2e}")

    summary = {}
    for moment, pairs in rows.items():
        residual, error = np.array(pairs).T
        summary[moment] = {
            "residual_mean": float(residual.mean()),
            "error_mean": float(error.mean()),
            "error_max": float(error.max()),
        }
        print(
            f"{moment:7}", *(f"{name} {x:.2e}" for name, x in summary[moment].items())
        )
    # The first call compiles.
    each = float(np.median(seconds))
    print(f"{each:.2f} s for each input, {STEPS.value} steps")
    if output:
        about = {
            "trained": run.config,
            "change": flags.FLAGS.change,
            "steps": STEPS.value,
        }
        timed = {"seconds_each": each, "learning_rate": rate}
        content = {**about, **timed, **summary, **environment.environment()}
        files.write_json(output, content)


if __name__ == "__main__":
    run_command(main)
