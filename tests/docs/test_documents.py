"""Documents name things that exist: functions, files, links."""

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]


def exists(name: str) -> bool:
    """Whether a dotted name is a module, or something in one.

    A module itself is looked for without running it: commands define flags when they
    are imported, and two of them in one process may define the same.
    """
    module, _, last = name.rpartition(".")
    if not module:
        return importlib.util.find_spec(name) is not None
    if not exists(module):
        return False
    try:
        if importlib.util.find_spec(name) is not None:
            return True
    except ModuleNotFoundError:  # `module` is no package, but a class, say
        pass
    return hasattr(thing(module), last)


def thing(name: str) -> object:
    """The module of a dotted name, or what it names in one."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        module, _, last = name.rpartition(".")
        return getattr(thing(module), last)


def test_names_are_looked_up():
    assert exists("pilno_jax.models") and exists("pilno_jax.models.FNO.__call__")
    assert exists("experiments.reproduce") and not exists("experiments.nothing")
    assert not exists("pilno_jax.models.FNO.nothing") and not exists("nothing.at.all")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_dotted_names_exist(page):
    rooms = "pilno_jax|experiments|configs|benchmarks"
    names = re.findall(rf"`((?:{rooms})(?:\.\w+)+)`", page.read_text())
    assert names or page.name != "equations.md"
    for name in names:
        assert exists(name), name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#\s]+)\)", page.read_text()):
        if not target.startswith(("http://", "https://", "mailto:")):
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_named_in_code_font_exist(page):
    """`docs/x.md`, `results/x.json` and the like; patterns and runs are left out."""
    rooms = "docs|results|configs|experiments|benchmarks|tests|src|jobs"
    pattern = rf"`((?:{rooms})/[\w/.-]+\.\w+)`"
    for name in re.findall(pattern, page.read_text()):
        assert (ROOT / name).exists(), name
