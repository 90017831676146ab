"""Tables of the generated pages, and of written ones between two marks."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    columns = list(dict.fromkeys(column for row in rows for column in row))
    lines = [_line(columns), _line("---" for _ in columns)]
    lines += [_line(cell(row.get(column)) for column in columns) for row in rows]
    return "\n".join(lines)


def fill(text: str, command: str, table: str) -> str:
    """`text` with the table between the mark that names `command` and the next end."""
    start, end = f"<!-- made by {command} -->", "<!-- end -->"
    before, opened, rest = text.partition(start)
    _, closed, after = rest.partition(end)
    if not (opened and closed):
        raise ValueError(f"the page lacks {start} and, behind it, {end}")
    return f"{before}{start}\n{table}\n{end}{after}"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def cell(value: Any) -> str:
    """Errors in powers of ten, counts and seconds as people write them."""
    if value is None:
        return ""
    if isinstance(value, Mapping):
        several = f" ± {value['std']:.1e}" if value["seeds"] > 1 else ""
        return f"{value['mean']:.2e}{several}"
    if isinstance(value, float):
        if value >= 1000:
            return f"{value:.0f}"
        return f"{value:.2e}" if value < 0.5 else f"{value:.4g}"
    return str(value)
