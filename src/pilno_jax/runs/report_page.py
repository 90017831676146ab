"""report.html: a run on one page that needs nothing else."""

import base64
import html
from pathlib import Path
from typing import Any

from pilno_jax.runs.files import flatten, write_text

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
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
    """One page that needs nothing else: figures are inside, there are no scripts.

    Args:
        path: The file to write.
        result: What result.json holds.
        config: The complete config, for a table of its own.
        figures: PNG files to put in, in this order.
    """
    elsewhere = {"command", "complete_config"}
    text = PAGE.format(
        title=html.escape(
            f"{result['problem']}: {result['model']}, {result['recipe']}"
        ),
        command=html.escape(result["command"]),
        result=_table({k: v for k, v in result.items() if k not in elsewhere}),
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


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _image(path: Path) -> str:
    encoded = base64.b64encode(path.read_bytes()).decode()
    name = html.escape(path.stem.replace("_", " "))
    return f'<p><img alt="{name}" src="data:image/png;base64,{encoded}"></p>'
