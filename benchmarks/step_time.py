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

import json
import os
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
    again = [sys.executable, "-m", "benchmarks.step_time", *sys.argv[1:]]
    os.execve(sys.executable, again, {**os.environ, **ENVIRONMENT})

from benchmarks import command, timing  # noqa: E402
from benchmarks.contenders import SLOW, contenders  # noqa: E402
from benchmarks.fft_fno import CHANNELS, PROJECTION  # noqa: E402
from benchmarks.machine import Machine  # noqa: E402

ROOT = Path(__file__).parents[1]
SIZES: dict[str, dict[str, Any]] = {
    "burgers": dict(
        batch=53, grid=(32, 26), width=32, num_layers=4, modes=14, activation="tanh"
    ),
    "darcy": dict(
        batch=10, grid=(61, 61), width=64, num_layers=4, modes=20, activation="gelu"
    ),
    "reaction_diffusion": dict(
        batch=10, grid=(51, 51), width=64, num_layers=4, modes=20, activation="sin"
    ),
    "forced_kdv": dict(
        batch=10, grid=(100, 100), width=24, num_layers=2, modes=20, activation="gelu"
    ),
}
# Burgers is periodic in x; the choice costs nothing, but it is the paper's.
PERIODIC = {"burgers": (True, False)}
COLUMNS = (
    ("forward_ms", "forward", "9.1f"),
    ("step_ms", "step", "9.1f"),
    ("step_processor_ms", "cpu time", "9.1f"),
    ("peak_memory_mb", "memory", "9.0f"),
    ("gflop", "GFLOP", "8.1f"),
    ("gflops", "GFLOP/s", "9.1f"),
    ("share_of_peak", "of peak", "9.1%"),
    ("share_of_core_peak", "per core", "9.1%"),
    ("share_of_roofline", "roofline", "9.1%"),
)


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


def peer(python: str, size: dict[str, Any], repeats: int) -> dict[str, float] | None:
    """neuraloperator's FNO at our size, or None where that Python has none."""
    task = json.dumps({**size, "channels": CHANNELS})
    done = subprocess.run(
        [python, "-m", "benchmarks.peer_step_time", task, f"--repeats={repeats}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        reason = done.stderr.strip().splitlines() or ["no output"]
        print(f"  neuraloperator skipped: {reason[-1]}")
        return None
    times = json.loads(done.stdout.splitlines()[-1])
    return {"forward_ms": 1e3 * times["forward"], "step_ms": 1e3 * times["both"]}


def measure(name: str, machine: Machine, repeats: int, python: str) -> dict[str, Any]:
    """Time everything at one size; `machine` learns its rates on the way."""
    size = SIZES[name]
    networks = contenders(size, PERIODIC.get(name, (False, False)))
    calls = {
        (label, part): call
        for label, network in networks.items()
        for part, call in network.calls().items()
    }
    peaks = {("machine", part): call for part, call in machine.calls().items()}
    # Seconds per step: once is enough, and more would take minutes.
    slow = {key: call for key, call in calls.items() if key[0] == SLOW}
    others = {key: call for key, call in calls.items() if key not in slow}
    times = timing.interleaved({**peaks, **others}, repeats)
    times |= timing.interleaved(slow, 1)
    machine.learn(of(times, "machine"))
    records = {
        label: network.record(of(times, label)) for label, network in networks.items()
    }
    for label, transient in (("ALNO", True), ("ALNO, 2 devices", True), ("FNO", False)):
        records[label] |= rates(size, records[label], machine, transient=transient)
    if (theirs := peer(python, size, repeats)) is not None:
        records["neuraloperator FNO"] = theirs
    return {"size": size, "contenders": records}


def of(
    times: dict[tuple[str, str], timing.Times], label: str
) -> dict[str, timing.Times]:
    return {part: taken for (whose, part), taken in times.items() if whose == label}


def rates(
    size: dict[str, Any], record: dict[str, Any], machine: Machine, *, transient: bool
) -> dict[str, float]:
    """FLOP rates of a step, and the shares of the machine's that they are."""
    scaled = {**size, "batch": record["batch"]}
    gflop = algorithm_flops(scaled, transient=transient)[1] / 1e9
    seconds = record["step_ms"] / 1e3
    floor = max(gflop / machine.gflops, record["gigabytes_moved"] / machine.gigabytes)
    per_core = gflop / (record["step_processor_ms"] / 1e3)
    return {
        "gflop": gflop,
        "gflops": gflop / seconds,
        "share_of_peak": gflop / seconds / machine.gflops,
        "share_of_core_peak": per_core / machine.gflops_per_core,
        "share_of_roofline": floor / seconds,
    }


def show(name: str, result: dict[str, Any]) -> None:
    size = result["size"]
    print(f"\n{name}: " + ", ".join(f"{key} {value}" for key, value in size.items()))
    widths = [int(spec.split(".")[0]) for _, _, spec in COLUMNS]
    titles = zip(COLUMNS, widths, strict=True)
    print(f"  {'':20s}" + "".join(f"{title:>{w}s}" for (_, title, _), w in titles))
    for label, record in result["contenders"].items():
        cells = [
            format(record[key], spec) if key in record else " " * width
            for (key, _, spec), width in zip(COLUMNS, widths, strict=True)
        ]
        print(f"  {label:20s}" + "".join(cells), flush=True)


def main() -> None:
    parser = command.parser(__doc__, "step_time", repeats=10)
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=list(SIZES))
    parser.add_argument("--peer-python", default=sys.executable)
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
    command.write(
        options.output,
        {
            "seconds": time.perf_counter() - start,
            "load_average": os.getloadavg(),
            "machine": {
                "cores": os.cpu_count(),
                "gemm_gflops": machine.gflops,
                "gemm_gflops_per_core": machine.gflops_per_core,
                "copy_gigabytes_per_second": machine.gigabytes,
            },
            "results": results,
        },
    )


if __name__ == "__main__":
    main()
