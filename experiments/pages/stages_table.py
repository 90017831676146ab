"""Operators in stages beside one network: errors, costs, and honest error bars."""

from collections.abc import Mapping
from typing import Any

from experiments.pages import (
    benchmark_results,
    block_table,
    markdown,
    newton_table,
    told_table,
)
from experiments.pages.benchmark_results import Result, Results, largest_error, mean_of
from experiments.paper import printed
from experiments.suite.registry import BENCHMARKS
from pilno_jax.runs import files

COSTS_FILE = benchmark_results.RESULTS / "stages.json"
FAR_FILE = benchmark_results.RESULTS / "error_bars.json"
FINER_FILE = benchmark_results.RESULTS / "finer_darcy.json"

INTRODUCTION = """
## In stages

The default recipes: a first network, then a corrector that sees its field, its residual
and what that residual tells of the error, applied several times. "One network" is the
same network trained alone (`configs/<config>.py:fast`), most for longer. Largest
is the worst of all test inputs and seeds. "After each correction" is of inputs like the
labels', at l = 5 where a row says 5 to 0.5. A prediction costs a network per
correction; "without labels" has the equation alone. Minutes of runs in stages were
taken beside other work, and are upper bounds.
"""
ERROR_BARS = """
### How wrong a prediction says it is

The estimate of a prediction's error is what its residual tells of it
(`Problem.error_of`), times a factor, plus a floor that no residual shows; both come
from the validation inputs, as does a bound that 90 % of inputs like them keep. Estimate
over true error on the test inputs of each law, with 5 % and 95 % quantiles over the
inputs; "unlike" is the share that is reported as unlike the training's inputs. Laws
easier than the training's have errors near the floor, where estimates are too large.
"""


FAR = """
### Far from the training

The same operators, asked for inputs of other laws or about another coefficient of the
equation, which their networks know nothing of
(`python -m experiments.error_bars`, results/error_bars.json). Errors grow up to a
hundredfold, and the estimate says so, because it comes from the residual of the
equation that is asked about. It is blind to one thing, the grid: of a forcing
of length scale 0.3, rougher than its 51 nodes resolve, most of the error goes unseen.
Where inputs are smoother than the training's, errors are below the floor, and the
estimate is too large.
"""
COSTS = """
### What a correction costs, and what could be used instead

Mean error and milliseconds per input in batches of 25, two cores
(`python -m benchmarks.stages`, results/stages.json; inputs of its own). "No network" is
u − e in the place of a corrector, e being what the residual tells of the error
(`Problem.error_of`), applied to the first network's field one to four times, whichever
is best: where it is as good as the stages, as for diffusion and reaction-diffusion, a
corrector buys nothing that a linear solve does not. For KdV the reference is a closed
form, not a solver.
"""


TIMES = """
### How soon

Seconds on two quiet cores from the command on: what is compiled, and the labels, are in
them (`python -m benchmarks.time_to_accuracy`, results/time_to_accuracy.json). Errors
are those of the validation inputs, which are looked at every few hundred steps: the
paper's error may have been reached earlier than the moment that is given.

![Errors over seconds of training](figures/time-to-accuracy.png)
"""


FINER = """
### On a finer grid

Darcy's operator as it comes with the package, trained on 61 x 61 nodes, on {count}
fresh media (`python -m experiments.finer_darcy`, results/finer_darcy.json). Nothing is
trained anew: networks are the same on every grid, and correctors see the residual of
the grid that they are asked on. "Corrected on" applies the last corrector while its
estimate of the error falls. The grid's own error is what solving its equations exactly
leaves.
"""


def section(results: Results) -> str:
    """The part of the page on stages, if any such run is finished."""
    known = [c for c in BENCHMARKS if benchmark_results.in_stages(c, results)]
    if not known:
        return ""
    bars = [row for config in known for row in bar_rows(config, results)]
    tables = [markdown.table([stages_row(config, results) for config in known])]
    if COSTS_FILE.exists():
        costs = files.read_json(COSTS_FILE)["configs"]
        rows = [cost_row(config, one["answers"]) for config, one in costs.items()]
        tables += [COSTS, markdown.table(rows)]
    if newton_table.FILE.exists():
        tables.append(newton_table.section(files.read_json(newton_table.FILE)))
    if told_table.FILE.exists():
        tables.append(told_table.section(files.read_json(told_table.FILE)))
    if block_table.FILE.exists():
        tables.append(block_table.section(files.read_json(block_table.FILE)))
    if times := benchmark_results.read_times():
        rows = [time_row(config, one) for config, one in times.items()]
        tables += [TIMES, markdown.table(rows)]
    if FINER_FILE.exists():
        finer = files.read_json(FINER_FILE)
        rows = [finer_row(row) for row in finer["rows"]]
        tables += [FINER.format(count=finer["count"]), markdown.table(rows)]
    tables += [ERROR_BARS, markdown.table(bars)]
    if FAR_FILE.exists():
        far = files.read_json(FAR_FILE)["configs"]
        rows = [far_row(config, row) for config, laws in far.items() for row in laws]
        tables += [FAR, markdown.table(rows)]
    return "\n".join([INTRODUCTION, *tables, ""])


