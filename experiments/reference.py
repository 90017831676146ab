"""Solve and draw one sample of the problem of each benchmark on two axes.

    python -m experiments.reference --workdir=runs/reference

leaves in the workdir one figure per benchmark and `reference.json`. Half a minute.
"""

import json
import time
from pathlib import Path

import jax
import jax.numpy as jnp
from absl import flags

from experiments.run.command import run_command
from experiments.run.outputs import require_folder, require_writable
from experiments.suite.registry import BENCHMARKS
from pilno_jax import plotting, problems

WORKDIR = flags.DEFINE_string("workdir", "runs/reference", "Where results go.")
SEED = flags.DEFINE_integer("seed", 0, "Which sample is drawn.", lower_bound=0)


def report(
    problem: problems.Problem, key: jax.Array, title: str, figure_path: Path
) -> dict:
    """Sample, solve, measure and draw one problem; the numbers that are printed."""
    inputs = jax.jit(problem.sample)(key)
    solve = jax.jit(problem.solver()).lower(inputs).compile()
    start = time.perf_counter()
    u = jax.block_until_ready(solve(inputs))
    seconds = time.perf_counter() - start
    residual = jax.jit(problem.residual)(u, inputs)
    figure = plotting.reference_figure(problem, inputs, u, title)
    plotting.save(figure, figure_path)
    return {
        "seconds": seconds,
        "residual_rms": float(jnp.sqrt(jnp.mean(residual**2))),
        "lowest": float(u.min()),
        "highest": float(u.max()),
        "shape": list(u.shape),
        "figure": figure_path.name,
    }


def main(words: list[str]) -> None:
    del words
    workdir = require_folder("workdir", WORKDIR.value)
    require_writable(workdir)
    results = {}
    for config, benchmark in BENCHMARKS.items():
        problem = problems.make(**benchmark.problem_options)
        if len(problem.grid.axes) > 2:
            continue  # the figure is of fields in a plane
        key, path = jax.random.key(SEED.value), workdir / f"{config}.png"
        row = results[config] = report(problem, key, benchmark.name, path)
        print(
            f"{config:14} {row['seconds']:7.3f} s   residual rms "
            f"{row['residual_rms']:8.1e}   u in [{row['lowest']:7.4f}, "
            f"{row['highest']:7.4f}]",
            flush=True,
        )
    summary = {"seed": SEED.value, "device": jax.devices()[0].device_kind}
    path = workdir / "reference.json"
    path.write_text(json.dumps({**summary, "problems": results}, indent=2) + "\n")
    print(f"figures and {path.name} are in {workdir}")


if __name__ == "__main__":
    run_command(main)
