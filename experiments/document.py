"""Run the Python blocks of a document, one after the other, as one program:

python -m experiments.document docs/inverse_problem.md STEPS=5000

`NAME=VALUE` replaces the value of an assignment `NAME = ...`, for a longer run than the
document's own. Figures and files go to the current folder.
"""

import ast
from pathlib import Path

from absl import app

from experiments.pages import run_document


def main(arguments: list[str]) -> None:
    if len(arguments) < 2:
        raise app.UsageError("which document? docs/your_own_pde.md, say")
    pairs = [argument.partition("=") for argument in arguments[2:]]
    values = {name: ast.literal_eval(value) for name, _, value in pairs}
    run_document.run(Path(arguments[1]), values)


if __name__ == "__main__":
    app.run(main)
