"""Notebooks are their documents: the same words, the same program."""

import json
import re
from pathlib import Path

import pytest

from experiments import notebooks
from experiments.pages import run_document
from experiments.pages.notebook import notebook


@pytest.mark.parametrize("name", notebooks.DOCUMENTS)
def test_they_are_in_step_with_the_documents(name):
    path = notebooks.FOLDER / f"{name}.ipynb"
    again = "run python -m experiments.notebooks"
    assert path.read_text() == notebooks.content(name), again
    cells = json.loads(path.read_text())["cells"]
    code = ["".join(c["source"]) for c in cells if c["cell_type"] == "code"]
    document = (notebooks.ROOT / "docs" / f"{name}.md").read_text()
    lines = run_document.program(document).split()
    assert "\n".join(code).split() == lines and lines


def test_every_document_that_is_run_is_one():
    tests = (Path(__file__).parent / "test_document_code.py").read_text()
    called = set(re.findall(r'= run\("(\w+)\.md"', tests))
    assert called == set(notebooks.DOCUMENTS)


def test_links_lead_where_they_did():
    text = "[a](b.md#c) [d](https://e) ![f](figures/g.png)\n\n```python\nx = 1\n```\n"
    cells = json.loads(notebook(text, "docs/h.md"))["cells"]
    (words,) = cells[1]["source"]
    assert words == "[a](../docs/b.md#c) [d](https://e) ![f](../docs/figures/g.png)"
    assert cells[2]["source"] == ["x = 1"]
