"""Labelled sets: drawn, solved, seeded and cached. Nothing is ever downloaded.

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

import jax
import numpy as np

from pilno_jax.precision import in_precision
from pilno_jax.problems.base import Problem

Data = dict[str, Any]
Report = Callable[[int, int], None]
log = logging.getLogger(__name__)


def generate(
    problem: Problem,
    key: jax.Array,
    count: int,
    chunk: int = 25,
    report: Report = lambda done, total: None,
) -> Data:
    """`count` labelled samples, {"inputs": ..., "labels": u}, on the problem's grid.

    Sample i depends on key and i alone: the first 25 of 200 are the 25 of 25. A
    problem with several families takes them in turn.
    """
    strata = problem.strata or (problem.sample,)
    keys = jax.vmap(lambda i: jax.random.fold_in(key, i))(np.arange(count))
    solve = jax.jit(jax.vmap(in_precision(problem.solve, "float32")))
    draws = [jax.jit(jax.vmap(law)) for law in strata]
    inputs = jax.tree.map(
        lambda *parts: _interleave([np.asarray(part) for part in parts], count),
        *[draw(keys[first :: len(strata)]) for first, draw in enumerate(draws)],
    )
    solutions = []
    for start in range(0, count, chunk):
        part = jax.tree.map(lambda x, s=start: x[s : s + chunk], inputs)
        solutions.append(np.asarray(solve(part)))
        report(min(start + chunk, count), count)
    return {"inputs": inputs, "labels": np.concatenate(solutions)}


def _interleave(parts: list[np.ndarray], count: int) -> np.ndarray:
    whole = np.empty((count, *parts[0].shape[1:]), parts[0].dtype)
    for first, part in enumerate(parts):
        whole[first :: len(parts)] = part
    return whole


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
    """Of every module that samples or solves: a changed solver has no old cache."""
    here = Path(__file__).parent
    numerics = [
        here / f"{name}.py"
        for name in ("data", "derivatives", "grids", "random_fields", "time_stepping")
    ]
    sources = sorted([*numerics, *(here / "problems").glob("*.py")])
    return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()
