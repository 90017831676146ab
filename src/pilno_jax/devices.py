"""One mesh with a `data` axis: the same training step on one device or on many.

Several processes run the same program, each with devices of its own; arrays that span
the mesh are then global, and whatever uses them must be done by every process. One of
them, which `leads`, writes what is written once.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec

from pilno_jax.checks import require
from pilno_jax.objective import Batch, Loss, Params


def data_mesh(count: int) -> Mesh:
    """The first `count` devices of every process; one in all is the trivial mesh."""
    found = jax.local_devices()
    allowed = f"1 to {len(found)}, the devices of this {found[0].platform} back end"
    require(1 <= count <= len(found), "devices", count, allowed)
    processes = range(jax.process_count())
    chosen = [d for p in processes for d in jax.local_devices(process_index=p)[:count]]
    # Auto axes: the partitioner, not the program, decides how values are laid out.
    return jax.make_mesh(
        (len(chosen),), ("data",), axis_types=(AxisType.Auto,), devices=chosen
    )


def replicated(mesh: Mesh) -> NamedSharding:
    return NamedSharding(mesh, PartitionSpec())


def replicate(tree: Any, mesh: Mesh) -> Any:
    """Arrays that every process has, and keys, on every device of the mesh."""
    if jax.process_count() == 1:
        return jax.device_put(tree, replicated(mesh))

    def place(x: Any) -> jax.Array:
        # Across processes only plain values of the host can be placed.
        if jnp.issubdtype(x.dtype, jax.dtypes.prng_key):
            data = place(jax.random.key_data(x))
            return jax.random.wrap_key_data(data, impl=jax.random.key_impl(x))
        return jax.device_put(np.asarray(x), replicated(mesh))

    return jax.tree.map(place, tree)


def over_devices(loss: Loss, mesh: Mesh) -> Loss:
    """The same function, each device seeing its share of the batch.

    Equal shares, so that the mean of the devices' means is the batch's: see
    `batches.divisible`. Left to itself the partitioner gathers the batch on every
    device, because inside the network the batch is not the leading axis.
    """
    if mesh.size == 1:
        return loss

    def mean_of_shares(params: Params, batch: Batch):
        # Told here that devices will differ in what they do with the parameters, JAX
        # adds up the finished gradients, once; otherwise it would at every use.
        params = jax.lax.pcast(params, "data", to="varying")
        return jax.lax.pmean(loss(params, batch), "data")

    return jax.shard_map(
        mean_of_shares,
        mesh=mesh,
        in_specs=(PartitionSpec(), PartitionSpec("data")),
        out_specs=PartitionSpec(),
    )


def leads() -> bool:
    """Whether this process is the one that writes and talks."""
    return jax.process_index() == 0


def anywhere(fact: bool) -> bool:
    """Whether it holds in any process; all have to ask at the same moment."""
    if jax.process_count() == 1:
        return fact
    return bool(multihost_utils.process_allgather(np.array(fact)).any())


def local(tree: Any) -> Any:
    """Replicated arrays as this process' own, on one device."""
    return jax.tree.map(lambda x: x.addressable_data(0), tree)
