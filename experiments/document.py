"""Run the Python blocks of a document, one after the other, as one program:

python -m experiments.document docs/inverse_problem.md STEPS=5000

`NAME=VALUE` replaces the value of an assignment `NAME = ...`, for a longer run than the
document's own. Figures and files go to the current folder.
"""

import ast
import re
from pathlib import Path
from typing import Any

from absl import app

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def program(text: str) -> str:
    """The code of the blocks, every line where it stands in the document."""
    kept = ["\n"] * len(text.splitlines())
    for block in BLOCK.finditer(text):
        first = text.count("\n", 0, block.start(1))
        for index, line in enumerate(block[1].splitlines(keepends=True)):
            kept[first + index] = line
    return "".join(kept)


def run(path: Path, values: dict[str, Any] | None = None) -> dict[str, Any]:
    """What the names of the program stand for once it has run."""
    tree = ast.parse(program(path.read_text()), filename=str(path))
    wanted = dict(values or {})
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if name in wanted:
                node.value = ast.copy_location(
                    ast.Constant(wanted.pop(name)), node.value
                )
    if wanted:
        raise ValueError(f"{sorted(wanted)} are not assigned in {path}")
    names: dict[str, Any] = {"__name__": path.stem}
    exec(compile(tree, str(path), "exec"), names)
    return names


def main(arguments: list[str]) -> None:
    if len(arguments) < 2:
        raise app.UsageError("which document? docs/your_own_pde.md, say")
    pairs = [argument.partition("=") for argument in arguments[2:]]
    run(Path(arguments[1]), {name: ast.literal_eval(value) for name, _, value in pairs})


if __name__ == "__main__":
    app.run(main)