def cost_row(config: str, answers: Mapping[str, Mapping[str, float]]) -> dict[str, str]:
    """First network, whole operator, the best of `error_of` alone, the solver."""
    stages = [name for name in answers if name.startswith("stage")]
    alone = [name for name in answers if name.startswith("error_of")]
    best = min(alone, key=lambda name: answers[name]["error"])

    def text(name: str) -> str:
        return f"{answers[name]['error']:.1e}, {answers[name]['ms']:.1f} ms"

    return {
        "benchmark": BENCHMARKS[config].title,
        "first network": text(stages[0]),
        "in stages": text(stages[-1]),
        "no network": f"{text(best)} ({best.removeprefix('error_of x ')} times)",
        "solver": f"{answers['solver']['ms']:.2f} ms",
    }


def finer_row(row: Mapping[str, float]) -> dict[str, Any]:
    """Errors on one grid."""
    more = f"{row['corrected_error']:.2e} ({row['corrections']:.1f} times)"
    return {
        "nodes": f"{row['points']} x {row['points']}",
        "error": row["error"],
        "largest": row["largest"],
        "corrected on": more,
        "the grid's own": row["grid_error"],
        "error over it": f"{row['error'] / row['grid_error']:.2f}",
    }


def time_row(config: str, times: Mapping[str, Any]) -> dict[str, Any]:
    """Seconds to the paper's error and to the end, of both recipes."""
    row: dict[str, Any] = {"benchmark": BENCHMARKS[config].title}
    row["the paper's error"] = times["paper"]
    for recipe, name in {"staged": "in stages", "fast": "one network"}.items():
        one = times.get(recipe)
        # Of a run that left its last error alone, nobody knows when it was there first.
        is_curve = one and len(one["curve"]) > 1
        to_paper = one["seconds_to_the_papers_error"] if one and is_curve else None
        row[f"{name}: s to it"] = to_paper and round(to_paper)
        row[f"{name}: s in all"] = one and round(one["seconds"])
    return row


def stages_row(config: str, results: Results) -> dict[str, Any]:
    benchmark, paper = BENCHMARKS[config], printed.BENCHMARK_ERRORS.get(config)
    labelled = benchmark_results.in_stages(config, results)
    unlabelled = benchmark_results.in_stages(config, results, labelled=False)
    one_network = benchmark_results.ours(config, results)
    reached = mean_of(config, labelled)
    goal = benchmark.stages_goal
    missed = goal and reached and reached["mean"] > goal
    return {
        "benchmark": benchmark.title,
        "paper": paper and paper.pilno,
        "one network": mean_of(config, one_network),
        "its largest": _largest(config, one_network),
        "in stages": reached,
        "largest": _largest(config, labelled),
        "seeds": len(labelled),
        "goal": goal and f"{goal:.1e}{' (missed)' if missed else ''}",
        "without labels": mean_of(config, unlabelled),
        "largest without": _largest(config, unlabelled),
        "after each correction": _after_each(labelled),
        "parameters": labelled[0]["num_params"] if labelled else None,
        "minutes": _minutes(labelled),
        "one network's minutes": _minutes(one_network),
    }


def _largest(config: str, runs: list[Result]) -> float | None:
    return max(largest_error(config, run) for run in runs) if runs else None


def _after_each(runs: list[Result]) -> str | None:
    """On the recipe's own test law, of the first seed."""
    if not runs:
        return None
    return " → ".join(f"{one['mean']:.1e}" for one in runs[0]["relative_l2_by_stage"])


def _minutes(runs: list[Result]) -> str | None:
    """By cores: the slowest."""
    minutes = benchmark_results.minutes_by_cores(runs)
    words = {1: "one core", 2: "two cores"}
    parts = [f"{minutes[n]:.1f} ({words.get(n, n)})" for n in sorted(minutes)[::-1]]
    return ", ".join(parts) or None


def bar_rows(config: str, results: Results) -> list[dict[str, Any]]:
    """Of the first seed, a row for each law of test inputs."""
    (first, *_) = benchmark_results.in_stages(config, results)
    laws = {"the training's": first["error_bar"], **first["error_bar_by_law"]}
    return [
        {"benchmark": BENCHMARKS[config].name, "test law": law, **_bar_cells(bar)}
        for law, bar in laws.items()
        if bar
    ]


def far_row(config: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """A law that is not the training's, with the errors there."""
    return {
        "benchmark": BENCHMARKS[config].name,
        "asked for": row["law"] or "as trained",
        "error": row["error"],
        "largest": row["largest"],
        **_bar_cells(row),
    }


def _bar_cells(bar: Mapping[str, float]) -> dict[str, str]:
    return {
        "estimate / error": f"{bar['median_ratio']:.2f} "
        f"({bar['low_ratio']:.2f} to {bar['high_ratio']:.2f})",
        "within 1.5": f"{bar['within_1.5']:.0%}",
        "within 3": f"{bar['within_3']:.0%}",
        "below the bound": f"{bar['coverage']:.0%}",
        "rank correlation": f"{bar['rank_correlation']:.3f}",
        "unlike": f"{bar['unlike']:.0%}",
    }
