"""How fast labelled samples are made, and in how much memory:

    python -m benchmarks.reference_solvers

draws inputs and solves them, for every problem in a process of its own (so that peak
memory is its own too), prints a table against the goals and writes
results/reference_solvers.json. Two minutes on two cores.
"""

import argparse
import dataclasses
import json
import os
import platform
import time
from typing import Any

import jax

from benchmarks import command, timing
from pilno_jax import problems
from pilno_jax.runs import environment

MANY = 1000
MEMORY_GOAL = 2.0


@dataclasses.dataclass(frozen=True)
class Case:
    """Samples of one problem, and how fast they should be made.

    Attributes:
        samples: as many as the recipe's data sets need in all.
        goal_seconds: for all of them.
        chunk: samples solved at once; what was found fastest on a CPU.
        options: of the problem's factory, beside its name.
    """

    problem: str
    samples: int
    goal_seconds: float
    chunk: int
    options: dict[str, Any] = dataclasses.field(default_factory=dict)


CASES = {
    "burgers": Case("burgers", 200, 5.0, 25),
    "reaction_diffusion_ic": Case("reaction_diffusion", 125, 2.0, 25, {"task": "ic"}),
    "reaction_diffusion_forcing": Case(
        "reaction_diffusion", 125, 2.0, 25, {"task": "forcing"}
    ),
    "darcy": Case("darcy", 100, 30.0, 5),
    "forced_kdv": Case("forced_kdv", 1000, 2.0, 50),
}


def measure(case: Case, repeats: int) -> dict[str, Any]:
    """Seconds to make the goal's samples, and the memory of a thousand."""
    problem = problems.make(case.problem, **case.options)

    def generate(key):
        inputs = problem.sample(key)
        return inputs, problem.solver()(inputs)

    def many(keys):
        return jax.lax.map(generate, keys, batch_size=case.chunk)

    keys = jax.random.split(jax.random.key(0), case.samples)
    start = time.perf_counter()
    compiled = jax.jit(many).lower(keys).compile()
    compile_seconds = time.perf_counter() - start
    times = timing.alone(lambda: compiled(keys), repeats)
    if case.samples < MANY:
        jax.block_until_ready(jax.jit(many)(jax.random.split(jax.random.key(1), MANY)))
    peak = environment.peak_memory_mb() / 2**10
    return {
        "samples": case.samples,
        "chunk": case.chunk,
        "seconds": round(times.fastest, 3),
        "all_seconds": [round(seconds, 3) for seconds in times.wall],
        "goal_seconds": case.goal_seconds,
        "compile_seconds": round(compile_seconds, 2),
        "peak_gigabytes": round(peak, 3),
        "goal_gigabytes": MEMORY_GOAL,
        "passed": times.fastest <= case.goal_seconds and peak < MEMORY_GOAL,
    }


def describe(name: str, row: dict[str, Any]) -> str:
    return (
        f"{name:27} {row['samples']:7}  {row['chunk']:5}  {row['seconds']:7.2f} "
        f"({row['goal_seconds']:4.0f})  {row['compile_seconds']:5.1f} s  "
        f"{row['peak_gigabytes']:6.2f} GB  {'pass' if row['passed'] else 'MISS'}"
    )


def main() -> None:
    parser = command.parser(__doc__, "reference_solvers", repeats=3)
    parser.add_argument(
        "--chunk", type=command.positive, help="samples solved at once, for all cases"
    )
    parser.add_argument("--case", choices=CASES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.case:
        case = CASES[options.case]
        case = dataclasses.replace(case, chunk=options.chunk or case.chunk)
        print(json.dumps(measure(case, options.repeats)))
        return
    start, load = time.perf_counter(), os.getloadavg()[0]
    rows = {}
    print(f"{'problem':27} samples  chunk  seconds (goal)  compile  peak memory")
    for name in CASES:
        arguments = [f"--case={name}", f"--repeats={options.repeats}"]
        arguments += [f"--chunk={options.chunk}"] if options.chunk else []
        rows[name] = command.in_own_process("benchmarks.reference_solvers", *arguments)
        print(describe(name, rows[name]), flush=True)
    command.write(
        options.output,
        {
            "python": platform.python_version(),
            "cores": environment.num_cores(),
            "load_average_at_start": round(load, 1),
            "wall_clock_seconds": round(time.perf_counter() - start, 1),
            "cases": rows,
        },
    )


if __name__ == "__main__":
    main()
