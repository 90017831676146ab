"""The workdir of a run before and while it is written to.

Whose it is, whether its checkpoints fit, and one type of error when they do not.
"""

import contextlib
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import jax

from experiments.config.schema import RunConfig
from experiments.run.own_sets import own_files
from pilno_jax import training
from pilno_jax.checks import ArgumentError
from pilno_jax.runs import own_data, own_problem
from pilno_jax.runs.checkpoints import Checkpoints
from pilno_jax.runs.format import (
    all_differences,
    correct_config,
    differing_fields,
    is_result_of,
    read_config,
    read_result,
    write_config,
)
from pilno_jax.runs.run_folder import RunFolder

Say = Callable[[str], None]


def require_same_config(folder: RunFolder, config: RunConfig) -> None:
    """The folder is new or this config's; if not, the error says what differs."""
    if not folder.config.is_file():
        return
    differences = differing_fields(read_config(folder.path), config.to_dict())
    if differences:
        listed = "; ".join(differences)
        raise ArgumentError(f"{folder.path} belongs to another config ({listed})")
    own_problem.require_unchanged(folder, config.problem.to_dict())
    own_data.require_unchanged(folder, own_files(config))


def require_space(folder: RunFolder, state: training.State) -> None:
    """The three checkpoints that are kept and the one being written must fit."""
    arrays = jax.tree.leaves(state._replace(key=jax.random.key_data(state.key)))
    needed = 4e-6 * sum(leaf.nbytes for leaf in arrays)
    free = 1e-6 * shutil.disk_usage(folder.path).free
    if free < needed:
        text = f"{folder.path} has {free:.0f} MB free, checkpoints need {needed:.0f} MB"
        raise OSError(text)


def settle_config(folder: RunFolder, config: RunConfig, say: Say) -> None:
    """Write config.json, or what was corrected in it, which a line names."""
    if not folder.config.exists():
        own_problem.record(folder, config.problem.to_dict())
        own_data.record(folder, own_files(config))
        write_config(folder.path, config.to_dict())
        return
    corrected = all_differences(read_config(folder.path), config.to_dict())
    if corrected:
        say(f"changed in this run: {'; '.join(corrected.values())}")
        own_data.record(folder, own_files(config))
        correct_config(folder.path, config.to_dict())


def result_of(folder: RunFolder, config: RunConfig) -> dict[str, Any] | None:
    """The result in the folder, if it is there and of this very config.

    Args:
        folder: of the run.
        config: of the run's last stage, which results are written with.
    """
    result = read_result(folder.path) if folder.result.exists() else None
    if result is not None and is_result_of(result, config.to_dict()):
        return result
    return None


@contextlib.contextmanager
def disk_errors(folder: RunFolder) -> Iterator[None]:
    """Orbax answers a full disk with errors of many types: make them an OSError."""
    try:
        yield
    except OSError:
        raise
    except Exception as error:
        reason = str(error).strip().splitlines()[:1]
        text = f"checkpoint in {folder.path}: {type(error).__name__} {''.join(reason)}"
        raise OSError(text) from error


@contextlib.contextmanager
def opened_checkpoints(folder: RunFolder, stage: int = 1) -> Iterator[Checkpoints]:
    """A stage's checkpoints, closed whatever happens; a failed write is an OSError."""
    with disk_errors(folder):
        checkpoints = Checkpoints(folder.checkpoints_of(stage))
    try:
        yield checkpoints
    finally:
        with disk_errors(folder), checkpoints:
            pass  # leaving it waits for what is being written, and closes
