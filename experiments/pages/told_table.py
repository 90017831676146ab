"""What correctors gain from being told of the error: the table of that study."""

from collections.abc import Mapping
from typing import Any

from experiments.pages import benchmark_results, markdown
from experiments.suite.registry import BENCHMARKS

FILE = benchmark_results.RESULTS / "what_correctors_see.json"

INTRODUCTION = """
### What a corrector is told

The same small operators, {first} and {second} steps of `pilno_jax.train` without a
label, whose corrector is told the problem's own `error_of`, the residual summed up over
time, or the residual as it is (`python -m experiments.what_correctors_see`,
results/what_correctors_see.json): mean errors on {count} inputs of the first network
and after each application of the corrector, one seed.
"""
NAMES = {
    "error_of": "its own `error_of`",
    "integral": "the residual summed up over time",
    "residual": "the residual",
}


def section(content: Mapping[str, Any]) -> str:
    """The part of the page on the study, from what it wrote."""
    first, second = content["steps"]
    words = INTRODUCTION.format(first=first, second=second, count=content["count"])
    rows: dict[str, dict[str, str]] = {}
    for row in content["rows"]:
        benchmark = BENCHMARKS[row["config"]].name
        cells = rows.setdefault(benchmark, {"benchmark": benchmark})
        cells[NAMES[row["told"]]] = " → ".join(f"{one:.1e}" for one in row["errors"])
    return f"{words}\n{markdown.table(list(rows.values()))}"
