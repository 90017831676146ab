"""What a run leaves behind: config.json, metrics.jsonl, result.json, report.html."""

import base64
import html
import importlib.metadata
import json
import math
import os
import platform
import shlex
import sys
from pathlib import Path
from typing import Any

import jax

PACKAGES = ("jax", "jaxlib", "flax", "optax", "orbax-checkpoint", "numpy")


def write_text(path: Path, text: str) -> None:
    """Atomically: a reader sees the old file or the new one, never half of it."""
    partial = path.with_suffix(".partial")
    try:
        partial.write_text(text)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def write_json(path: Path, content: Any) -> None:
    write_text(path, json.dumps(_finite(content), indent=2, allow_nan=False) + "\n")


def _finite(content: Any) -> Any:
    """JSON has no NaN and no infinity: null stands for both."""
    if isinstance(content, dict):
        return {name: _finite(value) for name, value in content.items()}
    if isinstance(content, list | tuple):
        return [_finite(value) for value in content]
    return (
        None if isinstance(content, float) and not math.isfinite(content) else content
    )


def read_json(path: Path) -> Any:
    return json.loads(path.read_text())


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
    return json.dumps(_finite(row), allow_nan=False) + "\n"


def read_metrics(path: Path) -> list[dict[str, Any]]:
    """All whole rows; a last line that was cut off is left out."""
    rows = []
    for line in path.read_text().splitlines() if path.exists() else []:
        try:
            rows.append(json.loads(line))
        except json.JSONDecodeError:
            break
    return rows


def num_cores() -> int:
    """Those this process may use, which can be fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def environment() -> dict[str, Any]:
    """Versions, device and command: what a figure needs beside it."""
    device = jax.devices()[0]
    cores = num_cores()
    shared = f"{cores} core{'' if cores == 1 else 's'}"
    kind = shared if device.platform == "cpu" else device.device_kind
    versions = {name: importlib.metadata.version(name) for name in PACKAGES}
    return {
        "versions": {"python": platform.python_version(), **versions},
        "device": f"{jax.device_count()} x {device.platform} ({kind})",
        "command": shlex.join(["python", "-m", _module(), *sys.argv[1:]]),
    }


def _module() -> str:
    spec = getattr(sys.modules["__main__"], "__spec__", None)
    return spec.name if spec else Path(sys.argv[0]).name


PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<style>
body {{ font: 16px/1.5 sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; }}
table {{ border-collapse: collapse; }}
th, td {{ text-align: left; padding: 0.15em 1em 0.15em 0; vertical-align: top; }}
tr {{ border-bottom: 1px solid #ddd; }}
img {{ max-width: 100%; }}
pre {{ background: #f4f4f4; padding: 0.7em; white-space: pre-wrap; }}
</style>
</head>
<body>
<h1>{title}</h1>
<h2>Command</h2>
<pre>{command}</pre>
<h2>Result</h2>
{result}
<h2>Figures</h2>
{figures}
<h2>Config</h2>
{config}
</body>
</html>
"""


def write_report(
    path: Path, result: dict[str, Any], config: dict[str, Any], figures: list[Path]
) -> None:
    """One page that needs nothing else: figures are inside, there are no scripts."""
    text = PAGE.format(
        title=html.escape(
            f"{result['problem']}: {result['model']}, {result['recipe']}"
        ),
        command=html.escape(result["command"]),
        result=_table({k: v for k, v in result.items() if k != "command"}),
        figures="\n".join(_image(figure) for figure in figures) or "<p>None.</p>",
        config=_table(config),
    )
    write_text(path, text)


def _table(content: dict[str, Any]) -> str:
    rows = "\n".join(
        f"<tr><th>{html.escape(name)}</th><td>{html.escape(_shown(value))}</td></tr>"
        for name, value in flatten(content).items()
    )
    return f"<table>\n{rows}\n</table>"


def flatten(tree: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """{"a": {"b": 1}} -> {"a.b": 1}; tuples become lists, as they do in JSON."""
    flat: dict[str, Any] = {}
    for name, value in tree.items():
        if isinstance(value, dict):
            flat |= flatten(value, f"{prefix}{name}.")
        else:
            flat[prefix + name] = list(value) if isinstance(value, tuple) else value
    return flat


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _image(path: Path) -> str:
    encoded = base64.b64encode(path.read_bytes()).decode()
    name = html.escape(path.stem.replace("_", " "))
    return f'<p><img alt="{name}" src="data:image/png;base64,{encoded}"></p>'
