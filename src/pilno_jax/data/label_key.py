"""Everything that shapes labels beside a problem's options: code, files, precision.

A key of all of it names the cache file of a labelled set, so that a changed solver, a
changed file of the user's or another precision never meets yesterday's labels.
"""

import ast
import hashlib
import importlib.metadata
import inspect
import sys
import sysconfig
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import jax

PACKAGE = Path(__file__).parents[1]
# Code that is not followed: versions stand for what is installed, and `label_sources`
# for this package. Resolved, because an environment may be a link.
ELSEWHERE = [
    Path(place).resolve()
    for place in (PACKAGE, *map(sysconfig.get_path, ("stdlib", "purelib", "platlib")))
]


def label_key(
    description: Mapping[str, Any], *shaped_by: Callable[..., Any]
) -> dict[str, Any]:
    """The description of a labelled set with all that shapes its numbers, as JSON.

    Args:
        description: Options of the problem, split, count, seed.
        *shaped_by: Functions beside this package that have a hand in it, such as the
            user's own factory: their files count, and those these import in turn.
    """
    own = [Path(inspect.getfile(inspect.unwrap(one))) for one in shaped_by]
    sources = {*label_sources(), *(file for one in own for file in reached_files(one))}
    config = jax.config.values
    return {
        **description,
        "source": digest(sources),
        "files": digest(_named_files(description)),
        "versions": [importlib.metadata.version(name) for name in ("jax", "jaxlib")],
        "precision": str(jax.numpy.result_type(float)),
        "random_bits": [
            config["jax_default_prng_impl"],
            config["jax_threefry_partitionable"],
        ],
    }


def label_sources() -> list[Path]:
    """The files that shape labels: numerics, problems, data sets and their checks."""
    rooms = ("numerics", "problems", "data")
    modules = [path for room in rooms for path in (PACKAGE / room).rglob("*.py")]
    alone = [PACKAGE / "checks.py", PACKAGE / "evaluation" / "newton.py"]
    return sorted([*alone, *modules])


def reached_files(path: Path) -> set[Path]:
    """A Python file and all that it imports, in turn, but for packages.

    Args:
        path: The file. One that is gone, as of code typed in, reaches nothing.
    """
    seen: set[Path] = set()
    left = [path.resolve()]
    while left:
        file = left.pop()
        elsewhere = any(file.is_relative_to(place) for place in ELSEWHERE)
        if file in seen or elsewhere or file.suffix != ".py" or not file.is_file():
            continue
        seen.add(file)
        left += [one.resolve() for one in _imported(file)]
    return seen


def _imported(file: Path) -> Iterator[Path]:
    """The files of the modules that a file names in its import statements."""
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            # What is imported may be a module itself.
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            names.append(f"{node.module}")
        elif isinstance(node, ast.ImportFrom):
            above = file.parents[node.level - 1]
            folder = above.joinpath(*(node.module or "").split("."))
            yield folder.with_suffix(".py")
            yield from (folder / f"{alias.name}.py" for alias in node.names)
            continue
        else:
            continue
        yield from (found for name in names if (found := _file_of(name)))


def _file_of(module: str) -> Path | None:
    """Of a module that is imported, which those of code that has run are."""
    origin = getattr(sys.modules.get(module), "__file__", None)
    return Path(origin) if origin else None


def _named_files(description: Mapping[str, Any]) -> set[Path]:
    """Files that options name, such as a user's arrays."""
    texts = [Path(value) for value in description.values() if isinstance(value, str)]
    return {path for path in texts if path.is_file()}


def digest(files: set[Path]) -> str:
    """Of what all the files hold."""
    contents = (hashlib.sha256(path.read_bytes()).digest() for path in sorted(files))
    return hashlib.sha256(b"".join(contents)).hexdigest()
