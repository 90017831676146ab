"""Labelled sets on disk: seeded, so that making them again would change nothing.

A cache file is an npz (never a pickle) whose name is a digest of everything that
determines its contents, the numerics' source included; a file that is damaged or
does not say what it should is made again, and the log says so.
"""

import hashlib
import json
import logging
import re
import uuid
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from pilno_jax.data.label_key import label_key
from pilno_jax.data.labelled import Data

log = logging.getLogger(__name__)


def cached(
    folder: Path,
    description: dict[str, Any],
    make: Callable[[], Data],
    *shaped_by: Callable[..., Any],
) -> Data:
    """`make()`, or what it gave last time for the same description and source.

    Args:
        folder: Of the cache.
        description: What the data are, as plain JSON.
        make: Makes them.
        *shaped_by: Functions outside this package that shape them, see `label_key`.
    """
    written = json.dumps(label_key(description, *shaped_by), sort_keys=True)
    digest = hashlib.sha256(written.encode()).hexdigest()[:16]
    name = re.sub(r"\W", "_", str(description.get("name", "data")))
    path = folder / f"{name}-{digest}.npz"
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
