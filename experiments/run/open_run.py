"""A trained run for the commands that use one; errors are one line."""

import sys

from absl import app, logging

import pilno_jax


def silence_orbax() -> None:
    """Orbax logs every file it reads, and logs errors before it raises them."""
    logging.set_verbosity(logging.FATAL)


def open_run(workdir: str) -> pilno_jax.TrainedRun:
    """The run in `workdir`, or the end of the program with the reason."""
    silence_orbax()
    try:
        return pilno_jax.load(workdir)
    except (FileNotFoundError, ValueError) as error:
        sys.exit(f"error: {error}")


def flags_only(arguments: list[str]) -> None:
    if len(arguments) > 1:
        raise app.UsageError(f"unknown arguments {arguments[1:]}: only flags are taken")
