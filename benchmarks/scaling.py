"""How time and memory of a training step grow with the grid, and what the options buy.

    python -m benchmarks.scaling

Darcy flow in the paper's recipe, network and all, on 31, 61, 121 and 241 nodes a side:

resolution   time and memory per sample and step, and the exponents in the number of
             grid points, time ~ points^p, from the first size to the last
large        the paper's batch, B_phys = 50, on 121 x 121 nodes: does it fit in 12 GB?
options      plain, train.accumulate, model.remat and both: what they save and cost
weak         the batch in proportion to the number of virtual CPU devices. They share
             the same cores: what shows is the cost of splitting, not a speed-up
weights      the mixing weights and their moments split over 1, 2 and 4 of 4 such
             devices: planned memory is that of one device
estimates    the same step on 8 GPUs and on TPU slices: arithmetic, not measurements
             (accelerator_estimates.py)

Every case runs in a process of its own, whose resident peak is thus the case's. Times
are minima; processor time, summed over the cores, is given too, because it depends
little on who else uses the machine.
"""

import argparse
import dataclasses
import json
import os
import time
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from benchmarks import accelerator_estimates, command, recipes, timing
from experiments.pages.growth_rate import exponent
from pilno_jax import training
from pilno_jax.operators import initial_parameters
from pilno_jax.runs import environment
from pilno_jax.training import accumulation, batches, devices


@dataclasses.dataclass(frozen=True)
class Case:
    """One training step to be measured."""

    points: int  # nodes a side
    labelled: int = 1
    virtual: int = 9
    accumulate: int = 1
    remat: bool = False
    devices: int = 1
    weight_shards: int = 1
    width: int = 64
    modes: int = 20
    repeats: int = 3


def measure(case: Case) -> dict[str, Any]:
    """Compile the step, run it `repeats` times, and say what it took."""
    state, data, step = training_run(case)
    run = training.many_steps(step, 1).lower(state, data).compile()
    memory: Any = run.memory_analysis()
    cost: Any = run.cost_analysis()
    planned = memory.temp_size_in_bytes + memory.argument_size_in_bytes
    parameters = sum(leaf.size for leaf in jax.tree.leaves(state.params))

    def checked(state: training.State) -> tuple[training.State, Any]:
        state, metrics = run(state, data)
        assert np.isfinite(metrics["loss"]).all()
        return state, metrics

    times = timing.alone(timing.carrying(checked, state), case.repeats)
    return dataclasses.asdict(case) | {
        "step_seconds": times.fastest,
        "step_processor_seconds": times.fastest_processor,
        "resident_gb": environment.peak_memory_mb() * 2**20 / 1e9,
        "planned_gb": planned / 1e9,
        # Each device's own: XLA counts the program that all of them run.
        "gflop": cost["flops"] / 1e9,
        "gigabytes_moved": cost["bytes accessed"] / 1e9,
        "parameters": parameters,
    }


def training_run(case: Case):
    """State, data and step of the paper's recipe, in the sizes of the case."""
    sizes = (case.modes, case.modes)
    run = recipes.built(
        "darcy",
        "paper",
        problem={"num_points": case.points},
        model={
            "width": case.width,
            "modes": sizes,
            "poles": sizes,
            "remat": case.remat,
        },
        train={"batch_data": case.labelled, "batch_physics": case.virtual},
    )
    mesh = devices.device_mesh(case.devices, case.weight_shards)

    @jax.jit
    def start():
        keys = jax.random.split(jax.random.key(0), run.config.train.num_train)
        inputs = jax.vmap(run.problem.sample)(keys)
        params = initial_parameters(run.problem, run.model, keys[0])
        # A step takes as long whatever the labels are: no reference is solved.
        shape = jax.eval_shape(run.problem.restrict, inputs["a"]).shape
        state = training.initial_state(params, run.optimizer, keys[1])
        return state, {"inputs": inputs, "labels": jnp.ones(shape)}

    state, data = start()
    state, data = devices.shard_state(state, mesh), devices.replicate(data, mesh)
    step = training.training_step(
        devices.over_devices(accumulation.accumulated(run.loss, case.accumulate), mesh),
        batches.divisible(run.batches, case.accumulate * mesh.size),
        run.optimizer,
    )
    return state, data, step


