"""Time, FLOP rate and memory of one training step, at the sizes of the paper.

    python -m benchmarks.step_time [--sizes burgers darcy] [--peer-python PATH]

For each size, all in one run and in turns, so that their ratios hold on a busy
machine: ALNO, ALNO with its batch split over two virtual CPU devices, our FNO, an FNO
by FFT, one layer of ALNO with shared and with pairwise poles, and neuraloperator's FNO
where `--peer-python` has it. Times are minima; processor time, summed over the cores,
is printed too, because it does not depend on who else uses the machine. FLOPs are
those of the algorithm, matrix products only. The roofline is the longer of FLOPs over
the peak of a large matrix product and bytes (as XLA counts them) over the bandwidth of
a copy; both are measured in the same run.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

# Fresh temporaries of a step come as small pages, and faulting them in can cost more
# than the step; a training loop with several steps per dispatch pays this once.
ENVIRONMENT = {
    "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
    "XLA_FLAGS": "--xla_force_host_platform_device_count=2",
}
if __name__ == "__main__" and not ENVIRONMENT.items() <= os.environ.items():
    command = [sys.executable, "-m", "benchmarks.step_time", *sys.argv[1:]]
    os.execve(sys.executable, command, {**os.environ, **ENVIRONMENT})

import flax  # noqa: E402
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax.sharding import AxisType, NamedSharding  # noqa: E402
from jax.sharding import PartitionSpec as P  # noqa: E402

from benchmarks.fft_fno import CHANNELS, PROJECTION, fft_fno  # noqa: E402
from benchmarks.machine import Machine  # noqa: E402
from pilno_jax.models import ALNO, FNO  # noqa: E402

SIZES: dict[str, dict[str, Any]] = {
    "burgers": dict(batch=53, grid=(32, 26), width=32, num_layers=4, modes=14),
    "darcy": dict(batch=10, grid=(61, 61), width=64, num_layers=4, modes=20),
    "reaction_diffusion": dict(
        batch=10, grid=(51, 51), width=64, num_layers=4, modes=20
    ),
    "forced_kdv": dict(batch=10, grid=(100, 100), width=24, num_layers=2, modes=20),
}
ACTIVATION = {
    "burgers": "tanh",
    "darcy": "gelu",
    "reaction_diffusion": "sin",
    "forced_kdv": "gelu",
}


def algorithm_flops(size: dict[str, Any], *, transient: bool) -> tuple[float, float]:
    """FLOPs of the matrix products: (forward, forward + backward).

    A product costs as much again for each operand with a gradient; the Fourier bases
    have none.
    """
    (n, m), batch, width = size["grid"], size["batch"], size["width"]
    points, poles = n * m * batch, size["modes"]

    def transforms(p: int, q: int) -> float:
        """Analysis and synthesis: real to p complex rows, then complex to q."""
        return 2 * (2 * n * 2 * p * m + 2 * p * 2 * m * 2 * q) * batch * width

    def mixing(modes: int) -> float:
        return 8 * modes * batch * width**2

    first, second = min(size["modes"], n // 2), 2 * min(size["modes"], m // 2) - 1
    fixed = transforms(first, second)
    trained = mixing(first * second) + 2 * points * width**2
    if transient:
        trained += transforms(poles, poles) + mixing(poles**2)
    ends = 2 * points * (width * PROJECTION + PROJECTION)
    lift = 2 * points * CHANNELS * width
    layers = size["num_layers"]
    forward = layers * (fixed + trained) + ends + lift
    return forward, layers * (2 * fixed + 3 * trained) + 3 * ends + 2 * lift


def network(size, model, activation: str, features, axes, **options):
    net = model(
        width=size["width"],
        num_layers=options.pop("num_layers", size["num_layers"]),
        modes=size["modes"],
        activation=activation,
        projection_width=PROJECTION,
        **options,
    )
    shapes = jax.eval_shape(net.init, jax.random.key(0), features, axes)
    rng = np.random.default_rng(0)
    params = jax.tree.map(
        lambda leaf: jnp.asarray(rng.normal(size=leaf.shape) / 30, leaf.dtype), shapes
    )
    return lambda params, features: net.apply(params, features, axes), params


class Contender:
    """A network's compiled forward and forward + backward programs, and their times."""

    def __init__(self, apply, params, features, devices: int = 1):
        if devices > 1:
            features = features[: len(features) // devices * devices]
            mesh = jax.make_mesh((devices,), ("data",), axis_types=(AxisType.Auto,))
            whole, split = (NamedSharding(mesh, P(*axis)) for axis in ((), ("data",)))
            specs = (whole.spec, split.spec)
            apply = jax.shard_map(
                apply, mesh=mesh, in_specs=specs, out_specs=split.spec
            )
            params = jax.device_put(params, whole)
            features = jax.device_put(features, split)

        def loss(params, features):
            return jnp.mean(apply(params, features) ** 2)

        functions = {"forward": apply, "both": jax.value_and_grad(loss)}
        self.arguments = params, features
        self.batch = len(features)
        self.programs = {
            name: jax.jit(function).lower(*self.arguments).compile()
            for name, function in functions.items()
        }
        self.wall = {name: float("inf") for name in self.programs}
        self.processor = dict(self.wall)

    def run(self) -> None:
        for name, program in self.programs.items():
            processor, wall = time.process_time(), time.perf_counter()
            jax.block_until_ready(program(*self.arguments))
            wall, processor = (
                time.perf_counter() - wall,
                time.process_time() - processor,
            )
            self.wall[name] = min(self.wall[name], wall)
            self.processor[name] = min(self.processor[name], processor)

    @property
    def record(self) -> dict:
        memory: Any = self.programs["both"].memory_analysis()
        sizes = (memory.temp_size_in_bytes, memory.argument_size_in_bytes)
        cost: Any = self.programs["both"].cost_analysis()
        return {
            "batch": self.batch,
            "forward_ms": 1e3 * self.wall["forward"],
            "step_ms": 1e3 * self.wall["both"],
            "step_processor_ms": 1e3 * self.processor["both"],
            "peak_memory_mb": (sum(sizes) + memory.output_size_in_bytes) / 1e6,
            "gigabytes_moved": cost["bytes accessed"] / 1e9,
        }


def peer(python: str, size, activation: str, repeats: int) -> dict | None:
    task = json.dumps({**size, "activation": activation, "channels": CHANNELS})
    script = Path(__file__).with_name("peer_step_time.py")
    done = subprocess.run(
        [python, script, task, f"--repeats={repeats}"], capture_output=True, text=True
    )
    if done.returncode != 0:
        reason = done.stderr.strip().splitlines() or ["no output"]
        print(f"  neuraloperator skipped: {reason[-1]}")
        return None
    times = json.loads(done.stdout.splitlines()[-1])
    return {"forward_ms": 1e3 * times["forward"], "step_ms": 1e3 * times["both"]}


def measure(name: str, machine: Machine, repeats: int, python: str) -> dict:
    size, activation = SIZES[name], ACTIVATION[name]
    # Burgers is periodic in x; the choice costs nothing, but it is the paper's.
    periodic = (name == "burgers", False)
    axes = tuple(
        jnp.linspace(0, 1, n, endpoint=not wraps)
        for n, wraps in zip(size["grid"], periodic, strict=True)
    )
    shape = (size["batch"], *size["grid"], CHANNELS)
    rng = np.random.default_rng(0)
    features = jnp.asarray(rng.normal(size=shape), jnp.float32)

    def build(model, **options):
        return network(size, model, activation, features, axes, **options)

    poles = {"poles": size["modes"]}
    alno, one = build(ALNO, **poles), {"num_layers": 1, **poles}
    contenders = {
        "ALNO": Contender(*alno, features),
        "ALNO, 2 devices": Contender(*alno, features, devices=2),
        "FNO": Contender(*build(FNO), features),
        "FNO by FFT": Contender(*fft_fno(size, activation), features),
        "1 layer, shared": Contender(*build(ALNO, **one), features),
        "1 layer, pairwise": Contender(
            *build(ALNO, pole_sharing="pairwise", **one), features
        ),
    }
    for turn in range(repeats):
        machine.run()
        for label, contender in contenders.items():
            # Seconds per step: once is enough, and more would take minutes.
            if turn == 0 or "pairwise" not in label:
                contender.run()
    records = {label: contender.record for label, contender in contenders.items()}
    for label, transient in (("ALNO", True), ("ALNO, 2 devices", True), ("FNO", False)):
        record = records[label]
        scaled = {**size, "batch": record["batch"]}
        _, flops = algorithm_flops(scaled, transient=transient)
        seconds = record["step_ms"] / 1e3
        floor = max(
            flops / 1e9 / machine.gflops, record["gigabytes_moved"] / machine.gigabytes
        )
        per_core = flops / 1e6 / record["step_processor_ms"]
        record |= {
            "gflop": flops / 1e9,
            "gflops": flops / 1e9 / seconds,
            "share_of_peak": flops / 1e9 / seconds / machine.gflops,
            "share_of_core_peak": per_core / machine.gflops_per_core,
            "share_of_roofline": floor / seconds,
        }
    if (found := peer(python, size, activation, repeats)) is not None:
        records["neuraloperator FNO"] = found
    return {"size": {**size, "activation": activation}, "contenders": records}


def show(name: str, result: dict) -> None:
    size = result["size"]
    print(f"\n{name}: " + ", ".join(f"{key} {value}" for key, value in size.items()))
    print(
        f"  {'':20s}{'forward':>9s}{'step':>9s}{'cpu time':>9s}{'memory':>9s}"
        f"{'GFLOP':>8s}{'GFLOP/s':>9s}{'of peak':>9s}{'per core':>9s}{'roofline':>9s}"
    )
    columns = (
        ("forward_ms", "9.1f"),
        ("step_ms", "9.1f"),
        ("step_processor_ms", "9.1f"),
        ("peak_memory_mb", "9.0f"),
        ("gflop", "8.1f"),
        ("gflops", "9.1f"),
        ("share_of_peak", "9.1%"),
        ("share_of_core_peak", "9.1%"),
        ("share_of_roofline", "9.1%"),
    )
    for label, record in result["contenders"].items():
        cells = [
            format(record[key], spec)
            if key in record
            else " " * int(spec.split(".")[0])
            for key, spec in columns
        ]
        print(f"  {label:20s}" + "".join(cells), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=list(SIZES))
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--peer-python", default=sys.executable)
    parser.add_argument("--output", type=Path, default=Path("results/step_time.json"))
    options = parser.parse_args()
    start = time.perf_counter()
    machine, results = Machine(), {}
    for name in options.sizes:
        results[name] = measure(name, machine, options.repeats, options.peer_python)
        show(name, results[name])
    print(
        f"\nmatrix product {machine.gflops:.0f} GFLOP/s, {machine.gflops_per_core:.0f} "
        f"per core; copy {machine.gigabytes:.1f} GB/s"
    )
    record = {
        "command": " ".join(["python -m benchmarks.step_time", *sys.argv[1:]]),
        "seconds": time.perf_counter() - start,
        "load_average": os.getloadavg(),
        "versions": {
            "python": platform.python_version(),
            "jax": jax.__version__,
            "flax": flax.__version__,
        },
        "machine": {
            "cores": os.cpu_count(),
            "gemm_gflops": machine.gflops,
            "gemm_gflops_per_core": machine.gflops_per_core,
            "copy_gigabytes_per_second": machine.gigabytes,
        },
        "results": results,
    }
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(record, indent=2) + "\n")


if __name__ == "__main__":
    main()
