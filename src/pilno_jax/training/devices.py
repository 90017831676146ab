"""One mesh: the same training step on one device or on many.

The devices of the mesh share the batch. Those along its `model` axis also share the
mixing weights, their moments and their average, by output channel: each device stores a
part and gathers the whole array while it is used. All other parameters are small, and
every device has a copy.

Several processes run the same program, each with devices of its own; arrays that span
the mesh are then global, and whatever uses them must be done by every process. One of
them, the main process, writes what is written once.
"""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec

from pilno_jax.checks import require
from pilno_jax.operators import Params, Predict, is_mixing_weight
from pilno_jax.training.objective import Batch, Loss

AXES = ("data", "model")


def device_mesh(count: int, weight_shards: int = 1) -> Mesh:
    """The first `count` devices of every process; one in all is the trivial mesh.

    Args:
        count: devices of each process.
        weight_shards: over how many of them the mixing weights are split, a divisor of
            `count`. 1 unless parameters and moments do not fit on one device.
    """
    local = jax.local_devices()
    allowed = f"1 to {len(local)}, the devices of this {local[0].platform} back end"
    require(1 <= count <= len(local), "devices", count, allowed)
    divides = weight_shards >= 1 and count % weight_shards == 0
    allowed = f"a divisor of devices = {count}"
    require(divides, "weight_shards", weight_shards, allowed)
    processes = range(jax.process_count())
    chosen = [d for p in processes for d in jax.local_devices(process_index=p)[:count]]
    # Auto axes: the partitioner, not the program, decides how values are laid out.
    return jax.make_mesh(
        (len(chosen) // weight_shards, weight_shards),
        AXES,
        axis_types=(AxisType.Auto, AxisType.Auto),
        devices=chosen,
    )


def replicate(tree: Any, mesh: Mesh) -> Any:
    """Arrays that every process has, and keys, on every device of the mesh."""
    return jax.tree.map(lambda x: _put(x, mesh, PartitionSpec()), tree)


def shard_state(state: Any, mesh: Mesh) -> Any:
    """A training state on the mesh: mixing weights split, the rest replicated."""
    return jax.tree_util.tree_map_with_path(
        lambda path, x: _put(x, mesh, _spec(path, x, mesh)), state
    )


def state_on_mesh(shapes: Any, mesh: Mesh) -> Any:
    """Shapes and dtypes of a training state, with the places of `shard_state`."""

    def placed(path: Sequence[Any], x: Any) -> jax.ShapeDtypeStruct:
        sharding = NamedSharding(mesh, _spec(path, x, mesh))
        return jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=sharding)

    return jax.tree_util.tree_map_with_path(placed, shapes)


def _put(x: Any, mesh: Mesh, spec: PartitionSpec) -> jax.Array:
    sharding = NamedSharding(mesh, spec)
    if jax.process_count() == 1:
        return jax.device_put(x, sharding)
    # Across processes only plain values of the host can be placed.
    if jnp.issubdtype(x.dtype, jax.dtypes.prng_key):
        data = _put(jax.random.key_data(x), mesh, spec)
        return jax.random.wrap_key_data(data, impl=jax.random.key_impl(x))
    return jax.device_put(np.asarray(x), sharding)


def _spec(path: Sequence[Any], x: Any, mesh: Mesh) -> PartitionSpec:
    """How a parameter, or the optimiser's moment of it, lies on the mesh."""
    shards = mesh.shape["model"]
    if shards == 1 or not is_mixing_weight(path, x):
        return PartitionSpec()
    channels = x.shape[-1]
    allowed = f"a divisor of the {channels} channels of the mixing weights"
    require(channels % shards == 0, "weight_shards", shards, allowed)
    return PartitionSpec(*(None for _ in x.shape[1:]), "model")


def over_devices(loss: Loss, mesh: Mesh) -> Loss:
    """The same function, each device seeing its share of the batch.

    Shares are equal, so that the mean of the devices' means is the batch's. Left to
    itself the partitioner gathers the batch on every device, because inside the network
    the batch is not the leading axis.

    Args:
        loss: (params, batch) -> (total, terms), each a mean over the batch's samples.
        mesh: the number of its devices divides every batch: see `batches.divisible`.
    """
    if mesh.size == 1:
        return loss

    def whole(x: jax.Array, spec: PartitionSpec) -> jax.Array:
        # pcast marks the parameters as varying between devices, so that JAX sums their
        # gradients over the devices once, at the end, instead of at every use. The
        # gradient of a gathered weight is scattered again: each device has its part's.
        if "model" in spec:
            x = jax.lax.pcast(x, "data", to="varying")
            return jax.lax.all_gather(x, "model", axis=x.ndim - 1, tiled=True)
        return jax.lax.pcast(x, AXES, to="varying")

    def mean_of_shares(params: Params, batch: Batch):
        specs = jax.tree_util.tree_map_with_path(
            lambda path, x: _spec(path, x, mesh), params
        )

        def on_one_device(params: Params, batch: Batch):
            gathered = jax.tree.map(whole, params, specs)
            return jax.lax.pmean(loss(gathered, batch), AXES)

        return jax.shard_map(
            on_one_device,
            mesh=mesh,
            in_specs=(specs, PartitionSpec(AXES)),
            out_specs=PartitionSpec(),
        )(params, batch)

    return mean_of_shares


def sharing_samples(predict: Predict, mesh: Mesh) -> Predict:
    """The same function of (params, inputs), each device with a share of the inputs.

    Args:
        predict: (params, batch of inputs) -> a batch of fields.
        mesh: the number of its devices divides the batch.
    """
    if mesh.size == 1:
        return predict
    return jax.shard_map(
        predict,
        mesh=mesh,
        in_specs=(PartitionSpec(), PartitionSpec(AXES)),
        out_specs=PartitionSpec(AXES),
    )


def is_main_process() -> bool:
    """Whether this process is the one that writes files and prints."""
    return jax.process_index() == 0


def any_process(fact: bool) -> bool:
    """Whether `fact` holds in any process; all have to ask at the same moment."""
    if jax.process_count() == 1:
        return fact
    return bool(multihost_utils.process_allgather(np.array(fact)).any())


def to_host_local(tree: Any, mesh: Mesh) -> Any:
    """Arrays of the mesh as whole arrays on one device of this process."""
    if mesh.shape["model"] > 1:
        everywhere = NamedSharding(mesh, PartitionSpec())
        tree = jax.jit(lambda x: x, out_shardings=everywhere)(tree)
    return jax.tree.map(lambda x: x.addressable_data(0), tree)
