"""Pictures of the benchmarks, and the README's:

python -m experiments.benchmark_figures

draws docs/figures/benchmark-*.png and headline.png from the finished runs of
`experiments.benchmarks`: the first seed with physics beside the same network trained on
labels alone, in the headline also beside one network with the equation. Of systems and
vorticity, the worst test input as the run has drawn it.
"""

import shutil
from pathlib import Path

from absl import flags

from experiments.pages import benchmark_figures, benchmark_page
from experiments.pages.benchmark_page import FIGURES
from experiments.paper import benchmark_runs
from experiments.paper.artifact import Predictions
from experiments.run.command import run_command
from experiments.run.open_run import silence_orbax
from experiments.suite import suite_flags
from experiments.suite.registry import EXAMPLES, WITH_GOAL
from pilno_jax import plotting
from pilno_jax.runs.run_folder import RunFolder

flags.adopt_module_key_flags(suite_flags)


def main(words: list[str]) -> None:
    del words
    silence_orbax()
    root, cache = suite_flags.folders()
    for config in WITH_GOAL:
        if not (models := benchmark_figures.predictions(config, root, cache)):
            print(f"{config}: not finished in {root}; see experiments.benchmarks")
            continue
        figures = benchmark_figures.benchmark_figures(config, models)
        if config == "burgers" and (every := _all_ways(root, cache)):
            figures["headline.png"] = benchmark_figures.headline(every)
        for name, figure in figures.items():
            plotting.save(figure, FIGURES / name)
            print(FIGURES / name)
    for config in EXAMPLES:
        (run,) = benchmark_runs.runs(config, benchmark_runs.STAGED, seeds=1)
        drawn = RunFolder(run.workdir(root)).figures / "field_worst.png"
        if drawn.exists():
            picture = FIGURES / benchmark_page.figure_names(config)["fields"]
            shutil.copyfile(drawn, picture)
            print(picture)


def _all_ways(root: Path, cache: Path) -> dict[str, Predictions]:
    """Of Burgers: labels alone, one network, stages."""
    ways = tuple(benchmark_figures.PARTS)
    return benchmark_figures.predictions("burgers", root, cache, ways)


if __name__ == "__main__":
    run_command(main)
