"""Problems of one's own, named by where their factory is: "my_pde:allen_cahn".

my_pde is a module on `sys.path`, which has the folder of the config file, too; and
allen_cahn a function in it that returns a `Problem`, all of whose arguments have names.
"""

import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from pilno_jax.checks import ArgumentError, require
from pilno_jax.problems.base import Problem
from pilno_jax.problems.factories import Factory


def is_own(name: str) -> bool:
    """Whether a problem of that name is the user's, not one of the package."""
    return ":" in name


def own_factory(name: str) -> Factory:
    """The factory that a name such as "my_pde:allen_cahn" stands for.

    Raises:
        ArgumentError: There is no such module or function, it cannot be imported, or
            its arguments have no names. Any other error of the module is a bug in it.
    """
    module_name, _, function = name.partition(":")
    parts = [*module_name.split("."), function]
    allowed = "module:function, as in my_pde:allen_cahn"
    require(all(part.isidentifier() for part in parts), "problem name", name, allowed)
    module = _imported(name, module_name)
    factory: Any = getattr(module, function, None)
    if not isinstance(factory, Callable):
        raise ArgumentError(
            f"problem name = {name!r}: {module.__file__} has no function {function}"
        )
    for argument in inspect.signature(factory).parameters.values():
        is_named = argument.kind in (
            argument.KEYWORD_ONLY,
            argument.POSITIONAL_OR_KEYWORD,
        )
        text = f"arguments of {function} in {module.__file__}"
        require(is_named, text, str(argument), "arguments with names of their own")
    return factory


def made_by(factory: Factory, options: dict[str, Any]) -> Problem:
    """What a user's factory returns, which must be a `Problem`."""
    problem = factory(**options)
    is_problem = isinstance(problem, Problem)
    text = f"{factory.__name__} in {file_of(factory)} returned"
    require(is_problem, text, type(problem).__name__, "a pilno_jax.Problem")
    return problem


def name_of(factory: Factory) -> str:
    """The name of a problem whose factory is at hand, such as one in a config file."""
    file = file_of(factory)
    search_in(file.parent)
    return f"{file.stem}:{factory.__name__}"


def file_of(factory: Factory) -> Path:
    """Where a factory is written."""
    return Path(inspect.getfile(inspect.unwrap(factory))).resolve()


def search_in(folder: Path) -> None:
    """Let modules of a folder be imported, after all that could be before."""
    path = str(folder.resolve())
    if path not in sys.path:
        sys.path.append(path)


def _imported(name: str, module: str) -> ModuleType:
    try:
        spec = importlib.util.find_spec(module)
    except ModuleNotFoundError:  # a package that the name begins with
        spec = None
    if spec is None and module not in sys.modules:
        folders = [Path(path) for path in sys.path if Path(path).is_dir()]
        own = [str(p) for p in folders if not p.is_relative_to(sys.base_prefix)]
        raise ArgumentError(
            f"problem name = {name!r}: there is no file {module.replace('.', '/')}.py "
            f"in {', '.join(own)}"
        )
    try:
        return importlib.import_module(module)
    except (ImportError, SyntaxError) as error:
        where = spec.origin if spec else module
        reason = f"{type(error).__name__}: {error}"
        raise ArgumentError(
            f"problem name = {name!r}: {where} cannot be imported ({reason})"
        ) from error
