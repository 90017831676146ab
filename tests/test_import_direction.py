"""The layering of docs/design.md, read off the import statements."""

import ast
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "src" / "pilno_jax"
NUMERICS = {
    f"pilno_jax.{name}"
    for name in (
        "bases",
        "checks",
        "derivatives",
        "grids",
        "random_fields",
        "sine_transform",
        "time_stepping",
    )
}
FILES = {
    ".".join(("pilno_jax", *path.relative_to(PACKAGE).with_suffix("").parts)): path
    for path in sorted(PACKAGE.rglob("*.py"))
}
every_module = pytest.mark.parametrize("module", FILES)


def imports(module):
    """The modules that a module names in its import statements, wherever they are.

    `from a import b` names both `a` and `a.b`, since b may be a module.
    """
    found = set()
    for node in ast.walk(ast.parse(FILES[module].read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0 and node.module, f"{module}: a relative import"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
            found.add(node.module)
    return found


def within(names, *packages):
    return {n for n in names if any(n == p or n.startswith(p + ".") for p in packages)}


def test_the_files_are_found():
    assert set(FILES) >= NUMERICS | {"pilno_jax.problems.base"}
    assert "jax" in imports("pilno_jax.grids")


@pytest.mark.parametrize("module", sorted(NUMERICS))
def test_numerics_know_arrays_and_each_other_only(module):
    found = imports(module)
    allowed = within(found, "jax", "numpy", *sys.stdlib_module_names, *NUMERICS)
    assert found - {"pilno_jax"} == allowed - {"pilno_jax"}


@every_module
def test_problems_and_models_never_meet(module):
    layers = "pilno_jax.problems", "pilno_jax.models"
    for here, there in (layers, layers[::-1]):
        if within({module}, here):
            assert not within(imports(module), there)


@every_module
def test_the_library_knows_no_entry_point(module):
    outer = "experiments", "configs", "benchmarks", "tests", "absl", "ml_collections"
    assert not within(imports(module), *outer)


@every_module
def test_only_plotting_draws(module):
    if not within({module}, "pilno_jax.plotting"):
        assert not within(imports(module), "matplotlib")
