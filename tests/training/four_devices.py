"""Run by test_devices.py in a process of its own: training on 1, 2 and 4 devices.

How many devices a CPU pretends to have is settled once, before JAX is used.
"""

import json

import jax
import toy

from pilno_jax import models, operators, training
from pilno_jax.training import accumulation, batches, devices, objective, optimizers

STEPS = 20
PROBLEM = toy.decay()
MODEL = models.FNO(width=8, num_layers=1, modes=2, projection_width=None)
LOSS = objective.objective(PROBLEM, MODEL.apply)
ADAM = optimizers.optimizer("adam", optimizers.schedule("constant", 1e-3, 1))


@jax.jit
def start():
    """The first state, and eight labelled samples."""
    inputs = jax.vmap(PROBLEM.sample)(jax.random.split(jax.random.key(0), 8))
    labelled = {"inputs": inputs, "labels": jax.vmap(PROBLEM.solve)(inputs)}
    params = operators.initial_parameters(PROBLEM, MODEL, jax.random.key(1))
    return training.initial_state(params, ADAM, jax.random.key(2)), labelled


def record(count: int, parts: int, weight_shards: int = 1) -> dict:
    """Losses of a short training, and what each device has to do for a step."""
    mesh = devices.device_mesh(count, weight_shards)
    drawn = batches.batches(
        PROBLEM,
        num_train=8,
        # Nothing divides them: each kind is filled up on two devices and on four.
        batch_data=3,
        batch_physics=7,
        num_virtual=None,
    )
    step = training.training_step(
        devices.over_devices(accumulation.accumulated(LOSS, parts), mesh),
        batches.divisible(drawn, count * parts),
        ADAM,
    )
    state, labelled = start()
    arguments = devices.shard_state(state, mesh), devices.replicate(labelled, mesh)
    run = training.many_steps(step, STEPS).lower(*arguments).compile()
    trained, metrics = run(*arguments)
    leaves = jax.tree.leaves_with_path(trained)
    weights = [x for path, x in leaves if operators.is_mixing_weight(path, x)]
    parts_kept = {x.addressable_data(0).size / x.size for x in weights}
    params = devices.to_host_local(trained.params, mesh)
    return {
        "kept": [len(weights), *parts_kept],
        "sum": float(sum(x.sum() for x in jax.tree.leaves(params))),
        "flops": run.cost_analysis()["flops"],
        "reductions": run.as_text().count(" all-reduce("),
        "terms": {name: values.tolist() for name, values in metrics.items()},
    }


if __name__ == "__main__":
    layouts = (1, 1), (2, 1), (4, 1), (2, 2), (4, 1, 2), (4, 1, 4)
    print(json.dumps([record(*layout) for layout in layouts]))
