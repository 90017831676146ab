"""How much faster a trained operator answers than its reference solver does:

    python -m benchmarks.inference

times the networks of the default recipes and the solvers that label their data, on the
same grid and the same inputs, in one process: one input alone, as in a control loop,
and 256 of them, as in a sweep. Writes results/inference.json and the table of
docs/speed.md. Weights do not matter for
the time, so they are random. What the network misses in accuracy is in
docs/benchmarks.md; the solvers are far more exact than the comparison asks for. KdV has
no solver here: its reference is a closed form.
"""

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax

from experiments.config.build import build
from experiments.config.command_line import read_config
from experiments.pages import markdown
from experiments.suite.registry import WITH_GOAL
from pilno_jax.runs import environment, files

PAGE, COMMAND = Path("docs/speed.md"), "python -m benchmarks.inference"
# Inputs that go through at once, of many: what was found fastest on a CPU.
PREDICTED_AT_ONCE, SOLVED_AT_ONCE = 32, {"darcy": 5}


def measure(config: str, count: int, repetitions: int) -> dict[str, float]:
    """Milliseconds per input, of the network and of the reference."""
    run = build(read_config(f"configs/{config}.py"))
    keys = jax.random.split(jax.random.key(0), count)
    inputs = jax.jit(jax.vmap(run.problem.sample))(keys)
    one = jax.tree.map(lambda x: x[0], inputs)
    features = run.problem.features(one)
    params = run.model.init(jax.random.key(1), features, run.problem.grid.scaled)

    def predict(some: Any) -> jax.Array:
        return run.predict(params, jax.tree.map(lambda x: x[None], some))[0]

    solved_at_once = SOLVED_AT_ONCE.get(config, 25)
    predict_ms = per_input(predict, inputs, PREDICTED_AT_ONCE, repetitions)
    solve_ms = per_input(run.problem.solve, inputs, solved_at_once, repetitions)
    return {
        "predict_ms": predict_ms,
        "predictions_per_second": 1e3 / predict_ms,
        "solve_ms": solve_ms,
        "times_faster": solve_ms / predict_ms,
    }


def per_input(
    answer: Callable[[Any], jax.Array], inputs: Any, at_once: int, repetitions: int
) -> float:
    """Milliseconds, of the fastest repetition."""
    count = len(jax.tree.leaves(inputs)[0])

    def every(inputs: Any) -> jax.Array:
        return jax.lax.map(answer, inputs, batch_size=min(at_once, count))

    compiled = jax.jit(every).lower(inputs).compile()
    seconds = []
    for _ in range(repetitions):
        start = time.perf_counter()
        jax.block_until_ready(compiled(inputs))
        seconds.append(time.perf_counter() - start)
    return 1e3 * min(seconds) / count


def in_page(text: str, found: dict[str, dict[str, dict[str, float]]]) -> str:
    """The page on speed with its table made anew."""
    rows = []
    for config, by_count in found.items():
        row: dict[str, str] = {"recipe": config}
        for count, times in by_count.items():
            row[f"network, {count}"] = f"{times['predict_ms']:.2f}"
            row[f"reference, {count}"] = f"{times['solve_ms']:.2f}"
            row[f"faster, {count}"] = f"{times['times_faster']:.1f} x"
        rows.append(row)
    return markdown.fill(text, COMMAND, markdown.table(rows))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--output", type=Path, default=Path("results/inference.json"))
    parser.add_argument("--repetitions", type=int, default=5, help="the fastest counts")
    parser.add_argument("--many", type=int, default=256, help="inputs of a sweep")
    options = parser.parse_args()
    start, load = time.perf_counter(), os.getloadavg()[0]
    found: dict[str, dict[str, dict[str, float]]] = {}
    for config in WITH_GOAL:
        found[config] = {}
        for count in (1, options.many):
            row = measure(config, count, options.repetitions)
            found[config][str(count)] = row
            print(
                f"{config:12} {count:4} inputs: network {row['predict_ms']:7.3f} ms, "
                f"reference {row['solve_ms']:8.3f} ms each: "
                f"{row['times_faster']:6.1f} times faster",
                flush=True,
            )
    files.write_json(
        options.output,
        {
            **environment.environment(),
            "load_average_at_start": round(load, 1),
            "wall_clock_seconds": round(time.perf_counter() - start, 1),
            "configs": found,
        },
    )
    files.write_text(PAGE, in_page(PAGE.read_text(), found))


if __name__ == "__main__":
    main()
