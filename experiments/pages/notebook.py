"""A document as a notebook: its words and its Python blocks, cell by cell."""

import json
import re
from typing import Any

from experiments.pages.run_document import BLOCK

LINK = re.compile(r"\]\((?![a-z]+:|#)([^)]+)\)")
GENERATED = (
    "*Generated from [{source}](../{source}) by `python -m experiments.notebooks`.*"
)


def notebook(text: str, source: str) -> str:
    """The content of an .ipynb file.

    Args:
        text: of the document, in Markdown.
        source: where the document is, from the top of the repository. Its links are
            turned to where they lead from a folder beside `docs/`.
    """
    folder = source.rpartition("/")[0]
    beside = f"../{folder}/" if folder else "../"
    cells, place = [_words(GENERATED.format(source=source))], 0
    for block in BLOCK.finditer(text):
        cells += _prose(text[place : block.start()], beside)
        cells.append(_code(block[1]))
        place = block.end()
    cells += _prose(text[place:], beside)
    numbered = [{"id": f"cell-{k}", **cell} for k, cell in enumerate(cells)]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    content = {
        "cells": numbered,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _prose(text: str, beside: str) -> list[dict[str, Any]]:
    words = LINK.sub(lambda link: f"]({beside}{link[1]})", text).strip()
    return [_words(words)] if words else []


def _words(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": _lines(text)}


def _code(text: str) -> dict[str, Any]:
    empty = {"execution_count": None, "outputs": []}
    return {"cell_type": "code", "metadata": {}, "source": _lines(text), **empty}


def _lines(text: str) -> list[str]:
    return text.strip("\n").splitlines(keepends=True)
