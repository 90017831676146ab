"""Error over the number of labelled samples, for a few ways of training."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatterSciNotation

from experiments.paper import artifact
from experiments.paper.artifact import Findings, Key, Row
from experiments.suite.protocols import Changes, Protocol
from experiments.suite.run_spec import RunSpec
from pilno_jax import plotting

Errors = Mapping[tuple[str, int], float]  # (variant, labels) -> mean error


def curve(
    title: str,
    config: str,
    labels: Sequence[int],
    variants: Mapping[str, Changes | Callable[[int], Changes]],
    paper: Errors,
    claims: Callable[[Errors], Sequence[artifact.Claim]],
    notes: artifact.Notes = artifact.no_notes,
    whole_set: bool = False,
) -> artifact.Artifact:
    """An artifact of one line per variant.

    Args:
        title: of the artifact and its figure.
        config: the name of a file in configs/.
        labels: how many labelled samples, in ascending order.
        variants: what each changes in the recipe, perhaps by the number of labels.
        paper: the errors it prints.
        claims: the claims, judged by the mean errors.
        notes: on the finished runs.
        whole_set: beside the mean of the samples' errors, also the error of the test
            set as a whole.
    """

    def runs(protocol: Protocol) -> dict[Key, RunSpec]:
        specs = {}
        for name, changes in variants.items():
            for count in labels:
                own = changes(count) if callable(changes) else changes
                for seed in protocol.seeds:
                    fields = {"train.num_train": count, **own}
                    run = protocol.run(config, fields, seed)
                    specs[Key(name, labels=count, seed=seed)] = run
        return specs

    def report(findings: Findings) -> artifact.Report:
        errors = {
            (name, count): findings.error(Key(name, labels=count))
            for name in variants
            for count in labels
        }
        rows: list[Row] = []
        for count in labels:
            row: Row = {"labels": count}
            for name in variants:
                row[name] = errors[name, count]
                if whole_set:
                    results = findings.over_seeds(Key(name, labels=count))
                    every = [result["relative_l2_global"] for result in results]
                    row[f"{name}, whole set"] = float(np.mean(every))
                if (name, count) in paper:
                    row[f"{name}, paper"] = paper[name, count]
            rows.append(row)
        means = {key: error["mean"] for key, error in errors.items()}
        figure = draw(labels, variants, errors, paper, title)
        return artifact.Report(rows, claims(means), {"": figure}, notes(findings))

    return artifact.Artifact(title, runs, report)


def draw(labels, variants, errors, paper, title: str) -> Figure:
    figure, (ax,) = plotting.panels(1)
    figure.set_figwidth(2 * plotting.PANEL_INCHES[0])
    for index, name in enumerate(variants):
        mean = np.array([errors[name, count]["mean"] for count in labels])
        std = np.array([errors[name, count]["std"] for count in labels])
        (line,) = ax.plot(labels, mean, "os^Dv"[index % 5] + "-", label=name)
        ax.fill_between(labels, mean - std, mean + std, alpha=0.2)
        points = [(n, paper[name, n]) for n in labels if (name, n) in paper]
        if points:
            style = {"color": line.get_color(), "fillstyle": "none"}
            ax.plot(*zip(*points, strict=True), "*", **style, label=f"{name}, paper")
    ax.set(xscale="log", yscale="log", xlabel="labelled samples")
    ax.set(ylabel="relative $L^2$ error", title=title)
    ax.set_xticks(list(labels), [str(count) for count in labels])
    ax.set_xticks([], minor=True)
    # Errors span little more than a decade: label ticks between its ends too.
    ax.yaxis.set_minor_formatter(LogFormatterSciNotation(minor_thresholds=(2, 0.5)))
    ax.grid(alpha=0.25, linewidth=0.6)
    ax.legend(fontsize=7.5, framealpha=0.8, edgecolor="none")
    return figure
