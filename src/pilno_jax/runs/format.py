"""The format of config.json and result.json, and how older folders are read.

config.json holds the complete config, a `format_version`, and which code started the
run (`code`). Folders from before format versions have none and are format 1.
Whoever adds a field to the config adds its old behaviour to `ADDED`, and whoever
removes one puts it in `REMOVED`: runs are kept longer than code.
"""

import copy
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pilno_jax.checks import ArgumentError
from pilno_jax.runs import environment, files
from pilno_jax.runs.run_folder import RunFolder

FORMAT_VERSION = 2
# The recipe in folders that `pilno_jax.train` wrote. No config names their problem.
TRAINED_BY_CALL = "train"

# Fields that folders may lack, with the value that does what was done before them.
ADDED = {
    "data.test_file": None,
    "data.train_file": None,
    "data.validation_file": None,
    "matmul_precision": "default",
    "stages.last_applied": 1,
    "stages.steps": (),
    "stages.width": (),
    "train.accumulate": 1,
    "train.start_from": "",
    "weight_shards": 1,
}
# Fields of format 1 that are gone, with the values that did nothing.
REMOVED = {
    "model.lift_width": (None,),
    "model.normalize": (False,),
    "train.polish_steps": (0, None),
    "train.residual_times": (None,),
}
# Options of some problems or networks that folders may lack, with the values that do
# what was done before them.
ADDED_OPTIONS = {
    "model.add_input": (False,),
    "model.activate_last": (True,),
    "model.free_poles": (False,),
    "model.kernel_start": ("by mode",),
    "problem.boundary": ("dirichlet",),
    "problem.boundary_sigma": (0.0,),
    "problem.clustering": (0.0,),
    "problem.ends": ("one_sided",),
    "model.pole_unit": (1.0,),
    "problem.time_accuracy": (6,),
}
# Every field identifies a run but these. Where it is done: it may go on elsewhere.
PLACES = frozenset({"devices", "weight_shards"})
# What does not shape the training: it may be corrected on any run, also a finished one,
# which is then judged again.
CORRECTABLE = frozenset(
    {
        *("evaluation.vary", "evaluation.over", "data.num_test", "data.test_file"),
        *("train.patience", "train.max_skipped_in_a_row"),
    }
)
# Where training ends may be moved further, see `more_steps`.
# Entries of config.json that are no fields of the config.
_HEADER = {"format_version", "code"}


class RunFolderError(ArgumentError):
    """A file of a run folder that cannot be used; the message names it."""


def write_config(folder: Path, config: Mapping[str, Any]) -> None:
    """Write config.json.

    Args:
        folder: The run's folder, which exists.
        config: The complete config: nested dicts of plain values and tuples.
    """
    about = {"format_version": FORMAT_VERSION, "code": environment.source()}
    files.write_json(RunFolder(folder).config, {**about, **config})


def correct_config(folder: Path, config: Mapping[str, Any]) -> None:
    """Write config.json anew; which code started the run stays as it was.

    Args:
        folder: The run's folder, with its config.json.
        config: The complete config, which differs in nothing that identifies a run.
    """
    path = RunFolder(folder).config
    code = _read_object(path).get("code")
    about = {"format_version": FORMAT_VERSION, "code": code}
    files.write_json(path, {**about, **config})


def read_config(folder: Path) -> dict[str, Any]:
    """The config of a run, in today's format whatever code wrote it.

    Args:
        folder: The run's folder.

    Returns:
        Nested dicts of plain values, lists of the file as tuples again.

    Raises:
        FileNotFoundError: There is no config.json.
        RunFolderError: It is damaged, or no config that this version can read.
    """
    path = RunFolder(folder).config
    if not path.is_file():
        raise FileNotFoundError(f"there is no run in {folder}: it has no {path.name}")
    content = _read_object(path)
    try:
        config = upgrade(_with_tuples(content))
    except ValueError as error:
        raise misfit(folder, error) from error
    return {name: value for name, value in config.items() if name not in _HEADER}


def misfit(folder: Path, reason: Exception) -> RunFolderError:
    """The error of a config.json that is whole but asks for what there is not.

    Args:
        folder: The run's folder.
        reason: What was wrong, of any number of lines; one is made of them.
    """
    path, line = RunFolder(folder).config, " ".join(str(reason).split())
    return RunFolderError(f"{path} does not fit this version of pilno_jax: {line}")


