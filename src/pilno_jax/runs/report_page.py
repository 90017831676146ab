"""report.html: a run on one page that needs nothing else and fits a telephone."""

import base64
import html
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pilno_jax.problems.statement import Statement
from pilno_jax.runs.files import flatten
from pilno_jax.runs.formulas import mathml, with_formulas

STYLE = """
:root { color-scheme: light dark; --faint: #8886; --soft: #8881; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72em; margin: 1.5em auto;
  padding: 0 1em; }
h1 { font-size: 1.5em; margin: 0; }
h2 { font-size: 1.15em; margin: 2em 0 .4em; border-bottom: 1px solid var(--faint); }
math { font-size: 1.15em; }
.formula { overflow: auto hidden; margin: .3em 0; padding: .2em 0; }
.lead { font-size: 1.1em; }
.pictures { display: grid; gap: 1em; align-items: start;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 30em), 1fr)); }
@media (min-width: 66em) {
  .first { grid-template-columns: 5fr 3fr; }
  .first figure { grid-column: 1; }
  .first figure:nth-child(3) { grid-column: 2; grid-row: 1; }
}
figure { margin: 0; overflow-x: auto; }
img { max-width: 100%; height: auto; background: white; border-radius: 4px; }
.wide { grid-column: 1 / -1; }
figcaption { font-size: .9em; opacity: .8; position: sticky; left: 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .2em 1.2em .2em 0; vertical-align: top; }
tr { border-bottom: 1px solid var(--faint); }
pre { background: var(--soft); padding: .7em; white-space: pre-wrap;
  overflow-wrap: anywhere; }
summary { cursor: pointer; margin: .6em 0; }
@media (max-width: 40em) { figure img { max-width: none; width: 38em; } }
"""
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
{body}
</body>
</html>
"""


def page(title: str, *parts: str) -> str:
    """The whole file.

    Args:
        title: of the browser's window, as plain text.
        parts: of the body, as HTML, in their order.
    """
    return PAGE.format(title=html.escape(title), style=STYLE, body="\n".join(parts))


def heading(title: str, statement: Statement) -> str:
    """What was learned: the title, the equation, its conditions, the map and its law.

    Args:
        title: in words.
        statement: of the problem; parts that are empty are left out.
    """
    formulas = [statement.equation, statement.conditions]
    lines = [f"<h1>{html.escape(title)}</h1>"]
    lines += [f'<div class="formula">{mathml(one)}</div>' for one in formulas if one]
    if statement.learned:
        lines.append(f"<p>Learned: {mathml(statement.learned)}. ")
        lines.append(f"Inputs are {with_formulas(statement.law)}.</p>")
    return "\n".join(lines)


def section(title: str, *parts: str) -> str:
    """A heading with what stands under it; nothing at all where that is empty."""
    body = "\n".join(part for part in parts if part)
    return f"<h2>{html.escape(title)}</h2>\n{body}" if body else ""


def paragraph(text: str, kind: str = "") -> str:
    """Words; a number is not torn from its unit."""
    words = html.escape(text.strip()).replace(" %", "&nbsp;%")
    return f'<p class="{kind}">{words}</p>' if words else ""


def folded(title: str, body: str) -> str:
    """Something that most readers do not want to see, one click away."""
    return f"<details><summary>{html.escape(title)}</summary>\n{body}\n</details>"


def command(text: str) -> str:
    return f"<pre>{html.escape(text)}</pre>"


def table(rows: Sequence[Mapping[str, str]]) -> str:
    """Rows of equal columns, whose names are the first line; "" without any."""
    if not rows:
        return ""
    lines = [_row("th", rows[0])] + [_row("td", row.values()) for row in rows]
    return '<div class="scroll"><table>\n' + "\n".join(lines) + "\n</table></div>"


def fields(content: Mapping[str, Any]) -> str:
    """Everything that a tree of settings or results holds, a row for each value."""
    flat = flatten(dict(content))
    return table([{"name": name, "value": _shown(x)} for name, x in flat.items()])


def pictures(captions: Mapping[Path, str], layout: str = "") -> str:
    """PNG files, inside the page, each over its caption.

    Args:
        captions: of each file.
        layout: "first" puts the third one beside the others where there is room.
            Default: side by side, but for those that are long.
    """
    figures = "\n".join(_picture(path, caption) for path, caption in captions.items())
    return f'<div class="pictures {layout}">\n{figures}\n</div>' if figures else ""


def _row(tag: str, cells: Any) -> str:
    inside = "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells)
    return f"<tr>{inside}</tr>"


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _picture(path: Path, caption: str) -> str:
    content = path.read_bytes()
    encoded = base64.b64encode(content).decode()
    name = html.escape(path.stem.replace("_", " "))
    kind = ' class="wide"' if _proportion(content) > 2.6 else ""
    image = f'<img alt="{name}" src="data:image/png;base64,{encoded}">'
    below = f"<figcaption>{html.escape(caption)}</figcaption>"
    return f"<figure{kind}>{image}{below}</figure>"


def _proportion(png: bytes) -> float:
    """Width over height, which stand at a fixed place of a PNG file."""
    if len(png) < 24:
        return 1.0
    width, height = struct.unpack(">II", png[16:24])
    return width / max(height, 1)
