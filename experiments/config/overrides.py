"""Flags that change a config: `--config.section.field=value`, read by ml_collections.

Here alone a config is a ConfigDict, made from a RunConfig and turned back into one.
"""

import itertools
import re
from collections.abc import Mapping
from typing import Any

from absl import flags
from ml_collections import ConfigDict, config_dict, config_flags
from ml_collections.config_flags import config_path

from experiments.config.problem_and_model import Named
from experiments.config.schema import RunConfig, settled, value_at
from experiments.config.settings import Section, kinds_of, typed_fields
from pilno_jax.checks import ArgumentError

OVERRIDE = re.compile(r"--?(?:no)?config\.([^=]+)(?:=(.*))?", re.DOTALL)


def parse(
    config: RunConfig, arguments: list[str], values: flags.FlagValues
) -> RunConfig:
    """The config with the changes that the arguments ask for.

    Args:
        config: what the config file gave.
        arguments: all of the command line's but the program and --config=FILE.
        values: the other flags of the program, which are set as well.

    Raises:
        ArgumentError: a flag that is unknown, or whose value is not allowed.
    """
    changeable = as_config_dict(config)
    open_laws(config, changeable, arguments)
    argv = ["", *last_tuples(changeable.to_dict(), arguments)]
    try:
        # Parses the overrides at once, as no --config=FILE is left in argv.
        config_flags.DEFINE_config_dict(
            "config", changeable, flag_values=values, sys_argv=argv
        )
        unexpected = values(argv)[1:]
    except (flags.Error, TypeError, ValueError) as error:
        raise ArgumentError(explain(error, changeable)) from error
    if unexpected:
        text = f"unexpected argument {unexpected[0]!r}: flags start with --"
        raise ArgumentError(text)
    return settled(changeable.to_dict())


def open_laws(config: RunConfig, changeable: ConfigDict, arguments: list[str]) -> None:
    """Fields that may be a number or a pair take the type that the arguments give them.

    Fields of a ConfigDict have one type each, that of their value.
    """
    kinds = _kinds(config.problem)
    laws = {name for name, kind in kinds.items() if {float, tuple} <= kinds_of(kind)}
    problem: Any = changeable.problem
    for argument, following in itertools.pairwise([*arguments, ""]):
        override = OVERRIDE.fullmatch(argument)
        section, _, name = override[1].partition(".") if override else ("", "", "")
        if override and section == "problem" and name in laws:
            text = following if override[2] is None else override[2]
            with changeable.ignore_type():
                problem[name] = (0.0,) if "," in text else 0.0


def last_tuples(sections: Mapping[str, Any], arguments: list[str]) -> list[str]:
    """The arguments with the last value alone of each tuple, as of other fields.

    ml_collections would append one to the other; and it has no one-line error for an
    override of a field that there is not.
    """
    others: list[str] = []
    tuples: dict[str, str] = {}
    remaining = iter(arguments)
    for argument in remaining:
        override = OVERRIDE.fullmatch(argument)
        if override and isinstance(value_at(sections, override[1]), tuple):
            value = next(remaining, "") if override[2] is None else override[2]
            tuples[override[1]] = f"--config.{override[1]}={value}"
        else:
            others.append(argument)
    return [*tuples.values(), *others]


def as_config_dict(config: RunConfig) -> ConfigDict:
    """The same fields with the same types, for flags."""
    return ConfigDict(_settable(config))


def _settable(section: Section) -> dict[str, Any]:
    """A value of None would fix its field's type to NoneType: the type stays open."""
    kinds = _kinds(section)
    values: Mapping[str, Any] = section.to_dict()
    settable = {}
    for name, value in values.items():
        if isinstance(inner := getattr(section, name, None), Section):
            value = _settable(inner)
        elif value is None:
            possible = kinds_of(kinds[name]) - {type(None)}
            kind = possible.pop() if len(possible) == 1 else object
            value = config_dict.placeholder(kind)
        settable[name] = value
    return settable


def _kinds(section: Section) -> dict[str, Any]:
    """The type of each field."""
    if isinstance(section, Named):
        arguments = section.arguments(section.name)
        return {name: argument.kind for name, argument in arguments.items()}
    return {field.name: kind for field, kind in typed_fields(type(section))}


def explain(error: Exception, config: ConfigDict) -> str:
    """One line for a flag that did not parse."""
    text = " ".join(str(error).split())
    flag = re.match(r"flag --config\.([^=]+)=(.*?): ", text)
    if not flag:
        return text
    kind = getattr(config_path.get_type(flag[1], config), "__name__", "another")
    if kind == "ConfigDict":
        return (
            f"{flag[1]} is a section: --config.{flag[1]}.FIELD=... sets a field of it"
        )
    return f"{flag[1]} = {flag[2]!r} is not allowed: expected a value of type {kind}"
