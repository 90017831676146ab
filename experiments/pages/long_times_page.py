"""The table of docs/systems.md on long times, from results/long_times/*.json."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from experiments.pages import markdown
from experiments.suite.registry import BENCHMARKS
from pilno_jax.runs import files

RESULTS, PAGE = Path("results/long_times"), Path("docs/systems.md")
COMMAND = "python -m experiments.long_times"
SHOWN = (1, 2, 3, 5, 7, 10)  # windows that have a column, as far as there are so many


def write() -> None:
    """Make the table of the page anew."""
    files.write_text(PAGE, page(PAGE.read_text()))


def page(text: str) -> str:
    """The text of the page with its table as the results have it."""
    paths = sorted(RESULTS.glob("*.json"))
    rows = [row for path in paths for row in rows_of(path.stem, files.read_json(path))]
    return markdown.fill(text, COMMAND, markdown.table(rows)) if rows else text


def rows_of(config: str, content: Mapping[str, Any]) -> list[dict[str, str]]:
    """Errors, the operator's own estimates and what a tolerance keeps, by window."""
    windows = [number for number in SHOWN if number <= content["windows"]]

    def row(what: str, values: list[float], form: str) -> dict[str, str]:
        cells = {f"{n} T": format(values[n - 1], form) for n in windows}
        return {"benchmark": BENCHMARKS[config].name, "": what, **cells}

    tolerance = content["tolerance"]
    return [
        row("error", content["error"], ".1e"),
        row("largest", content["largest_error"], ".1e"),
        row("estimate", content["estimate"], ".1e"),
        row(f"kept at {tolerance:g}", content["kept"], ".0%"),
    ]
