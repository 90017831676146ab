"""Which files of the user's a run was trained on, noticed when they change."""

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pilno_jax.checks import ArgumentError
from pilno_jax.data.label_key import digest, reached_files
from pilno_jax.problems import factory_of
from pilno_jax.problems.own import file_of, is_own, search_in
from pilno_jax.runs import files
from pilno_jax.runs.run_folder import RunFolder


def record(folder: RunFolder, problem: Mapping[str, Any]) -> None:
    """Write down where a user's own problem is and what its files hold.

    Args:
        folder: of the run, which exists.
        problem: the section of its config. Of a problem of the package nothing is
            written: the commit in config.json tells its code.
    """
    if is_own(problem["name"]):
        files.write_json(folder.own_problem, _present(problem))


def find(folder: RunFolder) -> None:
    """Let the module of a run's own problem be imported from where it was."""
    if folder.own_problem.exists():
        search_in(Path(files.read_json(folder.own_problem)["file"]).parent)


def is_bug(folder: RunFolder, error: Exception) -> bool:
    """Whether an error may be that of a user's file, to be shown as it is."""
    return folder.own_problem.exists() and not isinstance(error, ArgumentError)


def change(folder: RunFolder, problem: Mapping[str, Any]) -> str:
    """A line that says which file is not what a run was trained on; else nothing."""
    if not (folder.own_problem.exists() and is_own(problem["name"])):
        return ""
    before, now = files.read_json(folder.own_problem), _present(problem)
    if before["sha256"] == now["sha256"]:
        return ""
    return (
        f"{now['file']}, or a file that it imports, has changed since the run in "
        f"{folder.path} began"
    )


def require_unchanged(folder: RunFolder, problem: Mapping[str, Any]) -> None:
    """Half a training on one equation and half on another is of neither."""
    if changed := change(folder, problem):
        text = "undo that, or choose another --workdir"
        raise ArgumentError(f"{changed}: {text}")


def warn_if_changed(folder: RunFolder, problem: Mapping[str, Any]) -> None:
    """The parameters are those of the old file; the equation is that of the new."""
    if changed := change(folder, problem):
        warnings.warn(f"{changed}: its parameters may not fit", stacklevel=3)


def _present(problem: Mapping[str, Any]) -> dict[str, str]:
    file = file_of(factory_of(problem["name"]))
    return {"file": str(file), "sha256": digest(reached_files(file))}
