"""JSON files, read and written so that nobody ever sees half of one."""

import json
import math
from pathlib import Path
from typing import Any


def write_text(path: Path, text: str) -> None:
    """Atomically: a reader sees the old file or the new one, never half of it."""
    partial = path.with_suffix(".partial")
    try:
        partial.write_text(text)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def write_json(path: Path, content: Any) -> None:
    write_text(
        path, json.dumps(finite_or_null(content), indent=2, allow_nan=False) + "\n"
    )


def finite_or_null(content: Any) -> Any:
    """JSON has no NaN and no infinity: null stands for both."""
    if isinstance(content, dict):
        return {name: finite_or_null(value) for name, value in content.items()}
    if isinstance(content, list | tuple):
        return [finite_or_null(value) for value in content]
    return (
        None if isinstance(content, float) and not math.isfinite(content) else content
    )


def read_json(path: Path) -> Any:
    return json.loads(path.read_text())


def flatten(tree: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """{"a": {"b": 1}} -> {"a.b": 1}; tuples become lists, as they do in JSON."""
    flat: dict[str, Any] = {}
    for name, value in tree.items():
        if isinstance(value, dict):
            flat |= flatten(value, f"{prefix}{name}.")
        else:
            flat[prefix + name] = list(value) if isinstance(value, tuple) else value
    return flat
