"""Batches as pure functions of (key, step): nothing to save, nothing to restore.

Labelled samples cycle through a set in a new order every epoch. Virtual inputs are
never stored: number i of an ensemble is drawn from the i-th key, whenever it is
needed. A finite ensemble (the paper's) repeats its numbers, an endless one does not.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int, Key

from pilno_jax.problems.base import Problem

Data = dict[str, Any]
Step = int | Int[Array, ""]
BatchFunction = Callable[[Data, Key[Array, ""], Step], dict[str, Any]]

# The two kinds of sample in a batch, and the fields that hold them.
KINDS = {
    "labelled": ("inputs", "labels", "before"),
    "virtual": ("virtual", "virtual_before"),
}


def shuffled(
    key: Key[Array, ""], step: Step, batch: int, total: int
) -> Int[Array, " {batch}"]:
    """The indices of one batch; ceil(total / batch) steps, an epoch, show them all.

    Args:
        key: decides the order of every epoch.
        step: of the training, from 0 on.
        batch: number of indices; above `total` some occur twice.
        total: indices are 0, ..., total - 1.
    """
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
) -> BatchFunction:
    """(data, key, step) -> batch, to be traced into the training step.

    `data` holds the labelled set, {"inputs": ..., "labels": ...}, and a batch what
    `objective` asks for.

    Args:
        problem: draws the virtual inputs.
        num_train: labelled samples in `data`; 0 does without.
        batch_data: labelled samples of a batch; 2 to 4 of a handful of them.
        batch_physics: virtual inputs of a batch; 0 does without. The recipes have 12,
            the paper 50.
        num_virtual: size of the virtual ensemble (the paper's: 1000); None draws fresh
            inputs every step, which cannot be learnt by heart; 0 does without.
    """
    draw = jax.vmap(problem.sample_virtual)

    def batch(data: Data, key: Key[Array, ""], step: Step) -> dict[str, Any]:
        order_key, member_key, virtual_key = jax.random.split(key, 3)
        samples: dict[str, Any] = {}
        if num_train:
            chosen = shuffled(order_key, step, batch_data, num_train)
            samples = jax.tree.map(lambda x: jnp.asarray(x)[chosen], _labelled(data))
        if batch_physics and num_virtual != 0:
            if num_virtual is None:
                members = step * batch_physics + jnp.arange(batch_physics)
            else:
                members = shuffled(member_key, step, batch_physics, num_virtual)
            keys = jax.vmap(lambda i: jax.random.fold_in(virtual_key, i))(members)
            samples = {**samples, "virtual": draw(keys)}
        return samples

    return batch


def divisible(batches: BatchFunction, parts: int) -> BatchFunction:
    """The same batches, padded so that they can be cut into `parts` equal pieces.

    Where a number of samples does not divide, its first samples are repeated at the
    end. `labelled_shares` and `virtual_shares` say how much each sample counts: padding
    has weight 0, real samples padded / count, so that the mean over all pieces is the
    mean over the batch.

    Args:
        batches: the batches, such as `batches` returns.
        parts: devices times pieces of accumulation; a size that it divides needs no
            padding.
    """

    def batch(data: Data, key: Key[Array, ""], step: Step) -> dict[str, Any]:
        samples = dict(batches(data, key, step))
        for kind, fields in KINDS.items():
            if fields[0] not in samples:
                continue
            count = len(jax.tree.leaves(samples[fields[0]])[0])
            padded = -(-count // parts) * parts
            if padded > count:
                samples |= {
                    name: _repeated(samples[name], padded)
                    for name in fields
                    if name in samples
                }
                is_real = jnp.arange(padded) < count
                samples[f"{kind}_shares"] = jnp.where(is_real, padded / count, 0.0)
        return samples

    return batch


def with_fields(
    batches: BatchFunction, predict: Callable[[Any, Any], Any]
) -> BatchFunction:
    """The same batches, with the fields that a later stage corrects.

    Args:
        batches: the batches. `data` also has "frozen", the parameters of `predict`.
        predict: (frozen, inputs) -> u of the stages before, for a batch of inputs. They
            receive no gradient.
    """

    def batch(data: Data, key: Key[Array, ""], step: Step) -> dict[str, Any]:
        samples = dict(batches(data, key, step))
        for inputs, field in (("inputs", "before"), ("virtual", "virtual_before")):
            if inputs in samples:
                fields = predict(data["frozen"], samples[inputs])
                samples[field] = jax.lax.stop_gradient(fields)
        return samples

    return batch


def _labelled(data: Data) -> Data:
    return {name: data[name] for name in ("inputs", "labels")}


def _repeated(samples: Any, count: int) -> Any:
    """`count` samples: those given, from the first again after the last."""
    return jax.tree.map(lambda x: x[jnp.arange(count) % len(x)], samples)
