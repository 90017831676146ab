"""Pictures of the benchmarks, and the README's:

python -m experiments.benchmark_figures

draws docs/figures/benchmark-*.png and headline.png from the finished runs of
`experiments.benchmarks`: the first seed with physics beside the same network trained on
labels alone, in the headline also beside one network with the equation.
"""

from pathlib import Path

from absl import flags

from experiments.pages import benchmark_figures
from experiments.pages.benchmark_page import FIGURES
from experiments.paper.artifact import Predictions
from experiments.run.command import run_command
from experiments.run.open_run import silence_orbax
from experiments.suite import suite_flags
from experiments.suite.registry import WITH_GOAL
from pilno_jax import plotting

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


def _all_ways(root: Path, cache: Path) -> dict[str, Predictions]:
    """Of Burgers: labels alone, one network, stages."""
    ways = tuple(benchmark_figures.PARTS)
    return benchmark_figures.predictions("burgers", root, cache, ways)


if __name__ == "__main__":
    run_command(main)
