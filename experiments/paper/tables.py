"""Named runs in a table: error, cost, and the paper's figures beside them."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure

from experiments.paper.artifact import Artifact, Claim, Findings, Key, Report, Row
from experiments.suite.protocols import Changes, Protocol
from experiments.suite.suite import Run
from pilno_jax import plotting


class Entry(NamedTuple):
    """A row: a config with changes, and what the paper prints for it.

    all_steps: those of the recipe, whatever the protocol's share of them.
    """

    config: str
    changes: Changes
    paper: Mapping[str, float]
    all_steps: bool = False


Errors = Mapping[str, float]
COSTS = {"time [s]": "wall_clock_seconds", "memory [MB]": "peak_memory_mb"}


def table(
    title: str,
    entries: Mapping[str, Entry],
    claims: Callable[[Mapping[str, Row]], Sequence[Claim]],
    *,
    full: bool = False,
    extra: Callable[[dict[str, Any]], Row] = lambda result: {},
    draw: Callable[[Findings, Mapping[str, Row]], Mapping[str, Figure]] | None = None,
    notes: Sequence[str] = (),
) -> Artifact:
    """One row per entry; `full`: the recipes as they stand, with the main seeds.

    Costs, and the further columns that `extra` finds in a result, are those of the last
    seed: the first ones of the main table had two cores.
    """

    def seeds_of(protocol: Protocol) -> Sequence[int]:
        return protocol.main_seeds if full else protocol.seeds

    def runs(protocol: Protocol) -> dict[Key, Run]:
        found: dict[Key, Run] = {}
        for name, entry in entries.items():
            start = protocol.full_run if full or entry.all_steps else protocol.run
            for seed in seeds_of(protocol):
                found[name, seed] = start(entry.config, entry.changes, seed)
        return found

    def report(findings: Findings) -> Report:
        rows = {}
        for name, entry in entries.items():
            last = findings.result(name, seeds_of(findings.protocol)[-1])
            rows[name] = {
                "": name,
                "error": findings.error(name),
                **{column: last[field] for column, field in COSTS.items()},
                "parameters": last["num_params"],
                **extra(last),
                **{f"{column}, paper": value for column, value in entry.paper.items()},
            }
        figures = draw(findings, rows) if draw else {}
        return Report(list(rows.values()), claims(rows), figures, notes)

    return Artifact(title, runs, report)


def mean(row: Row) -> float:
    return row["error"]["mean"]


def bars(rows: Mapping[str, Row], columns: Mapping[str, str]) -> Figure:
    """A panel per column; above each bar its ratio to the first one."""
    figure, axes = plotting.panels(len(columns))
    for ax, (column, label) in zip(axes, columns.items(), strict=True):
        values = [
            mean(row) if column == "error" else row[column] for row in rows.values()
        ]
        drawn = ax.bar(range(len(values)), values, color="tab:blue")
        ratios = [f"{value / values[0]:.2g}x" for value in values]
        ax.bar_label(drawn, ratios, fontsize=7)
        ax.set_xticks(range(len(values)), list(rows), rotation=20, fontsize=7)
        ax.set(title=label, yscale="log" if column == "error" else "linear")
    return figure


def scatter(findings: Findings, names: Sequence[str], limit: int) -> Figure:
    """The error of every test case, one column of points per model."""
    figure, (ax,) = plotting.panels(1)
    figure.set_figwidth(2 * plotting.PANEL_INCHES[0])
    shift = np.random.default_rng(0).uniform(-0.25, 0.25, limit)
    for place, name in enumerate(names):
        errors = findings.predictions(name, 0).errors[:limit]
        marker = "ox^sDv"[place % 6]
        ax.plot(place + shift[: len(errors)], errors, marker, fillstyle="none", ms=4)
        bar: dict[str, Any] = dict(fmt="_", color="black", capsize=5, ms=12, zorder=3)
        low = min(errors.std(), 0.9 * errors.mean())  # the axis is logarithmic
        ax.errorbar(place, errors.mean(), [[low], [errors.std()]], **bar)
    ax.set_xticks(range(len(names)), list(names))
    ax.set(yscale="log", ylabel="relative $L^2$ error")
    ax.set(title=f"{limit} test cases; mean and standard deviation in black")
    ax.grid(alpha=0.25, linewidth=0.6)
    return figure


def factor(above: float, below: float) -> str:
    return f"{above:.2e} against {below:.2e}, a factor of {above / below:.1f}"


def exponent(times: Sequence[float], points: Sequence[int]) -> float:
    """Least squares fit of log time over log number of grid points."""
    slope, _ = np.polyfit([math.log(n) for n in points], np.log(times), 1)
    return float(slope)
