"""Named runs in a table: error, cost, and the paper's figures beside them."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from experiments.paper import artifact
from experiments.paper.artifact import Findings, Key, Row
from experiments.suite.protocols import Changes, Protocol
from experiments.suite.run_spec import RunSpec
from pilno_jax import plotting


@dataclasses.dataclass(frozen=True)
class Entry:
    """A row of a table.

    Args:
        config: the name of a file in configs/.
        changes: what the row changes in the recipe.
        paper: by column, what the paper prints.
        all_steps: those of the recipe, whatever the protocol's share of them.
    """

    config: str
    changes: Changes
    paper: Mapping[str, float] = dataclasses.field(default_factory=dict)
    all_steps: bool = False


ERROR, SECONDS, MEGABYTES, STEP = "error", "time [s]", "memory [MB]", "step [ms]"
COSTS = {SECONDS: "wall_clock_seconds", MEGABYTES: "peak_memory_mb"}


def table(
    title: str,
    entries: Mapping[str, Entry],
    claims: Callable[[Mapping[str, Row]], Sequence[artifact.Claim]],
    *,
    full: bool = False,
    extra: Callable[[dict[str, Any]], Row] = lambda result: {},
    draw: Callable[[Findings, Mapping[str, Row]], Mapping[str, Figure]] | None = None,
    notes: artifact.Notes = artifact.no_notes,
) -> artifact.Artifact:
    """An artifact of one row per entry. Costs are those of the last seed.

    Args:
        title: of the artifact.
        entries: rows by name.
        claims: the claims, judged by the finished rows.
        full: the recipes as they stand, with the protocol's main seeds.
        extra: further columns, from the result of the last seed.
        draw: the figures, by suffix of the file's name.
        notes: on the finished runs.
    """

    def seeds_of(protocol: Protocol) -> Sequence[int]:
        return protocol.main_seeds if full else protocol.seeds

    def runs(protocol: Protocol) -> dict[Key, RunSpec]:
        specs: dict[Key, RunSpec] = {}
        for name, entry in entries.items():
            start = protocol.full_run if full or entry.all_steps else protocol.run
            for seed in seeds_of(protocol):
                specs[Key(name, seed=seed)] = start(entry.config, entry.changes, seed)
        return specs

    def report(findings: Findings) -> artifact.Report:
        rows = {}
        for name, entry in entries.items():
            last_seed = seeds_of(findings.protocol)[-1]
            last = findings.result(Key(name, seed=last_seed))
            rows[name] = {
                artifact.NAME: name,
                ERROR: findings.error(Key(name)),
                **{column: last[field] for column, field in COSTS.items()},
                "parameters": last["num_params"],
                **extra(last),
                **{f"{column}, paper": value for column, value in entry.paper.items()},
            }
        figures = draw(findings, rows) if draw else {}
        return artifact.Report(
            list(rows.values()), claims(rows), figures, notes(findings)
        )

    return artifact.Artifact(title, runs, report)


def mean(row: Row) -> float:
    return row[ERROR]["mean"]


def step_time(result: dict[str, Any]) -> Row:
    return {STEP: result["step_ms"]}


def bars(rows: Mapping[str, Row], columns: Mapping[str, str]) -> Figure:
    """A panel per column; above each bar its ratio to the first one."""
    figure, axes = plotting.panels(len(columns))
    for ax, (column, label) in zip(axes, columns.items(), strict=True):
        values = [
            mean(row) if column == ERROR else row[column] for row in rows.values()
        ]
        drawn = ax.bar(range(len(values)), values, color="tab:blue")
        ratios = [f"{value / values[0]:.2g}x" for value in values]
        ax.bar_label(drawn, ratios, fontsize=7)
        ax.set_xticks(range(len(values)), list(rows), rotation=20, fontsize=7)
        ax.set(title=label, yscale="log" if column == ERROR else "linear")
    return figure


def scatter(findings: Findings, names: Sequence[str], limit: int) -> Figure:
    """The error of every test case of the first seed, a column of points per model."""
    figure, (ax,) = plotting.panels(1)
    figure.set_figwidth(2 * plotting.PANEL_INCHES[0])
    shift = np.random.default_rng(0).uniform(-0.25, 0.25, limit)
    for place, name in enumerate(names):
        errors = findings.predictions(Key(name)).errors[:limit]
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
