"""Documents name things that exist: functions, files, links."""

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]


def resolve(name: str) -> object:
    """The module, or the thing in it, of a dotted name."""
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for part in parts[cut:]:
            found = getattr(found, part)
        return found
    raise ModuleNotFoundError(name)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_dotted_names_exist(page):
    names = re.findall(r"`((?:pilno_jax|configs)(?:\.\w+)+)`", page.read_text())
    assert names or page.name != "equations.md"
    for name in names:
        resolve(name)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#\s]+)\)", page.read_text()):
        if not target.startswith(("http://", "https://", "mailto:")):
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_named_in_code_font_exist(page):
    """`docs/x.md`, `results/x.json` and the like; patterns and runs are left out."""
    pattern = r"`((?:docs|results|configs|experiments|tests|src)/[\w/.-]+\.\w+)`"
    for name in re.findall(pattern, page.read_text()):
        assert (ROOT / name).exists(), name
