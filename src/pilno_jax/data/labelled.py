"""Labelled sets: drawn, solved, seeded and cached. Nothing is ever downloaded.

A cache file is an npz (never a pickle) whose name is a digest of everything that
determines its contents, the numerics' source included; a file that is damaged or
does not say what it should is made again, and the log says so.
"""

import logging
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from pilno_jax.checks import require
from pilno_jax.evaluation.newton import newton
from pilno_jax.numerics.precision import in_precision
from pilno_jax.problems.base import Inputs, Problem

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
    problem with several families takes them in turn. Labels of a problem without a
    solver are zeros of its residual.

    Raises:
        ArgumentError: A solution is not finite, the count is negative, or the key is
            none.
    """
    require(count >= 0, "count", count, "at least 0")
    is_key = isinstance(key, jax.Array)
    require(is_key, "key", key, "a key of JAX, such as jax.random.key(0)")
    strata = problem.strata or (problem.sample,)
    keys = jax.vmap(lambda i: jax.random.fold_in(key, i))(np.arange(count))
    solve = _reference(problem)
    draws = [jax.jit(jax.vmap(law)) for law in strata]
    inputs = jax.tree.map(
        lambda *parts: _interleave([np.asarray(part) for part in parts], count),
        *[draw(keys[first :: len(strata)]) for first, draw in enumerate(draws)],
    )
    solutions = []
    for start in range(0, count, chunk):
        part = jax.tree.map(lambda x, s=start: x[s : s + chunk], inputs)
        solutions.append(solve(part))
        report(min(start + chunk, count), count)
    if not solutions:
        solutions = [np.zeros((0, *problem.shape), np.float32)]
    labels = np.concatenate(solutions)
    bad = np.flatnonzero(~np.isfinite(labels).all(axis=tuple(range(1, labels.ndim))))
    found = f"NaN or infinite for {bad.size} of {count} samples: {bad[:5].tolist()}"
    require(not bad.size, f"solution of {problem.name!r}", found, "finite numbers")
    return {"inputs": inputs, "labels": labels}


def _reference(problem: Problem) -> Callable[[Inputs], np.ndarray]:
    """A batch of inputs -> their solutions, by the problem's solver or by Newton."""
    if problem.solve is None:
        by_newton, precision = newton(problem), jnp.result_type(float)
        return lambda inputs: by_newton(inputs).u.astype(precision)
    solve = jax.jit(jax.vmap(in_precision(problem.solve, "float32")))
    return lambda inputs: np.asarray(solve(inputs))


def _interleave(parts: list[np.ndarray], count: int) -> np.ndarray:
    whole = np.empty((count, *parts[0].shape[1:]), parts[0].dtype)
    for first, part in enumerate(parts):
        whole[first :: len(parts)] = part
    return whole
