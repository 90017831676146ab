"""The workdir of a run before and while it is written to.

Whose it is, whether it can be written to, and one type of error when it cannot.
"""

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import jax

from experiments.config.schema import RunConfig
from pilno_jax import training
from pilno_jax.checks import ArgumentError
from pilno_jax.runs.checkpoints import Checkpoints
from pilno_jax.runs.format import differing_fields, read_config
from pilno_jax.runs.run_folder import RunFolder


def require_same_config(folder: RunFolder, config: RunConfig) -> None:
    """The folder is new or this config's; if not, the error says what differs."""
    if not folder.config.is_file():
        return
    differences = differing_fields(read_config(folder.path), config.to_dict())
    if differences:
        listed = "; ".join(differences)
        raise ArgumentError(f"{folder.path} belongs to another config ({listed})")


def require_writable(*paths: Path) -> None:
    """Make these folders; an OSError now rather than after the data have been made."""
    for path in paths:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path) as probe:
            probe.write(b"\0" * 4096)


def require_space(folder: RunFolder, state: training.State) -> None:
    """The three checkpoints that are kept and the one being written must fit."""
    arrays = jax.tree.leaves(state._replace(key=jax.random.key_data(state.key)))
    needed = 4e-6 * sum(leaf.nbytes for leaf in arrays)
    free = 1e-6 * shutil.disk_usage(folder.path).free
    if free < needed:
        text = f"{folder.path} has {free:.0f} MB free, checkpoints need {needed:.0f} MB"
        raise OSError(text)


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
