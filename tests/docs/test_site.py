"""The site's own pages; that links lead somewhere is what `make docs` checks."""

import importlib.util
import inspect
from pathlib import Path

import pytest

from pilno_jax import models

pytest.importorskip("mkdocs")
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def pages():
    """docs/site_pages.py, which lies in no package."""
    spec = importlib.util.spec_from_file_location(
        "site_pages", ROOT / "docs" / "site_pages.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_links_of_the_repository_become_links_of_the_site(pages):
    assert pages.site_links("[a](docs/speed.md#x)") == "[a](speed.md#x)"
    assert pages.site_links("[a](../CONTRIBUTING.md)") == "[a](contributing.md)"
    assert pages.site_links("[a](../results/b.json)") == "[a](results/b.json)"
    assert pages.site_links("[a](https://b.c/docs/d)") == "[a](https://b.c/docs/d)"


def test_every_public_module_is_on_one_page(pages):
    texts = [pages.library_page(), *map(pages.package_page, pages.packages())]
    lines = [line for text in texts for line in text.splitlines()]
    for path in sorted(pages.PACKAGE.rglob("*.py")):
        parts = path.relative_to(pages.PACKAGE.parent).with_suffix("").parts
        name = ".".join(part for part in parts if part != "__init__")
        assert lines.count(f"::: {name}") == 1, name


def test_a_package_shows_what_its_own_file_defines(pages):
    """`make` is written in the package's file; `burgers` has a module of its own."""
    _, options = pages.package_page("problems").split("\n::: ")[1].splitlines()[:2]
    assert "make" in options and "burgers" not in options


def test_flax_modules_have_the_signature_that_flax_gives_them():
    griffe = pytest.importorskip("griffe")
    extension = griffe.load_extensions(ROOT / "docs" / "flax_modules.py")
    library = griffe.load(
        "pilno_jax", search_paths=[ROOT / "src"], extensions=extension
    )
    for name in ("ALNO", "FNO", "LNO", "DeepOMamba"):
        described = library[f"models.{name}"].target.parameters
        fields = [parameter.name for parameter in described][1:]
        actual = inspect.signature(getattr(models, name)).parameters
        assert fields == [field for field in actual if field not in ("parent", "name")]
