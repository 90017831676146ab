"""The table of docs/systems.md on systems and the plane, from results/."""

from pathlib import Path
from typing import Any

from experiments.pages import benchmark_results, markdown, stages_table
from experiments.pages.benchmark_page import FIGURES, figure_names
from experiments.pages.benchmark_results import Results
from experiments.suite.registry import BENCHMARKS, EXAMPLES
from pilno_jax.runs import files

PAGE = Path("docs/systems.md")
COMMAND = "python -m experiments.benchmarks --config=" + ",".join(EXAMPLES)


def write(results: Results) -> None:
    """Make the table of the page anew."""
    files.write_text(PAGE, page(PAGE.read_text(), results))


def page(text: str, results: Results) -> str:
    """The text of the page with its table as the results have it."""
    finished = [c for c in EXAMPLES if benchmark_results.in_stages(c, results)]
    pictures = [
        f"![{BENCHMARKS[config].name}, the worst test input](figures/{picture})"
        for config in finished
        if (FIGURES / (picture := figure_names(config)["fields"])).exists()
    ]
    rows = [row(config, results) for config in finished]
    made = [markdown.table(rows), *(["", *pictures] if pictures else [])]
    return markdown.fill(text, COMMAND, "\n".join(made)) if rows else text


def row(config: str, results: Results) -> dict[str, Any]:
    """Errors in stages, and how long an answer takes beside the solver's."""
    chosen = ("in stages", "largest", "seeds", "after each correction", "minutes")
    found = stages_table.stages_row(config, results)
    times = {}
    if stages_table.COSTS_FILE.exists():
        costs = files.read_json(stages_table.COSTS_FILE)["configs"]
        times = answer_times(costs[config]["answers"]) if config in costs else {}
    return {
        "benchmark": BENCHMARKS[config].title,
        **{column: found[column] for column in chosen},
        **times,
    }


def answer_times(answers: dict[str, dict[str, float]]) -> dict[str, str]:
    """Milliseconds per input of the whole operator and of the solver."""
    *_, whole = (name for name in answers if name.startswith("stage"))
    ours, solver = answers[whole]["ms"], answers["solver"]["ms"]
    return {
        "operator": f"{ours:.1f} ms",
        "solver": f"{solver:.1f} ms",
        "faster": f"{solver / ours:.1f} x",
    }
