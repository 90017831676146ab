"""The part of docs/reproduction.md on the default recipes, which train in stages:
the paper's main table, labels, length scales and costs, from committed results."""

from collections.abc import Mapping
from typing import Any

from experiments.pages import benchmark_results, markdown
from experiments.pages.benchmark_results import Results, Times, mean_of
from experiments.paper import printed
from experiments.paper.artifact import spread
from experiments.suite.registry import BENCHMARKS

TEXT = """## In stages

The sections below compare networks that are trained once, as the paper's are. The
default recipes go on from there (docs/benchmarks.md, "In stages"). This is what becomes
of the paper's tables and figures of errors with them; three seeds each, of which
`results/<config>_staged.json` has the commands. "Times less" is the paper's error over
theirs. Seconds are those of a whole training on two quiet cores
(results/time_to_accuracy.json), the paper's are of its GPUs.
"""
BURGERS = printed.short(printed.BURGERS_5_TO_HALF.pilno, 0)
REACTION = printed.short(printed.RD_IC_5_TO_HALF.pilno)
LABELS = f"""
Labels are not needed: the last column is of operators that saw none. So it does not
matter either which length scale the labels have, as in the paper's maps. These are the
errors of the same operators, by the length scale of the test inputs. Trained at 5 and
tested at 0.5, the paper's have {BURGERS} (Burgers) and {REACTION} (reaction-diffusion
with an initial condition).
"""


def read() -> str:
    """The section, from what is committed."""
    times = benchmark_results.read_times()
    return section(benchmark_results.read_results(), times)


def section(results: Results, times: Times) -> str:
    """Both tables; nothing where no run in stages is finished.

    Args:
        results: of the benchmarks, by config and recipe.
        times: by config, the entries of results/time_to_accuracy.json.
    """
    known = [c for c in BENCHMARKS if benchmark_results.in_stages(c, results)]
    printed_too = [config for config in known if config in printed.BENCHMARK_ERRORS]
    if not printed_too:
        return ""
    rows = [_main_row(config, results, times.get(config, {})) for config in printed_too]
    parts = [TEXT, markdown.table(rows)]
    lengths = [row for config in known if (row := _length_row(config, results))]
    if lengths:
        parts += [LABELS, markdown.table(lengths)]
    return "\n".join([*parts, ""])


def _main_row(config: str, results: Results, times: Mapping[str, Any]) -> dict:
    paper, costs = printed.BENCHMARK_ERRORS[config], printed.COSTS.get(config)
    labelled = mean_of(config, benchmark_results.in_stages(config, results))
    unlabelled = benchmark_results.in_stages(config, results, labelled=False)
    staged, fast = times.get("staged"), times.get("fast")
    return {
        "benchmark": BENCHMARKS[config].title,
        "paper, labels only": paper.baseline,
        "paper, PILNO": paper.pilno,
        "one network": mean_of(config, benchmark_results.ours(config, results)),
        "in stages": labelled,
        "times less": labelled and f"{paper.pilno / labelled['mean']:.0f}",
        "seconds": staged and round(staged["seconds"]),
        "one network's": fast and round(fast["seconds"]),
        "paper's": costs and costs.pilno.seconds,
        "in stages, no labels": mean_of(config, unlabelled),
    }


def _length_row(config: str, results: Results) -> dict[str, Any] | None:
    """Errors by length scale, without labels; none where inputs have no such scale."""
    runs = benchmark_results.in_stages(config, results, labelled=False)
    laws = [run["relative_l2_by_law"] for run in runs]
    scales = [law for law in (laws[0] if laws else {}) if law.startswith("length_")]
    if not scales:
        return None
    cells = {
        law.replace("length_scale=", "l = "): spread([one[law]["mean"] for one in laws])
        for law in scales
    }
    return {"benchmark": BENCHMARKS[config].name, **cells}
