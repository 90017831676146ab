"""What a run leaves behind: config.json, metrics.jsonl, result.json."""

import importlib.metadata
import json
import platform
import sys
from pathlib import Path
from typing import Any

import jax

PACKAGES = ("jax", "jaxlib", "flax", "optax", "orbax-checkpoint", "numpy")


def write_json(path: Path, content: Any) -> None:
    """Atomically: a reader sees the old file or the new one, never half of it."""
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(content, indent=2) + "\n")
    partial.replace(path)


def read_json(path: Path) -> Any:
    return json.loads(path.read_text())


class MetricsLog:
    """Rows of metrics.jsonl, one JSON object a line."""

    def __init__(self, path: Path, resume_step: int):
        self._path = path
        kept = [row for row in read_metrics(path) if row["step"] <= resume_step]
        # Rows past the checkpoint will be written again by the resumed run.
        path.write_text("".join(json.dumps(row) + "\n" for row in kept))

    def append(self, row: dict[str, Any]) -> None:
        with self._path.open("a") as file:
            file.write(json.dumps(row) + "\n")


def read_metrics(path: Path) -> list[dict[str, Any]]:
    """All whole rows; a last line that was cut off is left out."""
    rows = []
    for line in path.read_text().splitlines() if path.exists() else []:
        try:
            rows.append(json.loads(line))
        except json.JSONDecodeError:
            break
    return rows


def environment() -> dict[str, Any]:
    """Versions, device and command: what a figure needs beside it."""
    device = jax.devices()[0]
    versions = {name: importlib.metadata.version(name) for name in PACKAGES}
    return {
        "versions": {"python": platform.python_version(), **versions},
        "device": f"{jax.device_count()} x {device.platform} ({device.device_kind})",
        "command": " ".join(["python", "-m", _module(), *sys.argv[1:]]),
    }


def _module() -> str:
    spec = getattr(sys.modules["__main__"], "__spec__", None)
    return spec.name if spec else Path(sys.argv[0]).name
