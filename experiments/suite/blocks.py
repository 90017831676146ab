"""Layers that add their input, against layers that do not: by recipe, on validation."""

from pathlib import Path
from typing import Any

from experiments.suite.run_spec import RunSpec
from pilno_jax.runs import metrics_log
from pilno_jax.runs.run_folder import RunFolder

ADDS = "model.add_input"


def runs(config: str) -> list[RunSpec]:
    """The recipe in stages without and with the sum."""
    return [RunSpec(config, "staged").but({ADDS: adds}) for adds in (False, True)]


def row_of(run: RunSpec, root: Path) -> dict[str, Any] | None:
    """Validation errors of the first network and of all stages, of a finished run.

    Args:
        run: one of `runs`.
        root: where it lives.
    """
    if not (result := run.result(root)):
        return None
    rows = metrics_log.read_metrics(RunFolder(run.workdir(root)).metrics)
    first = [row["validation"] for row in rows if _is_first(row)]
    return {
        "config": run.config,
        "adds_input": dict(run.changes)[ADDS],
        "first_network": min(first),
        "in_stages": result["validation"],
        "seed": result["seed"],
        "seconds": result["wall_clock_seconds"],
        "run_command": result["command"],
        "code": result["code"],
        "device": result["device"],
    }


def _is_first(row: dict[str, Any]) -> bool:
    return row.get("stage", 1) == 1 and "validation" in row
