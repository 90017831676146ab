"""The layering of docs/design.md, a sentence for each package, read off the imports."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "src" / "pilno_jax"
FILES = {
    ".".join(("pilno_jax", *path.relative_to(PACKAGE).with_suffix("").parts)): path
    for path in sorted(PACKAGE.rglob("*.py"))
}
# What each package may import of the others; checks.py is everybody's.
MAY_IMPORT = {
    "numerics": (),
    "problems": ("numerics",),
    "models": ("numerics",),
    "operators": ("numerics", "problems"),
    "training": ("numerics", "problems", "operators"),
    "evaluation": ("numerics", "problems", "operators", "training"),
    "data": ("numerics", "problems", "evaluation"),
    "plotting": ("numerics", "problems", "models", "evaluation"),
    "runs": (
        *("numerics", "problems", "models", "operators"),
        *("training", "evaluation", "data"),
    ),
}
every_module = pytest.mark.parametrize("module", FILES)


def imports(module):
    """The modules that a module names in its import statements, wherever they are.

    `from a import b` names both `a` and `a.b`, since b may be a module.
    """
    named = set()
    for node in ast.walk(ast.parse(FILES[module].read_text())):
        if isinstance(node, ast.Import):
            named |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0 and node.module, f"{module}: a relative import"
            named |= {f"{node.module}.{alias.name}" for alias in node.names}
            named.add(node.module)
    return named


def within(names, *packages):
    return {n for n in names if any(n == p or n.startswith(p + ".") for p in packages)}


def packages_of(names):
    """The packages of the library that these modules are in."""
    parts = [name.split(".") for name in within(names, "pilno_jax")]
    return {part[1] for part in parts if len(part) > 1} & MAY_IMPORT.keys()


def test_every_folder_has_its_sentence():
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert folders == MAY_IMPORT.keys()
    assert "jax.numpy" in imports("pilno_jax.numerics.grids")


@every_module
def test_packages_import_in_one_direction(module):
    _, package, *_ = (*module.split("."), "")
    if package in MAY_IMPORT:
        allowed = {package, *MAY_IMPORT[package]}
        assert packages_of(imports(module)) <= allowed


@pytest.mark.parametrize("module", [m for m in FILES if ".numerics." in m])
def test_numerics_know_arrays_only(module):
    known = ("jax", "jaxtyping", "numpy", *sys.stdlib_module_names)
    own = ("pilno_jax.numerics", "pilno_jax.checks")
    named = imports(module) - {"pilno_jax"}
    assert named == within(named, *known, *own)


@every_module
def test_the_library_knows_no_entry_point(module):
    outer = "experiments", "configs", "benchmarks", "tests", "absl", "ml_collections"
    assert not within(imports(module), *outer)


@every_module
def test_only_plotting_draws(module):
    if not within({module}, "pilno_jax.plotting"):
        assert not within(imports(module), "matplotlib")


def test_importing_the_library_is_quick():
    """JAX and Flax take a second together, Orbax and matplotlib one each.

    Names are imported when they are asked for; who only predicts needs not all.
    """
    code = """
import sys, time
start = time.process_time()
import pilno_jax
seconds = time.process_time() - start
before = {name.split(".")[0] for name in sys.modules}
for name in (*pilno_jax.__all__, *pilno_jax._MODULES):
    if name != "plotting":
        getattr(pilno_jax, name)
after = {name.split(".")[0] for name in sys.modules}
print(seconds, *before & {"jax", "flax"}, "then", *after & {"orbax", "matplotlib"})
"""
    command = [sys.executable, "-c", code]
    answer = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds, *imported = answer.stdout.split()
    assert float(seconds) < 0.7 and imported == ["then"]
