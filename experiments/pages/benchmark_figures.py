"""Pictures of the benchmarks and the README's: seed 0 with physics beside the same
network trained on labels alone."""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.pages import benchmark_results
from experiments.pages.benchmark_page import figure_names
from experiments.paper import benchmark_runs, printed
from experiments.paper.artifact import Findings, Key, Predictions
from experiments.paper.figures import fields_figure, slices_figure
from experiments.suite.protocols import PROTOCOLS
from experiments.suite.registry import BENCHMARKS
from pilno_jax import plotting

LABELS, PILNO = "labels alone", "PILNO"


def predictions(config: str, root: Path, cache: Path) -> dict[str, Predictions]:
    """On the test law that counts, of both runs; nothing if one is not finished."""
    runs = {
        Key(LABELS): benchmark_runs.runs(config, benchmark_runs.BASELINES, seeds=1)[0],
        Key(PILNO): benchmark_runs.runs(config, benchmark_runs.STAGED, seeds=1)[0],
    }
    if not all(run.result(root) for run in runs.values()):
        return {}
    findings = Findings(runs, root, cache, PROTOCOLS["cpu"])
    law = BENCHMARKS[config].law
    changes = law.changes if law else {}
    return {key.variant: findings.predictions(key, **changes) for key in runs}


def benchmark_figures(config: str, models: dict[str, Predictions]) -> dict[str, Figure]:
    """Fields of the median and of the worst case of PILNO, and slices of these."""
    ours = models[PILNO]
    cases = {"median": ours.median_case(), "worst": int(np.argmax(ours.errors))}
    title = f"{BENCHMARKS[config].title}, {BENCHMARKS[config].labels} labels: "
    fields, _ = fields_figure(models, cases, title + "the median and the worst case")
    slices, _ = slices_figure(models, [*cases.values()], title + "the same cases")
    names = figure_names(config)
    return {names["fields"]: fields, names["slices"]: slices}


def headline(models: dict[str, Predictions]) -> Figure:
    """What 25 labels give, what the equation adds, and all errors beside the paper's.

    The case shown is the worst of PILNO's; both errors have one scale.
    """
    index = int(np.argmax(models[PILNO].errors))
    figure, axes = plotting.panels(5, 5)
    grid, truth = models[PILNO].problem.grid, models[PILNO].truths[index]
    plotting.field(axes[0], grid, truth, "Burgers: the truth")
    errors = {name: p.fields[index] - truth for name, p in models.items()}
    largest = max(float(np.abs(error).max()) for error in errors.values())
    scale = ((-largest, largest), plotting.SIGNED_COLOURS)
    captions = {LABELS: "25 labels alone", PILNO: "25 labels, the equation"}
    for ax, name in zip(axes[1:3], models, strict=True):
        title = f"{captions[name]}: {100 * models[name].errors[index]:.2g} % off"
        plotting.field(ax, grid, errors[name], title, *scale)
    x, t = grid.axes
    place = int(0.8 * (t.num_points - 1))
    cuts = {"reference": truth[:, place]}
    cuts |= {name: p.fields[index][:, place] for name, p in models.items()}
    when = f"the same at t = {float(t.coordinates[place]):.2g}"
    plotting.lines(axes[3], x, cuts, when, "u")
    beside_the_paper(axes[4])
    return figure


def beside_the_paper(ax: Axes) -> None:
    """Bars of the paper's errors and of ours, for the benchmarks that it has."""
    results = benchmark_results.read_results()
    known = [
        config
        for config in BENCHMARKS
        if config in printed.BENCHMARK_ERRORS
        and benchmark_results.ours(config, results)
    ]
    parts = [BENCHMARKS[config].title.split(", ") for config in known]
    names = ["\n".join(p for p in title if not p.startswith("l =")) for title in parts]
    errors = {
        "paper": [printed.BENCHMARK_ERRORS[config].pilno for config in known],
        "ours": [
            benchmark_results.mean_error(config, results)["mean"] for config in known
        ],
    }
    plotting.paired_bars(ax, names, errors, "relative $L^2$ error")
