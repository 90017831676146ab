"""What an error stands beside: the paper's, and what the training grid itself allows.

Only where they are comparable: for a benchmark whose problem nobody has changed.
"""

from pathlib import Path
from typing import Any

from experiments.paper import printed
from experiments.suite.registry import BENCHMARKS, Floor
from pilno_jax.readable_numbers import percent, rounded
from pilno_jax.runs import files

FLOORS = Path(__file__).parents[2] / "results" / "discretisation_floor.json"


def error_that_counts(result: dict[str, Any]) -> dict[str, float]:
    """Errors under the law that the benchmark is judged by, else the run's own."""
    benchmark = BENCHMARKS.get(result.get("config", ""))
    by_law = result.get("relative_l2_by_law", {})
    if benchmark and benchmark.law and benchmark.law.key in by_law:
        return by_law[benchmark.law.key]
    return result["relative_l2"]


def comparisons(result: dict[str, Any]) -> str:
    """Sentences; "" for a run that nothing is comparable with."""
    config, changed = result.get("config", ""), result.get("changes", {})
    if config not in BENCHMARKS or any(name.startswith("problem.") for name in changed):
        return ""
    error = error_that_counts(result)["mean"]
    return " ".join(filter(None, [_paper(config, error), _grid(config, error)]))


def _paper(config: str, error: float) -> str:
    paper = printed.BENCHMARK_ERRORS.get(config)
    if paper is None:
        return "The paper prints no number for this problem."
    more, less = paper.pilno / error, error / paper.pilno
    larger = f"{rounded(more)} times as much"
    compared = larger if more > 1 else f"this run has {rounded(less)} times that"
    return f"The paper prints {percent(paper.pilno)}, {compared}."


def _grid(config: str, error: float) -> str:
    floors = files.read_json(FLOORS)["floors"] if FLOORS.exists() else {}
    if config not in floors or BENCHMARKS[config].floor is Floor.CORRECTED_TRUTH:
        return ""
    least = floors[config]["mean"]
    text = f"Solving the equations of the training grid exactly leaves {percent(least)}"
    if error > least:
        return f"{text}: this run has {rounded(error / least)} times that."
    return f"{text}, more than this run."
