"""Operators of a coefficient beside operators of one value of it:

python -m experiments.over_coefficients --study=burgers-viscosity

trains one operator for the whole law and one for each of a few fixed values, in the
same number of steps, with physics and on labels alone; tests each at values inside the
law and outside; writes results/coefficients/<study>.json and
docs/figures/<study>.png. Finished runs are reused, interrupted ones resumed.
"""

import dataclasses
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from absl import flags

from experiments.paper.baselines import LABELS, LABELS_ONLY, PILNO
from experiments.run.command import run_command
from experiments.run.terminal import Console
from experiments.suite import suite_flags
from experiments.suite.registry import TestLaw, fields_of
from experiments.suite.run_spec import RunSpec
from experiments.suite.suite import train_all
from pilno_jax import plotting
from pilno_jax.runs import files

RESULTS, FIGURES = Path("results/coefficients"), Path("docs/figures")
WITHIN = 2.0  # times the error of the operator of that one value, the goal


@dataclasses.dataclass(frozen=True)
class Study:
    """A recipe with a law of a coefficient, and the recipe of one value of it.

    Args:
        config: the name of a file in configs/.
        recipe: whose problem has the law.
        option: the coefficient that is varied; of a recipe with several laws, the
            others keep theirs in every run.
        fixed: values that operators of one value are trained at.
    """

    config: str
    recipe: str
    option: str
    fixed: tuple[float, ...]

    @property
    def law(self) -> tuple[float, float]:
        low, high = fields_of(self.config, self.recipe)[f"problem.{self.option}"]
        return low, high

    @property
    def tested(self) -> tuple[float, ...]:
        return tuple(fields_of(self.config, self.recipe)["evaluation.over"])

    def runs(self) -> dict[str, dict[str, RunSpec]]:
        """Variant -> what an operator was trained at -> its run."""
        low, high = self.law
        trained: dict[str, Any] = {f"{low:g} to {high:g}": None}
        trained |= {f"{value:g}": value for value in self.fixed}
        return {
            variant: {
                name: RunSpec(self.config, self.recipe).but(
                    {**changes, **({f"problem.{self.option}": at} if at else {})}
                )
                for name, at in trained.items()
            }
            for variant, changes in {PILNO: {}, LABELS: LABELS_ONLY}.items()
        }


STUDIES: Mapping[str, Study] = {
    "burgers-viscosity": Study(
        "burgers", "viscosity", "viscosity", fixed=(0.005, 0.01, 0.02, 0.05)
    ),
    "diffusion-diffusivity": Study(
        "diffusion", "diffusivity", "diffusivity", fixed=(0.005, 0.01, 0.02, 0.05)
    ),
    "rd-diffusivity": Study(
        "rd_ic", "coefficients", "diffusivity", fixed=(0.005, 0.01, 0.02, 0.05)
    ),
}

CHOSEN = flags.DEFINE_enum("study", "burgers-viscosity", list(STUDIES), "Which one.")
PHYSICS_ALONE = flags.DEFINE_bool(
    "physics_alone", False, "Leave out the operators that learn from labels alone."
)
DRY_RUN = flags.DEFINE_bool("dry_run", False, "Print the commands and stop.")
AT_ONCE = suite_flags.define_at_once()
flags.adopt_module_key_flags(suite_flags)


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
    if code := train_all(every, root, cache, console, AT_ONCE.value):
        return code
    path = write(CHOSEN.value, study, runs, root)
    console.line(f"{path} written")
    return 0


def write(
    name: str, study: Study, runs: Mapping[str, Mapping[str, RunSpec]], root: Path
) -> Path:
    """The table and figure of finished runs."""
    errors = {
        variant: {trained: errors_of(study, run, root) for trained, run in by.items()}
        for variant, by in runs.items()
    }
    title = f"{study.config.replace('_', ' ')}: error over the {study.option}"
    plotting.save(drawn(study, errors, title), FIGURES / f"{name}.png")
    specs = [run for by in runs.values() for run in by.values()]
    results = [result for run in specs if (result := run.result(root))]
    path = RESULTS / f"{name}.json"
    RESULTS.mkdir(parents=True, exist_ok=True)
    content = {
        "study": name,
        "option": study.option,
        "law": study.law,
        "tested": study.tested,
        "relative_l2": errors,
        "worst_ratio": worst_ratio(study, errors[PILNO]),
        "goal": WITHIN,
        "versions": results[0]["versions"],
        "device": results[0]["device"],
        "runs": [
            {key: one[key] for key in ("command", "seed", "wall_clock_seconds")}
            for one in results
        ],
    }
    files.write_json(path, content)
    return path


def errors_of(study: Study, run: RunSpec, root: Path) -> list[float]:
    """Mean errors at the tested values, in their order."""
    result = run.result(root)
    assert result is not None, f"{run.name} is not finished"
    laws = result["relative_l2_by_law"]
    return [laws[TestLaw(study.option, at).key]["mean"] for at in study.tested]


def worst_ratio(study: Study, errors: Mapping[str, list[float]]) -> float:
    """Error of the whole law over that of one value, at the value where it is worst."""
    whole = next(iter(errors.values()))
    places = {at: study.tested.index(at) for at in study.fixed}
    return max(whole[i] / errors[f"{at:g}"][i] for at, i in places.items())


def drawn(study: Study, errors: Mapping[str, Mapping[str, list[float]]], title: str):
    """Error over the value tested at, a line for each operator."""
    figure, axes = plotting.panels(len(errors))
    for ax, (variant, lines) in zip(axes, errors.items(), strict=True):
        for number, (trained, values) in enumerate(lines.items()):
            style = {"color": "black", "linewidth": 2.5} if number == 0 else {}
            ax.loglog(study.tested, values, "o-", label=trained, markersize=3, **style)
        ax.axvspan(*study.law, color="0.93")
        ax.set(title=variant, xlabel=study.option, ylabel="relative $L^2$ error")
    top = max(np.max(values) for by in errors.values() for values in by.values())
    low = min(np.min(values) for by in errors.values() for values in by.values())
    for ax in axes:
        ax.set_ylim(low / 1.5, top * 1.5)
    axes[0].legend(title="trained at", fontsize=7.5, edgecolor="none")
    figure.suptitle(title)
    return figure


if __name__ == "__main__":
    run_command(main)