def upgrade(config: dict[str, Any]) -> dict[str, Any]:
    """The same config in today's format.

    Args:
        config: What a config.json says, of this format or of an older one.

    Returns:
        A new dict: fields that are new have the value that does what was done before
        them, fields that are gone are left out.

    Raises:
        ValueError: A field that is gone had an effect, or the format is unknown.
    """
    version = config.get("format_version", 1)
    if isinstance(version, bool) or version not in range(1, FORMAT_VERSION + 1):
        known = f"a whole number from 1 to {FORMAT_VERSION}"
        raise ValueError(f"format_version = {version!r} is unknown: expected {known}")
    upgraded = copy.deepcopy(config)
    for section in ("problem", "model"):
        _require_section(section, upgraded.get(section))
    for name, without_effect in REMOVED.items() if version == 1 else ():
        section, field = _section_and_field(upgraded, name)
        if section.get(field, without_effect[0]) not in without_effect:
            text = "this option is gone, an older version has it"
            raise ValueError(f"{name} = {section[field]!r}: {text}")
        section.pop(field, None)
    for name, value in ADDED.items():
        section, field = _section_and_field(upgraded, name)
        section.setdefault(field, value)
    return {**upgraded, "format_version": FORMAT_VERSION}


def differing_fields(stored: Mapping[str, Any], asked: Mapping[str, Any]) -> list[str]:
    """What keeps a folder from being continued with another config; nothing if empty.

    Args:
        stored: The folder's config, as `read_config` gives it.
        asked: The config that was asked for.

    Returns:
        A line such as "seed: 0 there, 7 asked for" for each field in which they differ
        and that identifies a run, sorted.
    """
    return [
        line
        for name, line in all_differences(stored, asked).items()
        if name not in CORRECTABLE and not more_steps(name, stored, asked)
    ]


def more_steps(name: str, stored: Mapping[str, Any], asked: Mapping[str, Any]) -> bool:
    """Whether a field asks for more steps of the last stage, or for further stages.

    Stages before the last stay as long as they are: the later ones were trained on what
    these had become.
    """
    there, here = files.flatten(dict(stored)), files.flatten(dict(asked))
    if name not in ("train.steps", "stages.steps") or name not in there:
        return False
    before, now = there[name], here[name]
    if name == "train.steps":
        return not there.get("stages.steps") and now > before
    if not before:
        return True
    *earlier, last = before
    same = now[: len(earlier)] == earlier and len(now) >= len(before)
    return same and now[len(earlier)] >= last


def all_differences(
    stored: Mapping[str, Any], asked: Mapping[str, Any]
) -> dict[str, str]:
    """A line for every field in which two configs differ, by its name, sorted.

    Args: those of `differing_fields`. Where a run is done makes no difference.
    """
    without_effect = REMOVED | ADDED_OPTIONS
    there, here = (
        {
            name: value
            for name, value in files.flatten(dict(config)).items()
            if value not in without_effect.get(name, ())
        }
        for config in (stored, asked)
    )
    return {
        name: f"{name}: {there.get(name)!r} there, {here.get(name)!r} asked for"
        for name in sorted((there.keys() | here.keys()) - PLACES)
        if there.get(name) != here.get(name)
    }


def result_header(config: Mapping[str, Any]) -> dict[str, Any]:
    """The entries of result.json that say how to read it and what was run.

    Args:
        config: The complete config.
    """
    return {"format_version": FORMAT_VERSION, "complete_config": dict(config)}


def is_result_of(result: Mapping[str, Any], config: Mapping[str, Any]) -> bool:
    """Whether a result is what this very config asks for.

    Args:
        result: What result.json says.
        config: The complete config. Results of the first versions do not say theirs,
            and are taken at their folder's word.
    """
    if "complete_config" not in result:
        return True
    version = {"format_version": result.get("format_version", 1)}
    judged = upgrade({**result["complete_config"], **version})
    del judged["format_version"]
    return not all_differences(judged, config)


def read_result(folder: Path) -> dict[str, Any]:
    """result.json of a run folder, of this format or of an older one.

    Args:
        folder: The folder of a run that has a result.

    Raises:
        RunFolderError: The file is damaged.
    """
    return _read_object(RunFolder(folder).result)


def _read_object(path: Path) -> dict[str, Any]:
    try:
        content = files.read_json(path)
    except ValueError as error:  # no JSON, or not even text
        raise RunFolderError(f"{path} is damaged: {error}") from error
    if not isinstance(content, dict):
        found = type(content).__name__
        raise RunFolderError(f"{path} is damaged: it holds a {found}, not an object")
    return content


def _section_and_field(config: dict[str, Any], name: str) -> tuple[dict[str, Any], str]:
    """The dict that holds the field called "section.field", or "field", and its key."""
    section, _, field = name.rpartition(".")
    if not section:
        return config, field
    return _require_section(section, config.setdefault(section, {})), field


def _require_section(name: str, section: Any) -> dict[str, Any]:
    if not isinstance(section, dict):
        raise ValueError(f"{name} = {section!r}: expected an object with its fields")
    return section


def _with_tuples(value: Any) -> Any:
    """JSON knows lists alone; factories take tuples."""
    if isinstance(value, dict):
        return {name: _with_tuples(item) for name, item in value.items()}
    return tuple(map(_with_tuples, value)) if isinstance(value, list) else value
