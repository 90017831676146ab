"""Operators of a coefficient beside operators of one value of it:

python -m experiments.over_coefficients --study=diffusion-diffusivity

trains one operator for the whole law and one for each of a few fixed values, in the
same number of steps, with physics and on labels alone; tests each at values inside the
law and outside; writes results/coefficients/<study>.json, docs/figures/<study>.png and
the tables of docs/parameters.md. Finished runs are reused, interrupted ones resumed.
With --only_report nothing is trained, and what is not finished is left out.
"""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax
import numpy as np
from absl import flags

from experiments.pages import coefficients_page
from experiments.paper.baselines import LABELS, PILNO
from experiments.run.command import run_command
from experiments.run.terminal import Console
from experiments.suite import suite_flags
from experiments.suite.coefficient_studies import STUDIES, Study
from experiments.suite.floor import distances_to_zeros
from experiments.suite.registry import TestLaw, fields_of
from experiments.suite.run_spec import RunSpec
from experiments.suite.suite import train_all
from pilno_jax import plotting, problems
from pilno_jax.evaluation.newton import NotConverged
from pilno_jax.runs import files

FIGURES, RESULTS = Path("docs/figures"), Path("results")
WITHIN = 2.0  # times the error of the operator of that one value, the goal
FLOOR_SAMPLES = 10

CHOSEN = flags.DEFINE_enum("study", "burgers-viscosity", list(STUDIES), "Which one.")
PHYSICS_ALONE = flags.DEFINE_bool(
    "physics_alone", False, "Leave out the operators that learn from labels alone."
)
ONLY_REPORT = flags.DEFINE_bool("only_report", False, "Train nothing.")
DRY_RUN = flags.DEFINE_bool("dry_run", False, "Print the commands and stop.")
AT_ONCE = suite_flags.define_at_once()
flags.adopt_module_key_flags(suite_flags)

Errors = dict[str, dict[str, list[float]]]


def main(words: list[str]) -> int:
    del words
    study, (root, cache) = STUDIES[CHOSEN.value], suite_flags.folders()
    runs = study.runs()
    if PHYSICS_ALONE.value:
        del runs[LABELS]
    every = [run for variant in runs.values() for run in variant.values()]
    if DRY_RUN.value:
        for run in every:
            print(shlex.join(["python", *run.command(root, cache)[1:]]))
        return 0
    console = Console()
    trains = not ONLY_REPORT.value
    if trains and (code := train_all(every, root, cache, console, AT_ONCE.value)):
        return code
    path = write(CHOSEN.value, study, runs, root)
    coefficients_page.write()
    console.line(f"{path} written")
    return 0


def write(
    name: str, study: Study, runs: Mapping[str, Mapping[str, RunSpec]], root: Path
) -> Path:
    """The table and figure of finished runs."""
    finished = {
        variant: {
            trained: one for trained, run in by.items() if (one := run.result(root))
        }
        for variant, by in runs.items()
    }
    errors: Errors = {
        variant: {trained: errors_of(study, one) for trained, one in by.items()}
        for variant, by in finished.items()
        if by
    }
    (first, *_), alike = errors.values(), len({*map(tuple, errors.values())}) == 1
    several = alike and len(first) > 1
    if several:
        plotting.save(drawn(study, errors), FIGURES / f"{name}.png")
    results = [one for by in finished.values() for one in by.values()]
    ratios = {f"{at:g}": ratio for at, ratio in over_one_value(study, errors).items()}
    content = {
        "study": name,
        "option": study.option,
        "law": study.law,
        "tested": study.tested,
        "relative_l2": errors,
        "own_law": {
            variant: {
                trained: one["relative_l2"]["mean"] for trained, one in by.items()
            }
            for variant, by in finished.items()
        },
        "of_one_value": one_value(study),
        "grid": [grids_own(study, at) for at in study.tested],
        "grid_samples": FLOOR_SAMPLES,
        "ratios": ratios,
        "goal": WITHIN,
        "figure": several,
        "versions": results[0]["versions"],
        "device": results[0]["device"],
        "runs": [
            {key: one[key] for key in ("command", "seed", "wall_clock_seconds")}
            for one in results
        ],
    }
    path = RESULTS / "coefficients" / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    files.write_json(path, content)
    return path


def errors_of(study: Study, result: Mapping[str, Any]) -> list[float]:
    """Mean errors at the tested values, in their order."""
    laws = result["relative_l2_by_law"]
    return [laws[TestLaw(study.option, at).key]["mean"] for at in study.tested]


def one_value(study: Study) -> dict[str, Any] | None:
    """What the default recipe reaches, an operator of one value in as many steps."""
    path = RESULTS / f"{study.config}_staged.json"
    if not study.alone or not path.exists():
        return None
    runs = [one for one in files.read_json(path) if not {*one["changes"]} - {"seed"}]
    errors = [one["relative_l2"]["mean"] for one in runs]
    value = fields_of(study.config, "staged")[f"problem.{study.option}"]
    return {"at": value, "error": float(np.mean(errors)), "seeds": len(errors)}


def over_one_value(study: Study, errors: Errors) -> dict[float, float]:
    """Value -> error of the operator of the whole law over that of the one value's."""
    if study.law is None:
        return {}
    whole, *others = errors[PILNO].items()
    alone = {
        float(trained): dict(zip(study.tested, e, strict=True)) for trained, e in others
    }
    reached = {at: by[at] for at, by in alone.items()}
    if default := one_value(study):
        reached.setdefault(default["at"], default["error"])
    ours = dict(zip(study.tested, whole[1], strict=True))
    return {at: ours[at] / reached[at] for at in sorted(reached)}


def grids_own(study: Study, at: float) -> float | None:
    """The error of a perfect minimiser of the residual; None where it finds none."""
    section = "problem."
    fields = fields_of(study.config, study.recipe).items()
    options = {k.removeprefix(section): v for k, v in fields if k.startswith(section)}
    with jax.enable_x64(True):
        problem = problems.make(**{**options, study.option: at})
        keys = jax.random.split(jax.random.key(0), FLOOR_SAMPLES)
        try:
            return float(np.mean(distances_to_zeros(problem, keys)))
        except NotConverged:
            return None


def drawn(study: Study, errors: Errors):
    """What an operator was trained at across, what it is tested at up."""
    trained = list(next(iter(errors.values())))
    tested = [f"{value:g}" for value in study.tested]
    maps = {variant: np.array([*by.values()]) for variant, by in errors.items()}
    what = study.option.replace("_", " ")
    title = f"{study.config.replace('_', ' ')}: errors over the {what}"
    return plotting.error_maps(maps, trained, tested, study.symbol, title)


if __name__ == "__main__":
    run_command(main)
