"""How much faster a trained operator answers than its reference solver does:

    python -m benchmarks.inference

times the networks of the default recipes and the solvers that label their data, on the
same grid and the same inputs, in one process: one input alone, as in a control loop,
and 256 of them, as in a sweep. Writes results/inference.json and the table of
docs/speed.md. Weights do not matter for the time, so they are random; times are minima.
What the network misses in accuracy is in docs/benchmarks.md; the solvers are far more
exact than the comparison asks for. KdV has no solver here: its reference is a closed
form. With --examples, instead, the systems and Navier-Stokes, one input at a time, in
results/inference_examples.json.
"""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax

from benchmarks import command, recipes, timing
from experiments.pages import markdown
from experiments.suite.registry import EXAMPLES, WITH_GOAL
from pilno_jax.operators import initial_parameters
from pilno_jax.runs import files

PAGE, COMMAND = Path("docs/speed.md"), "python -m benchmarks.inference"
FILES = Path("results/inference.json"), Path("results/inference_examples.json")
# Inputs that go through at once, of many: what was found fastest on a CPU.
PREDICTED_AT_ONCE, SOLVED_AT_ONCE = 32, {"darcy": 5}

Row = dict[str, float]


def measure(config: str, count: int, repeats: int) -> Row:
    """Milliseconds per input, of the network and of the reference."""
    run = recipes.built(config)
    keys = jax.random.split(jax.random.key(0), count)
    inputs = jax.jit(jax.vmap(run.problem.sample))(keys)
    params = initial_parameters(run.problem, run.model, jax.random.key(1))

    def predict(one: Any) -> jax.Array:
        return run.predict(params, jax.tree.map(lambda x: x[None], one))[0]

    solved_at_once = SOLVED_AT_ONCE.get(config, 25)
    times = timing.interleaved(
        {
            "predict": compiled(predict, inputs, PREDICTED_AT_ONCE),
            "solve": compiled(run.problem.solver(), inputs, solved_at_once),
        },
        repeats,
    )
    predict_ms = per_input(times["predict"], count)
    solve_ms = per_input(times["solve"], count)
    return {
        "predict_ms": predict_ms,
        "predictions_per_second": 1e3 / predict_ms,
        "solve_ms": solve_ms,
        "times_faster": solve_ms / predict_ms,
    }


def compiled(
    answer: Callable[[Any], jax.Array], inputs: Any, at_once: int
) -> timing.Call:
    """A call that answers all inputs, `at_once` of them side by side."""
    count = len(jax.tree.leaves(inputs)[0])

    def every(inputs: Any) -> jax.Array:
        return jax.lax.map(answer, inputs, batch_size=min(at_once, count))

    program = jax.jit(every).lower(inputs).compile()
    return lambda: program(inputs)


def per_input(times: timing.Times, count: int) -> float:
    """Milliseconds, of the fastest repeat."""
    return 1e3 * times.fastest / count


def measured() -> dict[str, dict[str, Row]]:
    """Recipe -> count of inputs -> times, of all that is in results."""
    found = [files.read_json(path)["configs"] for path in FILES if path.exists()]
    return {config: row for configs in found for config, row in configs.items()}


def in_page(text: str, configs: dict[str, dict[str, Row]]) -> str:
    """The page on speed with its table made anew."""
    rows = []
    for config, by_count in configs.items():
        row: dict[str, str] = {"recipe": config}
        for count, times in by_count.items():
            row[f"network, {count}"] = f"{times['predict_ms']:.2f}"
            row[f"reference, {count}"] = f"{times['solve_ms']:.2f}"
            row[f"faster, {count}"] = f"{times['times_faster']:.1f} x"
        rows.append(row)
    return markdown.fill(text, COMMAND, markdown.table(rows))


def describe(config: str, count: int, row: Row) -> str:
    return (
        f"{config:12} {count:4} inputs: network {row['predict_ms']:7.3f} ms, "
        f"reference {row['solve_ms']:8.3f} ms each: "
        f"{row['times_faster']:6.1f} times faster"
    )


def main() -> None:
    parser = command.parser(__doc__, "inference", repeats=5)
    parser.add_argument(
        "--repetitions", dest="repeats", type=command.positive, help="as --repeats"
    )
    parser.add_argument(
        "--many", type=command.positive, default=256, help="inputs of a sweep"
    )
    parser.add_argument("--examples", action="store_true", help="instead of the others")
    options = parser.parse_args()
    start, load = time.perf_counter(), os.getloadavg()[0]
    rows: dict[str, dict[str, Row]] = {}
    for config in EXAMPLES if options.examples else WITH_GOAL:
        rows[config] = {}
        for count in (1,) if options.examples else (1, options.many):
            row = rows[config][str(count)] = measure(config, count, options.repeats)
            print(describe(config, count, row), flush=True)
    default, examples = FILES
    command.write(
        examples if options.examples and options.output == default else options.output,
        {
            "load_average_at_start": round(load, 1),
            "wall_clock_seconds": round(time.perf_counter() - start, 1),
            "configs": rows,
        },
    )
    files.write_text(PAGE, in_page(PAGE.read_text(), measured()))


if __name__ == "__main__":
    main()
