"""The config file that a command line names."""

import inspect
import runpy
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ml_collections import ConfigDict

from experiments.config.schema import RunConfig
from pilno_jax.checks import ArgumentError
from pilno_jax.problems.own import search_in


class BrokenConfigFile(Exception):
    """An error inside a config file that no check of ours has raised: its cause."""


def split_config(arguments: list[str], default: str = "") -> tuple[str, list[str]]:
    """The value of `--config=FILE` or `--config FILE`, and the other arguments."""
    chosen, others = default, []
    remaining = iter(arguments)
    for argument in remaining:
        name, has_value, value = argument.partition("=")
        if name in ("--config", "-config"):
            chosen = value if has_value else next(remaining, "")
        else:
            others.append(argument)
    return chosen, others


def read_config(chosen: str) -> RunConfig:
    """The config of `FILE` or `FILE:recipe`. The file is Python and is executed.

    An `ArgumentError` says what is wrong with it; a `BrokenConfigFile` is a bug in it.
    """
    path, _, recipe = chosen.partition(":")
    if not Path(path).is_file():
        known = sorted(str(p) for p in Path("configs").glob("[!_]*.py"))
        text = f"config = {path!r} is not allowed: expected a file, {known}"
        raise ArgumentError(text)
    try:
        search_in(Path(path).parent)
        get_config = runpy.run_path(path).get("get_config")
        return _called(get_config, [recipe] if recipe else [])
    except ArgumentError as error:
        raise ArgumentError(f"config = {chosen!r}: {error}") from error
    except Exception as error:  # whatever the file does
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise BrokenConfigFile(f"config = {chosen!r}: {reason}") from error


def _called(get_config: Any, recipe: list[str]) -> RunConfig:
    if not isinstance(get_config, Callable):
        raise ArgumentError("the file has no function get_config")
    try:
        inspect.signature(get_config).bind(*recipe)
    except TypeError:
        wanted = "no recipe" if recipe else "a recipe, as in FILE:recipe"
        raise ArgumentError(f"its function get_config takes {wanted}") from None
    return as_run_config(get_config(*recipe))


def as_run_config(config: Any) -> RunConfig:
    """What a config file may return: a RunConfig, or the same fields as a dict."""
    if isinstance(config, RunConfig):
        return config
    if isinstance(config, ConfigDict):
        config = config.to_dict()
    if not isinstance(config, Mapping):
        kind = type(config).__name__
        raise ArgumentError(f"get_config returned {kind}: expected a RunConfig")
    return RunConfig.from_dict(config)
