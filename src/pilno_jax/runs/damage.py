"""Checkpoints that are not what was saved: how that is noticed, and told in a line."""

import contextlib
import hashlib
import logging
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np


class DamagedCheckpoint(ValueError):
    """A checkpoint that cannot be read, or whose bytes are not those saved."""


@contextlib.contextmanager
def damage_told(step: int) -> Iterator[None]:
    """Orbax answers damage with errors of many types and many lines: make them one."""
    try:
        with orbax_quiet():
            yield
    except Exception as error:
        reason = next(iter(str(error).strip().splitlines()), "")[:120]
        text = f"checkpoint {step} cannot be used ({type(error).__name__}: {reason})"
        raise DamagedCheckpoint(text) from error


@contextlib.contextmanager
def orbax_quiet() -> Iterator[None]:
    """Orbax logs every error in full before it raises it, and more on the way."""
    logger = logging.getLogger("absl")
    level = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(level)


def digest(tree: Any) -> str | None:
    """Of all bytes of a tree; None where this process has but a part of them.

    Orbax notices files that are cut off, and a changed byte in some of them alone.
    """
    leaves = jax.tree.leaves(tree)
    if not all(leaf.is_fully_addressable for leaf in leaves):
        return None
    hashed = hashlib.sha256()
    for leaf in leaves:
        hashed.update(np.ascontiguousarray(leaf).tobytes())
    return hashed.hexdigest()


def require_digest(tree: Any, expected: str | None) -> None:
    """An error unless a tree has that digest; without one, anything will do."""
    if expected is not None and digest(tree) not in (None, expected):
        raise ValueError("its sha256 is not that of what was saved")
