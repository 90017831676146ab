"""Run the Python blocks of a document, one after the other, as one program:

python -m experiments.document docs/inverse_problem.md STEPS=5000

`NAME=VALUE` replaces the value of an assignment `NAME = ...`, for a longer run than the
document's own. Figures and files go to the current folder.
"""

import ast
from pathlib import Path
from typing import Any

from experiments.pages import run_document
from experiments.run.command import run_command
from pilno_jax.checks import ArgumentError, require


def main(words: list[str]) -> None:
    if not words:
        raise ArgumentError("which document? docs/your_own_pde.md, say")
    document, *pairs = words
    require(Path(document).is_file(), "document", document, "a Markdown file")
    run_document.run(Path(document), dict(map(assignment, pairs)))


def assignment(word: str) -> tuple[str, Any]:
    """("STEPS", 5000) of "STEPS=5000"."""
    name, _, value = word.partition("=")
    try:
        return name, ast.literal_eval(value)
    except (SyntaxError, ValueError):
        text = f"{word!r} is not allowed: expected NAME=VALUE, a Python literal"
        raise ArgumentError(text) from None


if __name__ == "__main__":
    run_command(main, takes_words=True)
