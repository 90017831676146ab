"""How well the residual of a prediction tells its error:

python -m experiments.calibrate --workdir=runs/burgers

Calibrates on one half of fresh labelled inputs, judges on the other, and draws
figures/calibration.png in the workdir.
"""

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from absl import app, flags

from experiments.run import other_law
from experiments.run.open_run import flags_only, open_run
from pilno_jax import evaluation, plotting
from pilno_jax.evaluation import error_estimate
from pilno_jax.runs import environment, files
from pilno_jax.runs.run_folder import RunFolder

WORKDIR = flags.DEFINE_string("workdir", None, "A trained run.", required=True)
OUTPUT = flags.DEFINE_string("output", None, "A JSON file for the numbers.")
other_law.define_flags(count=200)
for name in other_law.NAMES:
    flags.declare_key_flag(name)  # shown by --help


def main(arguments: list[str]) -> None:
    flags_only(arguments)
    run, test = other_law.from_flags(open_run(WORKDIR.value))
    u = run.predict(test["inputs"])
    errors = evaluation.relative_errors(u, test["labels"])
    residuals = jax.jit(error_estimate.residuals(run.problem))
    found = np.asarray(residuals(jnp.asarray(u), test["inputs"]))

    # Families come in turn, so halves of neighbours would each miss some.
    half = len(found) // 2
    order = np.random.default_rng(0).permutation(len(found))
    known, unknown = order[:half], order[half:]
    law = error_estimate.calibrate(found[known], errors[known])
    judged = law(found[unknown]) / errors[unknown]
    summary = {
        "rank_correlation": error_estimate.rank_correlation(found, errors),
        "factor": law.factor,
        "exponent": law.exponent,
        "spread": law.spread,
        "within_a_factor_of_2": float(np.mean((judged < 2) & (judged > 0.5))),
        "samples": len(found),
    }
    print(*(f"{name} {value:.3g}" for name, value in summary.items()))
    path = RunFolder(Path(WORKDIR.value)).figures / "calibration.png"
    figure = plotting.calibration_figure(found[unknown], errors[unknown], law)
    plotting.save(figure, path)
    print(f"drawn: {path}")
    if OUTPUT.value:
        about = {"trained": run.config, "change": flags.FLAGS.change}
        content = {**about, **summary, **environment.environment()}
        files.write_json(Path(OUTPUT.value), content)


if __name__ == "__main__":
    app.run(main)