def apart(case: Case) -> dict[str, Any]:
    """`measure` in a process of its own, which says how it went."""
    task = json.dumps(dataclasses.asdict(case))
    row = command.in_own_process(
        "benchmarks.scaling",
        f"--case={task}",
        variables={"JAX_NUM_CPU_DEVICES": str(case.devices)},
    )
    print(describe(row), flush=True)
    return row


def describe(row: dict[str, Any]) -> str:
    case = ", ".join(f"{f.name} {row[f.name]}" for f in dataclasses.fields(Case))
    return (
        f"{case}: {row['step_seconds']:.2f} s, {row['step_processor_seconds']:.2f} "
        f"s of processors, {row['resident_gb']:.2f} GB resident, "
        f"{row['planned_gb']:.2f} GB planned"
    )


def fitted(rows: list[dict[str, Any]]) -> dict[str, float]:
    """The exponents of everything measured, in the number of grid points."""
    points = [float(row["points"]) ** 2 for row in rows]
    names = ("step_seconds", "step_processor_seconds", "planned_gb", "gflop")
    return {
        name: exponent(points, [per_sample(row, name) for row in rows])
        for name in names
    }


def plan(common: Case, sizes: list[int], large: int) -> dict[str, dict[str, Case]]:
    """What is measured: the parts of the module's docstring, and their cases."""

    def case(points: int, **changes: Any) -> Case:
        return dataclasses.replace(common, points=points, **changes)

    middle, smallest = sizes[len(sizes) // 2 - 1], sizes[0]
    batch: dict[str, Any] = {"labelled": 5, "virtual": 45}
    return {
        "resolution": {str(points): case(points) for points in sizes},
        "large": {str(large): case(large, virtual=50, accumulate=5, repeats=1)},
        "options": {
            "plain": case(middle, **batch),
            "accumulate": case(middle, **batch, accumulate=5),
            "remat": case(middle, **batch, remat=True),
            "both": case(middle, **batch, accumulate=5, remat=True),
        },
        "weak": {
            str(d): case(smallest, labelled=d, virtual=7 * d, devices=d)
            for d in (1, 2, 4)
        },
        "weights": {
            str(d): case(smallest, virtual=7, devices=4, weight_shards=d)
            for d in (1, 2, 4)
        },
    }


def per_sample(row: dict[str, Any], name: str) -> float:
    return row[name] / (row["labelled"] + row["virtual"])


def estimates(largest: dict[str, Any]) -> list[dict[str, Any]]:
    """The largest grid measured, on machines that were not."""
    return accelerator_estimates.estimates(
        per_sample(largest, "gflop"),
        per_sample(largest, "gigabytes_moved"),
        largest["parameters"],
    )


def main() -> None:
    parser = command.parser(__doc__, "scaling", repeats=3)
    parser.add_argument("--sizes", nargs="+", type=int, default=[31, 61, 121, 241])
    parser.add_argument("--large", type=int, default=121, help="nodes at B_phys = 50")
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--modes", type=int, default=20)
    parser.add_argument("--case", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.case:
        print(json.dumps(measure(Case(**json.loads(options.case)))))
        return
    started = time.perf_counter()
    common = Case(0, width=options.width, modes=options.modes, repeats=options.repeats)
    cases = plan(common, options.sizes, options.large)
    parts = {
        part: {name: apart(case) for name, case in named.items()}
        for part, named in cases.items()
    }
    resolution = list(parts["resolution"].values())
    exponents = fitted(resolution)
    for name, value in exponents.items():
        print(f"{name} ~ points^{value:.2f}")
    command.write(
        options.output,
        {
            "seconds": time.perf_counter() - started,
            "load_average": os.getloadavg(),
            **parts,
            "exponents": exponents,
            "estimates": estimates(resolution[-1]),
        },
    )


if __name__ == "__main__":
    main()
