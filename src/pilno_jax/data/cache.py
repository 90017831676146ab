"""Labelled sets on disk: seeded, so that making them again would change nothing.

A cache file is an npz (never a pickle) whose name is a digest of everything that
determines its contents, the numerics' source included; a file that is damaged or
does not say what it should is made again, and the log says so.
"""

import functools
import hashlib
import json
import logging
import uuid
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from pilno_jax.data.labelled import Data

log = logging.getLogger(__name__)


def cached(folder: Path, description: dict[str, Any], make: Callable[[], Data]) -> Data:
    """`make()`, or what it gave last time for the same description and source."""
    written = json.dumps({**description, "source": _source_digest()}, sort_keys=True)
    digest = hashlib.sha256(written.encode()).hexdigest()[:16]
    path = folder / f"{description.get('name', 'data')}-{digest}.npz"
    if path.exists():
        try:
            return _read(path, written)
        except (OSError, ValueError, KeyError, zipfile.BadZipFile) as problem:
            log.warning("cache %s is unusable (%s): making it again", path, problem)
    made = make()
    folder.mkdir(parents=True, exist_ok=True)
    # Processes of several machines may make the same file at the same time.
    partial = path.with_suffix(f".{uuid.uuid4().hex}.tmp.npz")
    try:
        fields: dict[str, Any] = {"description": np.array(written), **_flat(made)}
        np.savez(partial, **fields)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    return made


def _flat(data: Data) -> dict[str, np.ndarray]:
    fields = {f"inputs/{name}": value for name, value in data["inputs"].items()}
    return {**fields, "labels": data["labels"]}


def _read(path: Path, written: str) -> Data:
    # The archive's own checksums are verified as each array is read.
    with np.load(path, allow_pickle=False) as archive:
        if str(archive["description"]) != written:
            raise ValueError("it describes other data")
        names = [name for name in archive.files if name.startswith("inputs/")]
        inputs = {name.removeprefix("inputs/"): archive[name] for name in names}
        return {"inputs": inputs, "labels": archive["labels"]}


@functools.lru_cache
def _source_digest() -> str:
    """Of every module that sampling or solving can reach, so that a changed solver
    never meets yesterday's labels."""
    return hashlib.sha256(b"".join(p.read_bytes() for p in label_sources())).hexdigest()


def label_sources() -> list[Path]:
    """The files that shape labels: numerics, problems, data sets and their checks."""
    package = Path(__file__).parents[1]
    rooms = ("numerics", "problems", "data")
    modules = [path for room in rooms for path in (package / room).rglob("*.py")]
    return sorted([package / "checks.py", *modules])
