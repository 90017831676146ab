"""A trained run for the commands that use one; errors are one line."""

from absl import logging

import pilno_jax
from pilno_jax.checks import ArgumentError


def silence_orbax() -> None:
    """Orbax logs every file it reads, and logs errors before it raises them."""
    logging.set_verbosity(logging.FATAL)


def open_run(workdir: str) -> pilno_jax.TrainedRun:
    """The run in `workdir`; that there is none is the user's slip."""
    silence_orbax()
    try:
        return pilno_jax.load(workdir)
    except FileNotFoundError as error:
        raise ArgumentError(f"workdir: {error}") from error
