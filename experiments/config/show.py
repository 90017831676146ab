"""A config as people read it: its values with their meanings, and the help text."""

import dataclasses
import json
import textwrap
from collections.abc import Mapping
from typing import Any

from experiments.config.problem_and_model import Named
from experiments.config.schema import RunConfig
from experiments.config.settings import Range, Section, is_section, typed_fields

WIDTH = 88
WIDEST_VALUE = 40  # columns; meanings stand to the right of them


def printed(config: RunConfig) -> str:
    """Every field with its value and, in a comment, its meaning: a TOML file."""
    top = [f for f in dataclasses.fields(config) if f.name not in sections_of(config)]
    values = {field.name: getattr(config, field.name) for field in top}
    lines = ["# --config.SECTION.FIELD=VALUE changes a field.", ""]
    lines += _lines(values, meanings(config))
    for name, section in sections_of(config).items():
        lines += ["", f"[{name}]  # {meanings(config)[name]}"]
        lines += _lines(section.to_dict(), meanings(section))
    return "\n".join(lines)


def sections_of(config: RunConfig) -> dict[str, Section]:
    """The sections of a config by name, in the order of declaration."""
    values = {f.name: getattr(config, f.name) for f in dataclasses.fields(config)}
    return {k: v for k, v in values.items() if isinstance(v, Section)}


def meanings(section: Section) -> dict[str, str]:
    """What each field means; of a problem or model, what its docstring says."""
    if isinstance(section, Named):
        arguments = section.arguments(section.name)
        named = {"name": f"Which {section.section_name}; the rest are its arguments."}
        return named | {name: argument.meaning for name, argument in arguments.items()}
    return {f.name: _meaning(f.metadata) for f in dataclasses.fields(section)}


def _meaning(metadata: Mapping[str, Any]) -> str:
    """The sentence of a field, with its choices where it has some."""
    allowed: Range | None = metadata.get("allowed")
    if not (allowed and allowed.choices):
        return metadata["meaning"]
    return f"{metadata['meaning']} One of {', '.join(allowed.choices)}."


def _lines(values: Mapping[str, Any], meanings: Mapping[str, str]) -> list[str]:
    settings = {
        # TOML has no null: a field without a value is a comment.
        name: f"# {name} is not set" if value is None else f"{name} = {text}"
        for name, value in values.items()
        for text in [json.dumps(value)]  # TOML writes all the others as JSON does
    }
    column = min(max(map(len, settings.values())), WIDEST_VALUE)
    lines = []
    for name, text in settings.items():
        comments = textwrap.wrap(meanings[name], WIDTH - column - 4)
        if comments and len(text) > column:
            lines.append(text)
            text = ""
        first, *others = comments or [""]
        lines.append(f"{text:{column}}  # {first}" if first else text)
        lines += [f"{'':{column}}  # {comment}" for comment in others]
    return lines


def fields_of(section: type[Section]) -> dict[str, Any]:
    """The names of a section's fields, with those of the sections in it."""
    if issubclass(section, Named):
        return dict.fromkeys(("name", "others of what it names"))
    return {
        field.name: fields_of(kind) if is_section(kind) else None
        for field, kind in typed_fields(section)
    }


def help_text(
    module: str,
    description: str,
    flags: Mapping[str, str],
    fields: Mapping[str, Any],
    endings: str,
) -> str:
    """What one needs to start, continue and change a run.

    Args:
        module: as in `python -m module`.
        description: what it does.
        flags: its flags and their meanings.
        fields: those of its config, sections as dicts of theirs.
        endings: its exit codes and their meanings.
    """
    fill = textwrap.TextWrapper(86, initial_indent="    ", subsequent_indent="        ")
    sections = {k: v for k, v in fields.items() if isinstance(v, Mapping)}
    named = [fill.fill(", ".join(sorted(fields.keys() - sections.keys())))]
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
        "Config fields (--print_config shows their values and what they mean):",
        "",
        *named,
        "",
        f"exit code: {endings}:",
        "the same command resumes.",
    ]
    return "\n".join(lines)
