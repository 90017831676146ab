"""How well the residual of a prediction tells its error:

python -m experiments.calibrate --workdir=runs/burgers

Calibrates on one half of fresh labelled inputs, judges on the other, and draws
figures/calibration.png in the workdir.
"""

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from absl import flags

from experiments.run import other_law, outputs, trained_run_flags
from experiments.run.command import run_command
from experiments.run.open_run import open_run
from pilno_jax import evaluation, plotting
from pilno_jax.evaluation import error_estimate
from pilno_jax.runs import environment, files

# Each half needs the three samples that a line and its spread are fitted to.
WORKDIR, OUTPUT = trained_run_flags.define(count=200, at_least=6)
flags.adopt_module_key_flags(trained_run_flags)


def main(words: list[str]) -> None:
    del words
    output = outputs.require_file("output", OUTPUT.value) if OUTPUT.value else None
    run, test = other_law.from_flags(open_run(WORKDIR.value))
    path = Path(WORKDIR.value) / "figures" / "calibration.png"
    outputs.require_writable(path.parent)
    u = run.predict(test["inputs"])
    errors = evaluation.relative_errors(u, test["labels"])
    residuals_of = jax.jit(error_estimate.residuals(run.problem))
    residuals = np.asarray(residuals_of(jnp.asarray(u), test["inputs"]))

    # Families come in turn, so halves of neighbours would each miss some.
    half = len(residuals) // 2
    order = np.random.default_rng(0).permutation(len(residuals))
    known, unknown = order[:half], order[half:]
    law = error_estimate.calibrate(residuals[known], errors[known])
    judged = law(residuals[unknown]) / errors[unknown]
    summary = {
        "rank_correlation": error_estimate.rank_correlation(residuals, errors),
        "factor": law.factor,
        "exponent": law.exponent,
        "spread": law.spread,
        "within_a_factor_of_2": float(np.mean((judged < 2) & (judged > 0.5))),
        "samples": len(residuals),
    }
    print(*(f"{name} {value:.3g}" for name, value in summary.items()))
    figure = plotting.calibration_figure(residuals[unknown], errors[unknown], law)
    plotting.save(figure, path)
    print(f"drawn: {path}")
    if output:
        about = {"trained": run.config, "change": flags.FLAGS.change}
        content = {**about, **summary, **environment.environment()}
        files.write_json(output, content)


if __name__ == "__main__":
    run_command(main)
