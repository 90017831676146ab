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

Every case runs in a process of its own, whose resident peak is thus the case's. Times
are minima; processor time, summed over the cores, is given too, because it depends
little on who else uses the machine.
"""

import argparse
import dataclasses
import json
import math
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from configs import darcy
from experiments.config.build import build
from pilno_jax import training
from pilno_jax.runs import environment, files
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
    wall, processor = [], []
    for _ in range(1 + case.repeats):  # the first fills caches and is not counted
        started = time.perf_counter(), time.process_time()
        state, metrics = jax.block_until_ready(run(state, data))
        wall.append(time.perf_counter() - started[0])
        processor.append(time.process_time() - started[1])
    assert np.isfinite(metrics["loss"]).all()
    resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return dataclasses.asdict(case) | {
        "step_seconds": min(wall[1:]),
        "step_processor_seconds": min(processor[1:]),
        "resident_gb": resident / 1e9,
        "planned_gb": planned / 1e9,
        # Each device's own: XLA counts the program that all of them run.
        "gflop": cost["flops"] / 1e9,
        "gigabytes_moved": cost["bytes accessed"] / 1e9,
        "parameters": sum(leaf.size for leaf in jax.tree.leaves(state.params)),
    }


def training_run(case: Case):
    """State, data and step of the paper's recipe, in the sizes of the case."""
    sizes = (case.modes, case.modes)
    config = darcy.get_config("paper").changed(
        {
            "problem.num_points": case.points,
            "model.width": case.width,
            "model.modes": sizes,
            "model.poles": sizes,
            "model.remat": case.remat,
            "train.batch_data": case.labelled,
            "train.batch_physics": case.virtual,
        }
    )
    run = build(config)
    mesh = devices.device_mesh(case.devices, case.weight_shards)

    @jax.jit
    def start():
        keys = jax.random.split(jax.random.key(0), config.train.num_train)
        inputs = jax.vmap(run.problem.sample)(keys)
        one = jax.tree.map(lambda x: x[0], inputs)
        features = run.problem.features(one)
        params = run.model.init(keys[0], features, run.problem.grid.scaled)
        # A step takes as long whatever the labels are: no reference is solved.
        shape = jax.eval_shape(run.problem.restrict, inputs["a"]).shape
        state = training.initial_state(params, run.optimizer, keys[1])
        return state, {"inputs": inputs, "labels": jnp.ones(shape)}

    state, data = start()
    state, data = devices.place(state, mesh), devices.replicate(data, mesh)
    step = training.training_step(
        devices.over_devices(accumulation.accumulated(run.loss, case.accumulate), mesh),
        batches.divisible(run.batches, case.accumulate * mesh.size),
        run.optimizer,
    )
    return state, data, step


def apart(case: Case) -> dict[str, Any]:
    """`measure` in a process of its own, which says how it went."""
    task = json.dumps(dataclasses.asdict(case))
    command = [sys.executable, "-m", "benchmarks.scaling", f"--case={task}"]
    environment = os.environ | {"JAX_NUM_CPU_DEVICES": str(case.devices)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        reason = done.stderr.strip().splitlines()[-1:] or ["killed: out of memory?"]
        raise RuntimeError(f"{case}: exit code {done.returncode}, {reason[0]}")
    found = json.loads(done.stdout.splitlines()[-1])
    print(describe(found), flush=True)
    return found


def describe(found: dict[str, Any]) -> str:
    case = ", ".join(f"{f.name} {found[f.name]}" for f in dataclasses.fields(Case))
    return (
        f"{case}: {found['step_seconds']:.2f} s, {found['step_processor_seconds']:.2f} "
        f"s of processors, {found['resident_gb']:.2f} GB resident, "
        f"{found['planned_gb']:.2f} GB planned"
    )


def exponent(sizes: list[float], values: list[float]) -> float:
    """p of the best fit values ~ sizes^p, by least squares in the logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def fitted(found: list[dict[str, Any]]) -> dict[str, float]:
    """The exponents of everything measured, in the number of grid points."""
    points = [float(one["points"]) ** 2 for one in found]
    names = ("step_seconds", "step_processor_seconds", "planned_gb", "gflop")
    return {
        name: exponent(points, [one[name] / samples(one) for one in found])
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


def samples(found: dict[str, Any]) -> int:
    return found["labelled"] + found["virtual"]


@dataclasses.dataclass(frozen=True)
class Hardware:
    """Data-sheet numbers of one device, and the share of them that a step reaches.

    link: bytes per second that a device sends while all of them reduce: half of what
        NVLink's sheets say of both directions, all of what those of TPUs say of one.
    """

    name: str
    devices: int
    flops: float
    bandwidth: float
    link: float
    efficiency: float = 0.4  # of the peak; our CPU steps reach as much of theirs


HARDWARE = (
    Hardware("8 x A100, TF32", 8, 156e12, 2.0e12, 300e9),
    Hardware("8 x H100, TF32", 8, 495e12, 3.35e12, 450e9),
    Hardware("TPU v5e-16, bfloat16", 16, 197e12, 0.819e12, 200e9),
    Hardware("TPU v5p-256, bfloat16", 256, 459e12, 2.765e12, 600e9),
)


def estimate(
    hardware: Hardware, gflop: float, gigabytes: float, parameters: int, count: int
) -> dict[str, Any]:
    """A step of `count` samples, given the FLOPs and bytes of one of them.

    A ring all-reduce sends 2 (d - 1) / d of the gradient; it is not overlapped.
    """
    share = math.ceil(count / hardware.devices)
    compute = share * gflop * 1e9 / (hardware.efficiency * hardware.flops)
    memory = share * gigabytes * 1e9 / (hardware.efficiency * hardware.bandwidth)
    sent = 2 * (hardware.devices - 1) / hardware.devices * 4 * parameters
    reduce = sent / hardware.link
    return {
        "hardware": hardware.name,
        "samples": count,
        "compute_ms": 1e3 * compute,
        "memory_ms": 1e3 * memory,
        "all_reduce_ms": 1e3 * reduce,
        "step_ms": 1e3 * (max(compute, memory) + reduce),
    }


def estimates(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The largest grid measured, at the paper's batch and at a thousand times that."""
    largest = found[-1]
    gflop, moved = (
        largest[name] / samples(largest) for name in ("gflop", "gigabytes_moved")
    )
    return [
        estimate(hardware, gflop, moved, largest["parameters"], count)
        for hardware in HARDWARE
        for count in (51, 51_000)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sizes", nargs="+", type=int, default=[31, 61, 121, 241])
    parser.add_argument("--large", type=int, default=121, help="nodes at B_phys = 50")
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--modes", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--output", type=Path, default=Path("results/scaling.json"))
    parser.add_argument("--case", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.case:
        print(json.dumps(measure(Case(**json.loads(options.case)))))
        return
    started = time.perf_counter()
    common = Case(0, width=options.width, modes=options.modes, repeats=options.repeats)
    cases = plan(common, options.sizes, options.large)
    found = {
        part: {name: apart(case) for name, case in named.items()}
        for part, named in cases.items()
    }
    resolution = list(found["resolution"].values())
    exponents = fitted(resolution)
    for name, value in exponents.items():
        print(f"{name} ~ points^{value:.2f}")
    files.write_json(
        options.output,
        {
            "seconds": time.perf_counter() - started,
            "load_average": os.getloadavg(),
            **environment.environment(),
            **found,
            "exponents": exponents,
            "estimates": estimates(resolution),
        },
    )


if __name__ == "__main__":
    main()
