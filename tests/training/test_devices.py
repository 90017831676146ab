"""One mesh for one device or many, and the same training on all of them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pilno_jax.training import devices


@pytest.fixture(scope="module")
def trained():
    """Records of 1, 2, 4 devices, of 2 with two pieces each, and of 4 of which 2 and 4
    share the weights: see four_devices.py."""
    script = Path(__file__).with_name("four_devices.py")
    # Double precision: what differs between layouts is then far below any mistake.
    settings = {"JAX_NUM_CPU_DEVICES": "4", "JAX_ENABLE_X64": "1"}
    # The script shares toy.py with the tests, which is one folder up.
    path = [str(script.parents[1]), os.environ.get("PYTHONPATH", "")]
    settings["PYTHONPATH"] = os.pathsep.join(filter(None, path))
    done = subprocess.run(
        [sys.executable, script],
        env=os.environ | settings,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_every_number_of_devices_trains_alike(trained):
    """Each term's trajectory, though the batch has to be filled up."""
    one, *others = (record["terms"] for record in trained)
    for other in others:
        for name, values in one.items():
            # Sums in another order, 1e-16, which 20 steps of Adam multiply; a sample
            # counted twice or left out would be 1e-1.
            found = other[name]
            np.testing.assert_allclose(found, values, rtol=1e-9, err_msg=name)
    assert one["loss"][-1] < one["loss"][0]


def test_the_work_is_split_and_the_gradient_is_reduced_once(trained):
    one, two, four, pieces, *_ = trained
    # 10 samples on one device, 4 + 8 on several; only the optimiser's few operations
    # per parameter are done by all.
    assert two["flops"] < 0.65 * one["flops"]
    assert four["flops"] < 0.35 * one["flops"]
    assert [r["reductions"] for r in (one, two, four, pieces)] == [0, 1, 1, 1]


def test_shared_weights_stay_split_and_are_whole_when_asked_for(trained):
    one, _, four, _, halves, quarters = trained
    for found, part in ((four, 1.0), (halves, 0.5), (quarters, 0.25)):
        # The multiplier, its average and Adam's two moments, after the last step.
        assert found["kept"] == [4, part]
        assert found["sum"] == pytest.approx(one["sum"], rel=1e-9)


def test_one_device_is_the_trivial_mesh():
    mesh = devices.device_mesh(1)
    assert mesh.size == 1 and mesh.axis_names == ("data", "model")

    def loss(params, batch):
        return params * jnp.mean(batch), {}

    assert devices.over_devices(loss, mesh) is loss


def test_indexing_works_under_the_mesh():
    """Explicit axes, the default of jax.make_mesh, raise here."""
    mesh = devices.device_mesh(1)
    placed = devices.replicate(jnp.arange(4.0), mesh)
    found = jax.jit(lambda x: x.at[0].set(9.0)[jnp.array([0, 2])])(placed)
    np.testing.assert_array_equal(found, [9.0, 2.0])


@pytest.mark.parametrize("count", [0, 1 + jax.device_count()])
def test_devices_that_are_not_there_are_refused(count):
    with pytest.raises(ValueError, match=f"devices = {count}.*1 to"):
        devices.device_mesh(count)


def test_shards_that_do_not_divide_are_refused():
    with pytest.raises(ValueError, match="weight_shards = 2.*divisor of devices = 1"):
        devices.device_mesh(1, 2)
    mesh = jax.sharding.AbstractMesh((1, 3), devices.AXES)
    with pytest.raises(ValueError, match="weight_shards = 3.*divisor of the 8 chann"):
        devices.shard_state({"multiplier": jnp.ones((4, 8, 2, 8))}, mesh)
