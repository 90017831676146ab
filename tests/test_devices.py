"""One mesh for one device or many."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pilno_jax import devices


def test_one_device_is_the_trivial_mesh():
    mesh = devices.data_mesh(1)
    assert mesh.size == 1 and mesh.axis_names == ("data",)
    batch = {"a": jnp.arange(4.0)}
    assert devices.split_batch(mesh, batch) is batch


def test_indexing_works_under_the_mesh():
    """Explicit axes, the default of jax.make_mesh, raise here."""
    mesh = devices.data_mesh(1)
    placed = jax.device_put(jnp.arange(4.0), devices.replicated(mesh))
    found = jax.jit(lambda x: x.at[0].set(9.0)[jnp.array([0, 2])])(placed)
    np.testing.assert_array_equal(found, [9.0, 2.0])


@pytest.mark.parametrize("count", [0, 1 + jax.device_count()])
def test_devices_that_are_not_there_are_refused(count):
    with pytest.raises(ValueError, match=f"devices = {count}.*1 to"):
        devices.data_mesh(count)
