"""Pictures of the benchmarks and the README's: the first seed with physics beside the
same network trained on labels alone."""

from collections.abc import Sequence
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

LABELS, ONE_NETWORK, PILNO = "labels alone", "one network", "PILNO"
PARTS = {
    LABELS: benchmark_runs.BASELINES,
    ONE_NETWORK: benchmark_runs.ONE_NETWORK,
    PILNO: benchmark_runs.STAGED,
}
HEADLINE_INCHES = 2.75, 2.35
DIGITS = -6.0, -1.0  # of errors in the headline
SHORT_NAMES = {
    "burgers": "Burgers",
    "darcy": "Darcy",
    "rd_forcing": "RD, forcing",
    "rd_ic": "RD, initial u",
    "forced_kdv": "KdV",
}


def predictions(
    config: str, root: Path, cache: Path, models: Sequence[str] = (LABELS, PILNO)
) -> dict[str, Predictions]:
    """On the test law that counts; nothing if one of the runs is not finished.

    Args:
        config: a benchmark of the registry.
        root: where its runs are.
        cache: of labelled sets.
        models: which of `PARTS`.
    """
    runs = {
        Key(name): benchmark_runs.runs(config, PARTS[name], seeds=1)[0]
        for name in models
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
    """What labels give, what the equation and stages add, how soon, and how far below
    the paper's errors.

    The case shown is the worst of the operator in stages; errors have one scale, a
    logarithmic one, on which all of them are seen.

    Args:
        models: predictions of Burgers by all of `PARTS`.
    """
    index = int(np.argmax(models[PILNO].errors))
    figure, axes = plotting.panels(6, 3, HEADLINE_INCHES)
    grid, truth = models[PILNO].problem.grid, models[PILNO].truths[index]
    plotting.field(axes[0], grid, truth, "Burgers' equation,\nthe worst test case")
    captions = {
        LABELS: "25 labels alone",
        ONE_NETWORK: "with the equation",
        PILNO: "and correctors",
    }
    for ax, (name, caption) in zip(axes[1:4], captions.items(), strict=True):
        difference = np.abs(models[name].fields[index] - truth)
        digits = np.log10(np.maximum(difference, 10.0 ** DIGITS[0]))
        title = f"{caption}: {100 * models[name].errors[index]:.2g} %"
        plotting.field(ax, grid, digits, f"{title}\n$\\log_{{10}}$ |error|", DIGITS)
    _over_time(axes[4])
    beside_the_paper(axes[5])
    return figure


def _over_time(ax: Axes) -> None:
    """Burgers' errors over the seconds of a training, from results/."""
    burgers = benchmark_results.read_times()["burgers"]
    curves = {}
    for recipe, label in {"fast": "one network", "staged": "in stages"}.items():
        points = burgers[recipe]["curve"]
        seconds = [point["seconds"] for point in points]
        curves[label] = seconds, [point["error"] for point in points]
    title = "two cores, from command to error"
    plotting.errors_over_seconds(ax, curves, burgers["paper"], title)


def beside_the_paper(ax: Axes) -> None:
    """Bars of the paper's errors and of ours, for the benchmarks that it has."""
    results = benchmark_results.read_results()
    known = [
        config
        for config in BENCHMARKS
        if config in printed.BENCHMARK_ERRORS
        and benchmark_results.ours(config, results)
        and benchmark_results.in_stages(config, results)
    ]
    names = [SHORT_NAMES.get(config, BENCHMARKS[config].title) for config in known]
    errors = {
        "paper": [printed.BENCHMARK_ERRORS[config].pilno for config in known],
        "one network": [
            benchmark_results.mean_error(config, results)["mean"] for config in known
        ],
        "in stages": [
            float(np.mean([benchmark_results.error(config, one) for one in runs]))
            for config in known
            for runs in [benchmark_results.in_stages(config, results)]
        ],
    }
    plotting.paired_bars(ax, names, errors, "mean relative $L^2$ error")
