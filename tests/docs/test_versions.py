"""What the documents say of versions is what the package and CI install."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def plain(name):
    """A package's name as pip compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def table():
    """package -> (oldest allowed, below, tested) of docs/installation.md."""
    text = (ROOT / "docs" / "installation.md").read_text()
    rows = re.findall(r"^\| `([\w-]+)` \|(.*)\|(.*)\|(.*)\|$", text, re.MULTILINE)
    return {name: [cell.strip() for cell in cells] for name, *cells in rows}


def test_the_table_has_every_requirement():
    required = {}
    for requirement in PROJECT["dependencies"]:
        name, oldest, below = re.fullmatch(
            r"([\w-]+)>=([\d.]+)(?:,<([\d.]+))?", requirement
        ).groups(default="")
        required[name] = [oldest, below]
    assert {name: cells[:2] for name, cells in table().items()} == required


def test_tested_is_what_the_constraints_say():
    pins = (ROOT / "constraints.txt").read_text().split()
    tested = {plain(name): pin for name, pin in (line.split("==") for line in pins)}
    for name, (_, _, version) in table().items():
        assert version == tested[plain(name)], name


@pytest.mark.parametrize("file", ["CITATION.cff", "CHANGELOG.md"])
def test_one_version_everywhere(file):
    pattern = {"CITATION.cff": r"^version: (.+)$", "CHANGELOG.md": r"^## (\S+)"}[file]
    stated = re.search(pattern, (ROOT / file).read_text(), re.MULTILINE)
    assert stated and stated[1] == PROJECT["version"]


def test_every_extra_is_explained():
    text = (ROOT / "docs" / "installation.md").read_text()
    for extra in PROJECT["optional-dependencies"]:
        assert f"| `{extra}` |" in text
