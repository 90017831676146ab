"""The config that a command line asks for; a slip becomes a ValueError of one line.

ml_collections would parse the file while the flag is being defined and answer an
unknown field or a missing file with a traceback: hence this pass before it.
"""

import re
import runpy
import textwrap
from pathlib import Path
from typing import Any

from ml_collections import ConfigDict
from ml_collections.config_flags import config_path

OVERRIDE = re.compile(r"--?(?:no)?config\.([^=]+)(?:=(.*))?", re.DOTALL)


def split_config(arguments: list[str], default: str) -> tuple[str, list[str]]:
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


def read_config(chosen: str) -> ConfigDict:
    """The config of `FILE` or `FILE:recipe`. The file is Python and is executed."""
    path, _, recipe = chosen.partition(":")
    if not Path(path).is_file():
        there = sorted(str(p) for p in Path("configs").glob("[!_]*.py"))
        raise ValueError(f"config = {path!r} is not allowed: expected a file, {there}")
    try:
        get_config = runpy.run_path(path)["get_config"]
        return (get_config(recipe) if recipe else get_config()).lock()
    except Exception as error:  # whatever the file does
        reason = " ".join(str(error).split())
        kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
        raise ValueError(f"config = {chosen!r}: {kind}{reason}") from error


def check_overrides(config: ConfigDict, arguments: list[str]) -> None:
    """Every `--config.section.field=...` names a field that the config has."""
    for argument in arguments:
        if not (found := OVERRIDE.fullmatch(argument)):
            continue
        section: Any = config
        for name in found[1].split("."):
            known = list(section) if isinstance(section, ConfigDict) else []
            if name not in known:
                text = f"{found[1]} is no field of the config"
                raise ValueError(f"{text}: expected one of {sorted(known)}")
            section = section[name]


def explain(error: Exception, config: ConfigDict) -> str:
    """One line for a flag that did not parse."""
    text = " ".join(str(error).split())
    found = re.match(r"flag --config\.([^=]+)=(.*?): ", text)
    if not found:
        return text
    kind = getattr(config_path.get_type(found[1], config), "__name__", "another")
    return f"{found[1]} = {found[2]!r} is not allowed: expected a value of type {kind}"


def help_text(module: str, description: str, flags: dict[str, str], config) -> str:
    """What one needs to start, continue and change a run."""
    fill = textwrap.TextWrapper(86, initial_indent="    ", subsequent_indent="        ")
    sections = {k: v for k, v in config.items() if isinstance(v, ConfigDict)}
    fields = [name for name in config if name not in sections]
    named = [fill.fill(f"{', '.join(sorted(fields))}")]
    named += [
        fill.fill(f"{name}.{{{', '.join(sorted(section))}}}")
        for name, section in sorted(sections.items())
    ]
    lines = [
        description.strip(),
        "",
        f"usage: python -m {module} [flags] [--config.FIELD=VALUE ...]",
        "",
        *(f"    {f'--{name}':16}{text}" for name, text in flags.items()),
        "",
        "Started again with the same workdir, a run resumes; a finished one says so.",
        "Config fields (--print_config shows their values):",
        "",
        *named,
        "",
        "exit code: 0 done, 1 failed, 2 wrong config, 3 diverged, 75 interrupted:",
        "the same command resumes.",
    ]
    return "\n".join(lines)
