"""One mesh with a `data` axis: the same training step on one device or on many."""

import jax
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec

from pilno_jax.checks import require


def data_mesh(count: int) -> Mesh:
    """The first `count` devices in a row; one device is the trivial mesh."""
    found = jax.devices()
    allowed = f"1 to {len(found)}, the devices of this {found[0].platform} back end"
    require(1 <= count <= len(found), "devices", count, allowed)
    # Auto axes: the partitioner, not the program, decides how values are laid out.
    return jax.make_mesh(
        (count,), ("data",), axis_types=(AxisType.Auto,), devices=found[:count]
    )


def replicated(mesh: Mesh) -> NamedSharding:
    return NamedSharding(mesh, PartitionSpec())


def split_batch(mesh: Mesh, tree):
    """Inside a step: the leading axis of every array spread over the mesh."""
    if mesh.size == 1:
        return tree
    return jax.lax.with_sharding_constraint(
        tree, NamedSharding(mesh, PartitionSpec("data"))
    )
