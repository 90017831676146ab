"""Pictures of the six benchmarks, and the README's:

python -m experiments.benchmark_figures

draws docs/figures/benchmark-*.png and headline.png from the finished runs of
`experiments.benchmarks`: seed 0 with physics beside the same network trained on labels
alone.
"""

from pathlib import Path

import numpy as np
from absl import app, flags
from matplotlib.figure import Figure

from experiments.benchmarks import CACHE, ROOT
from experiments.benchmarks import runs as benchmark_runs
from experiments.pages.benchmark_page import (
    BENCHMARKS,
    FIGURES,
    figure_names,
    mean_error,
    ours,
    read_results,
)
from experiments.paper.artifact import Findings, Key, Predictions
from experiments.paper.figures import fields_figure, slices_figure
from experiments.run.open_run import flags_only, silence_orbax
from experiments.suite.protocols import PROTOCOLS
from experiments.suite.suite import Run
from pilno_jax import plotting

for shown in ("root", "cache"):
    flags.declare_key_flag(shown)

LABELS, PILNO = "labels alone", "PILNO"


def predictions(config: str, root: Path, cache: Path) -> dict[str, Predictions]:
    """On the test law that counts, of both runs; nothing if one is not finished."""
    runs: dict[Key, Run] = {
        (LABELS,): benchmark_runs(config, "baselines", 1)[0],
        (PILNO,): benchmark_runs(config, "fast", 1)[0],
    }
    if not all(run.result(root) for run in runs.values()):
        return {}
    findings = Findings(runs, root, cache, PROTOCOLS["cpu"])
    law = BENCHMARKS[config].law or ""
    field, _, value = law.partition("=")
    changes = {field: float(value)} if value else {}
    return {name: findings.predictions(name, **changes) for name in (LABELS, PILNO)}


def benchmark_figures(config: str, found: dict[str, Predictions]) -> dict[str, Figure]:
    """Fields of the median and of the worst case of PILNO, and slices of these."""
    order = [int(index) for index in np.argsort(found[PILNO].errors)]
    cases = {"median": order[len(order) // 2], "worst": order[-1]}
    title = f"{BENCHMARKS[config].title}, {BENCHMARKS[config].labels} labels: "
    fields, _ = fields_figure(found, cases, title + "the median and the worst case")
    slices, _ = slices_figure(found, [*cases.values()], title + "the same cases")
    names = figure_names(config)
    return {names["fields"]: fields, names["slices"]: slices}


def headline(found: dict[str, Predictions]) -> Figure:
    """What 25 labels give, what the equation adds, and all errors beside the paper's.

    The case shown is the worst of PILNO's; both errors have one scale.
    """
    index = int(np.argmax(found[PILNO].errors))
    figure, axes = plotting.panels(5, 5)
    grid, truth = found[PILNO].problem.grid, found[PILNO].truths[index]
    plotting.field(axes[0], grid, truth, "Burgers: the truth")
    errors = {name: p.found[index] - truth for name, p in found.items()}
    largest = max(float(np.abs(error).max()) for error in errors.values())
    scale = ((-largest, largest), plotting.SIGNED_COLOURS)
    told = {LABELS: "25 labels alone", PILNO: "25 labels, the equation"}
    for ax, name in zip(axes[1:3], found, strict=True):
        title = f"{told[name]}: {100 * found[name].errors[index]:.2g} % off"
        plotting.field(ax, grid, errors[name], title, *scale)
    x, t = grid.axes
    place = int(0.8 * (t.num_points - 1))
    cuts = {"reference": truth[:, place]}
    cuts |= {name: p.found[index][:, place] for name, p in found.items()}
    when = f"the same at t = {float(t.coordinates[place]):.2g}"
    plotting.lines(axes[3], x, cuts, when, "u")
    beside_the_paper(axes[4])
    return figure


def beside_the_paper(ax) -> None:
    results = read_results()
    known = [
        config
        for config, benchmark in BENCHMARKS.items()
        if benchmark.paper and ours(config, results)
    ]
    parts = [BENCHMARKS[config].title.split(", ") for config in known]
    names = ["\n".join(p for p in title if not p.startswith("l =")) for title in parts]
    errors = {
        "paper": [BENCHMARKS[config].paper for config in known],
        "ours": [mean_error(config, results)["mean"] for config in known],
    }
    plotting.paired_bars(ax, names, errors, "relative $L^2$ error")


def main(arguments: list[str]) -> None:
    flags_only(arguments)
    silence_orbax()
    root, cache = Path(ROOT.value), Path(CACHE.value)
    for config in BENCHMARKS:
        if not (found := predictions(config, root, cache)):
            print(f"{config}: not finished in {root}; see experiments.benchmarks")
            continue
        figures = benchmark_figures(config, found)
        if config == "burgers":
            figures["headline.png"] = headline(found)
        for name, figure in figures.items():
            plotting.save(figure, FIGURES / name)
            print(FIGURES / name)


if __name__ == "__main__":
    app.run(main)
