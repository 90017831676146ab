"""Batches as pure functions of (key, step): nothing to save, nothing to restore.

Labelled samples cycle through a set in a new order every epoch. Virtual inputs are
never stored: number i of an ensemble is drawn from the i-th key, whenever it is
needed. A finite ensemble (the paper's) repeats its numbers, an endless one does not.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from pilno_jax.checks import require
from pilno_jax.problems.base import Problem

Data = dict[str, Any]
Batches = Callable[[Data, jax.Array, jax.Array], dict[str, Any]]

# The two kinds of sample in a batch, and the fields that hold them.
KINDS = {
    "labelled": ("inputs", "labels", "labelled_times"),
    "virtual": ("virtual", "virtual_times"),
}


def shuffled(key: jax.Array, step: jax.Array, batch: int, total: int) -> jax.Array:
    """The indices of one batch; ceil(total / batch) steps, an epoch, show them all."""
    steps_per_epoch = -(-total // batch)
    epoch, position = jnp.divmod(step, steps_per_epoch)
    order = jax.random.permutation(jax.random.fold_in(key, epoch), total)
    return order[(position * batch + jnp.arange(batch)) % total]


def batches(
    problem: Problem,
    *,
    num_train: int,
    batch_data: int,
    batch_physics: int,
    num_virtual: int | None,
    residual_times: int | None = None,
) -> Batches:
    """(data, key, step) -> batch, to be traced into the training step.

    num_virtual: the size of the virtual ensemble; None draws fresh inputs every step,
    0 (or batch_physics = 0) does without.
    residual_times: at how many times, drawn anew for each sample and step, the residual
    counts; None: at all of them.
    """
    draw = jax.vmap(problem.sample_virtual)
    if residual_times is not None:
        axis = problem.time_axis
        times = 0 if axis is None else problem.grid.shape[axis]
        allowed = f"1 to {times}, the times of the grid; unset without a time axis"
        fits = 1 <= residual_times <= times
        require(fits, "residual_times", residual_times, allowed)

    def some_times(made: dict[str, Any], key: jax.Array) -> dict[str, Any]:
        """For each sample its times, without repetition."""
        found = {}
        for number, (kind, (first, *_)) in enumerate(KINDS.items()):
            if first in made:
                count = len(jax.tree.leaves(made[first])[0])
                keys = jax.random.split(jax.random.fold_in(key, number), count)
                orders = jax.vmap(lambda k: jax.random.permutation(k, times))(keys)
                found[f"{kind}_times"] = orders[:, :residual_times]
        return found

    def batch(data: Data, key: jax.Array, step: jax.Array) -> dict[str, Any]:
        order_key, member_key, virtual_key = jax.random.split(key, 3)
        chosen = shuffled(order_key, step, batch_data, num_train)
        made = jax.tree.map(lambda x: jnp.asarray(x)[chosen], data)
        if batch_physics and num_virtual != 0:
            if num_virtual is None:
                members = step * batch_physics + jnp.arange(batch_physics)
            else:
                members = shuffled(member_key, step, batch_physics, num_virtual)
            keys = jax.vmap(lambda i: jax.random.fold_in(virtual_key, i))(members)
            made = {**made, "virtual": draw(keys)}
        if residual_times is not None:
            times_key = jax.random.fold_in(jax.random.fold_in(key, 3), step)
            made = {**made, **some_times(made, times_key)}
        return made

    return batch


def divisible(batches: Batches, parts: int) -> Batches:
    """The same batches, ready to be cut into `parts` equal pieces.

    What does not divide is filled up with its own first samples, and shares say how
    much each sample counts: nothing for the filling and so much more for the others
    that the mean over all pieces is the mean over the batch.
    """

    def batch(data: Data, key: jax.Array, step: jax.Array) -> dict[str, Any]:
        made = dict(batches(data, key, step))
        for kind, fields in KINDS.items():
            if fields[0] not in made:
                continue
            count = len(jax.tree.leaves(made[fields[0]])[0])
            filled = -(-count // parts) * parts
            if filled > count:
                held = [field for field in fields if field in made]
                made |= {field: _repeated(made[field], filled) for field in held}
                counts = jnp.arange(filled) < count
                made[f"{kind}_shares"] = jnp.where(counts, filled / count, 0.0)
        return made

    return batch


def _repeated(samples: Any, count: int) -> Any:
    """`count` samples: those given, from the first again after the last."""
    return jax.tree.map(lambda x: x[jnp.arange(count) % len(x)], samples)
