"""metrics.jsonl: what a training run measured, one JSON object a line."""

import json
from pathlib import Path
from typing import Any

from pilno_jax.runs.files import finite_or_null, write_text


class MetricsLog:
    """Rows of metrics.jsonl, one JSON object a line."""

    def __init__(self, path: Path, resume_step: int):
        self.path = path
        kept = [row for row in read_metrics(path) if row["step"] <= resume_step]
        # Rows past the checkpoint will be written again by the resumed run.
        write_text(path, "".join(_line(row) for row in kept))

    def append(self, row: dict[str, Any]) -> None:
        with self.path.open("a") as file:
            file.write(_line(row))


def _line(row: dict[str, Any]) -> str:
    return json.dumps(finite_or_null(row), allow_nan=False) + "\n"


def read_metrics(path: Path) -> list[dict[str, Any]]:
    """All whole rows; a last line that was cut off is left out."""
    rows = []
    for line in path.read_text().splitlines() if path.exists() else []:
        try:
            rows.append(json.loads(line))
        except json.JSONDecodeError:
            break
    return rows
