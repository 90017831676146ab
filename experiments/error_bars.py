"""What error bars are worth far from the training:

python -m experiments.error_bars --output=results/error_bars.json

asks the finished runs in stages below --root for inputs of laws that they were not
trained on: rougher, smoother, twice as large, of another coefficient. Estimates are
compared with true errors. Configs without a finished run keep what the file has.
"""

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax
import numpy as np
from absl import flags

import pilno_jax
from experiments.run import outputs
from experiments.run.command import run_command
from experiments.run.other_law import under_law
from experiments.suite import suite_flags
from experiments.suite.run_spec import RunSpec
from pilno_jax import evaluation, operators
from pilno_jax.evaluation.error_bar import judged
from pilno_jax.runs import environment, files
from pilno_jax.runs.run_folder import RunFolder

OUTPUT = flags.DEFINE_string("output", None, "The json to write.", required=True)
COUNT = flags.DEFINE_integer("count", 100, "Inputs of each law.", lower_bound=10)
flags.adopt_module_key_flags(suite_flags)

Law = Mapping[str, Any]
_ROUGH_SMOOTH_LARGE: tuple[Law, ...] = (
    {},
    {"length_scale": 0.3},
    {"length_scale": 5.0},
    {"sigma": 0.4},
)
# By config: options of its problem that differ from those of the training.
LAWS: Mapping[str, tuple[Law, ...]] = {
    "burgers": (*_ROUGH_SMOOTH_LARGE, {"viscosity": 0.005}, {"viscosity": 0.02}),
    "diffusion": (*_ROUGH_SMOOTH_LARGE, {"diffusivity": 0.02}),
    "rd_ic": (*_ROUGH_SMOOTH_LARGE, {"diffusivity": 0.02}),
    "darcy": ({}, {"tau": 2.0}, {"tau": 5.0}),
    "rd_forcing": (*_ROUGH_SMOOTH_LARGE[:-1], {"diffusivity": 0.02}),
}


def measured(run: pilno_jax.TrainedRun, law: Law, count: int) -> dict[str, Any]:
    """How large errors of that law are, and how right the estimates of them."""
    tested, labelled = under_law(run, dict(law), count, seed=0)
    inputs, labels = labelled["inputs"], labelled["labels"]
    # The operator as it was trained, asked about the equation of that law.
    problem = dataclasses.replace(
        run.problem,
        residual=tested.problem.residual,
        error_of=tested.problem.error_of,
    )
    asked = dataclasses.replace(run, problem=problem)
    fields = asked.predict(inputs)
    errors = evaluation.relative_errors(fields, labels)
    sizes = np.asarray(jax.jit(operators.error_sizes(problem))(inputs, fields))
    assert run.error_bar is not None
    return {
        "law": ", ".join(f"{name} = {value:g}" for name, value in law.items()),
        "error": float(errors.mean()),
        "largest": float(errors.max()),
        **judged(run.error_bar, sizes, errors),
    }


def main(words: list[str]) -> None:
    del words
    output = outputs.require_file("output", OUTPUT.value)
    root, _ = suite_flags.folders()
    rows: dict[str, list[dict[str, Any]]] = {}
    if output.exists():
        rows |= files.read_json(output)["configs"]
    for config, laws in LAWS.items():
        folder = Path(RunSpec(config, "staged").workdir(root))
        if not RunFolder(folder).is_finished:
            print(f"{config}: no finished run in {folder}")
            continue
        run = pilno_jax.load(folder)
        code = {"code": environment.source()}  # rows may be of several sessions
        rows[config] = [measured(run, law, COUNT.value) | code for law in laws]
        for row in rows[config]:
            print(
                f"{config:12} {row['law'] or 'as trained':22} error {row['error']:.1e}"
                f"  within 3 {row['within_3']:.0%}  unlike {row['unlike']:.0%}",
                flush=True,
            )
    content = {"inputs": COUNT.value, "configs": rows, **environment.environment()}
    files.write_json(output, content)


if __name__ == "__main__":
    run_command(main)
