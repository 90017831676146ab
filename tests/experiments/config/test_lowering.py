"""The training step of shipped configs, lowered for machines that are not here.

`jax.export` does all of a compilation that does not need the device: what a back end
lacks, or a mesh cannot split, fails here and not in a cluster's queue. Shapes are
enough; nothing is computed.
"""

from pathlib import Path

import jax
import pytest
from jax.sharding import AbstractMesh, AxisType

pytest.importorskip("flatbuffers")
from jax import export  # noqa: E402

from experiments.config import command_line  # noqa: E402
from experiments.config.build import build  # noqa: E402
from pilno_jax import operators, training  # noqa: E402
from pilno_jax.training import accumulation, batches, devices  # noqa: E402

ROOT = Path(__file__).parents[3]
# One for each kind of axes, network and number of fields: residuals, in which the
# others differ, are traced in test_shipped_configs.py.
CONFIGS = ("brusselator", "burgers", "darcy", "forced_kdv", "lorenz", "navier_stokes")
AXIS_TYPES = (AxisType.Auto, AxisType.Auto)
ONE = AbstractMesh((1, 1), devices.AXES, axis_types=AXIS_TYPES)
# Two share each mixing weight, and two such pairs the batch.
FOUR = AbstractMesh((2, 2), devices.AXES, axis_types=AXIS_TYPES)


def lowered(chosen, mesh):
    """The step of a config for GPUs and TPUs, from the shapes of state and data.

    Of one layer: the others are lowered alike.
    """
    run = build(command_line.read_config(chosen).changed({"model.num_layers": 1}))
    problem, train = run.problem, run.config.train

    def first_state(key):
        params = operators.initial_parameters(problem, run.model, key)
        return training.initial_state(params, run.optimizer, key)

    def labelled(key):
        inputs = jax.vmap(problem.sample)(jax.random.split(key, train.num_train))
        u = jax.numpy.zeros((train.num_train, *problem.shape))
        return {"inputs": inputs, "labels": problem.restrict(u)}

    loss = accumulation.accumulated(run.loss, train.accumulate)
    step = training.training_step(
        devices.over_devices(loss, mesh),
        batches.divisible(run.batches, train.accumulate * mesh.size),
        run.optimizer,
        train.averaging,
    )
    key = jax.random.key(0)
    shapes = jax.eval_shape(first_state, key), jax.eval_shape(labelled, key)
    program = training.many_steps(step, 2)
    return export.export(program, platforms=("cuda", "tpu"))(*shapes)


@pytest.mark.parametrize("config", CONFIGS)
def test_the_fast_recipe_lowers_for_four_gpus_or_tpu_chips(config, monkeypatch):
    monkeypatch.chdir(ROOT)
    program = lowered(f"configs/{config}.py", FOUR)
    assert program.platforms == ("cuda", "tpu")
    text = program.mlir_module()
    # The gradient is summed over the devices, the weights are gathered.
    assert "all_reduce" in text and "all_gather" in text


@pytest.mark.parametrize("config", ["darcy", "forced_kdv"])
def test_the_paper_s_recipe_lowers_for_one(config, monkeypatch):
    """Those with a loop of their own in the loss; the others are as the fast ones."""
    monkeypatch.chdir(ROOT)
    program = lowered(f"configs/{config}.py:paper", ONE)
    assert "all_reduce" not in program.mlir_module()
