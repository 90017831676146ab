"""The Python blocks of a document, run one after the other as one program."""

import ast
import re
from pathlib import Path
from typing import Any

from pilno_jax.checks import ArgumentError

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def program(text: str) -> str:
    """The code of the blocks, every line where it stands in the document."""
    lines = ["\n"] * len(text.splitlines())
    for block in BLOCK.finditer(text):
        first = text.count("\n", 0, block.start(1))
        for index, line in enumerate(block[1].splitlines(keepends=True)):
            lines[first + index] = line
    return "".join(lines)


def run(path: Path, values: dict[str, Any] | None = None) -> dict[str, Any]:
    """What the names of the program stand for once it has run.

    Args:
        path: a Markdown file with Python blocks.
        values: for names that the program assigns, what to assign instead.
    """
    tree = ast.parse(program(path.read_text()), filename=str(path))
    replaced = dict(values or {})
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if name in replaced:
                node.value = ast.copy_location(
                    ast.Constant(replaced.pop(name)), node.value
                )
    if replaced:
        raise ArgumentError(f"{sorted(replaced)} are not assigned in {path}")
    names: dict[str, Any] = {"__name__": path.stem}
    exec(compile(tree, str(path), "exec"), names)
    return names
