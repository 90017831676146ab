"""How fast labelled samples are made, and in how much memory:

    python -m benchmarks.reference_solvers

draws inputs and solves them, for every problem in a process of its own (so that peak
memory is its own too), prints a table against the goals and writes
results/reference_solvers.json. Two minutes on two cores.
"""

import importlib.metadata
import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

import jax
from absl import app, flags

from pilno_jax import problems
from pilno_jax.runs import environment

CASE = flags.DEFINE_string("case", None, "Measure this case alone and print JSON.")
CHUNK = flags.DEFINE_integer("chunk", None, "Samples solved at once, for all cases.")
OUTPUT = flags.DEFINE_string(
    "output", "results/reference_solvers.json", "Where the table goes."
)

REPETITIONS = 3
MANY = 1000
MEMORY_GOAL = 2.0
# name: (problem, options, samples, goal in seconds, samples solved at once)
CASES = {
    "burgers": ("burgers", {}, 200, 5.0, 25),
    "reaction_diffusion_ic": ("reaction_diffusion", {"task": "ic"}, 125, 2.0, 25),
    "reaction_diffusion_forcing": (
        "reaction_diffusion",
        {"task": "forcing"},
        125,
        2.0,
        25,
    ),
    "darcy": ("darcy", {}, 100, 30.0, 5),
    "forced_kdv": ("forced_kdv", {}, 1000, 2.0, 50),
}


def measure(case: str, chunk: int | None) -> dict:
    """Seconds to make the goal's samples, and the memory of a thousand."""
    name, options, count, goal, best_chunk = CASES[case]
    chunk = chunk or best_chunk
    problem = problems.make(name, **options)

    def generate(key):
        inputs = problem.sample(key)
        return inputs, problem.solve(inputs)

    def many(keys):
        return jax.lax.map(generate, keys, batch_size=chunk)

    keys = jax.random.split(jax.random.key(0), count)
    start = time.perf_counter()
    compiled = jax.jit(many).lower(keys).compile()
    compile_seconds = time.perf_counter() - start
    seconds = []
    for _ in range(REPETITIONS):
        start = time.perf_counter()
        jax.block_until_ready(compiled(keys))
        seconds.append(time.perf_counter() - start)
    if count < MANY:
        jax.block_until_ready(jax.jit(many)(jax.random.split(jax.random.key(1), MANY)))
    peak = environment.peak_memory_mb() / 2**10
    return {
        "samples": count,
        "chunk": chunk,
        "seconds": round(min(seconds), 3),
        "all_seconds": [round(s, 3) for s in seconds],
        "goal_seconds": goal,
        "compile_seconds": round(compile_seconds, 2),
        "peak_gigabytes": round(peak, 3),
        "goal_gigabytes": MEMORY_GOAL,
        "passed": min(seconds) <= goal and peak < MEMORY_GOAL,
    }


def measure_apart(case: str, chunk: int | None) -> dict:
    command = [sys.executable, "-m", "benchmarks.reference_solvers", f"--case={case}"]
    command += [f"--chunk={chunk}"] if chunk else []
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(run.stdout.splitlines()[-1])


def main(argv: list[str]) -> None:
    if len(argv) > 1:
        raise app.UsageError(f"unknown arguments {argv[1:]}: only flags are taken")
    if CASE.value is not None:
        if CASE.value not in CASES:
            raise app.UsageError(f"--case={CASE.value}: expected one of {list(CASES)}")
        print(json.dumps(measure(CASE.value, CHUNK.value)))
        return
    start, load = time.perf_counter(), os.getloadavg()[0]
    rows = {}
    print(f"{'problem':27} samples  chunk  seconds (goal)  compile  peak memory")
    for case in CASES:
        row = rows[case] = measure_apart(case, CHUNK.value)
        print(
            f"{case:27} {row['samples']:7}  {row['chunk']:5}  {row['seconds']:7.2f} "
            f"({row['goal_seconds']:4.0f})  {row['compile_seconds']:5.1f} s  "
            f"{row['peak_gigabytes']:6.2f} GB  {'pass' if row['passed'] else 'MISS'}",
            flush=True,
        )
    packages = ("pilno-jax", "jax", "jaxlib", "numpy")
    summary = {
        "command": "python -m benchmarks.reference_solvers",
        "versions": {name: importlib.metadata.version(name) for name in packages},
        "python": platform.python_version(),
        "device": jax.devices()[0].device_kind,
        "cores": os.cpu_count(),
        "load_average_at_start": round(load, 1),
        "wall_clock_seconds": round(time.perf_counter() - start, 1),
        "cases": rows,
    }
    path = Path(OUTPUT.value)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(summary, indent=2) + "\n")
    print(f"written to {path}")


if __name__ == "__main__":
    app.run(main)
