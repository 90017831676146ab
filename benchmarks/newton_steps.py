"""What a solver makes of the prediction that correctors are given:

    python -m benchmarks.newton_steps

of the operators that come with the package. Newton's method on the residual
(`evaluation.newton`) begins with the first network's field, as the corrector stages do:
milliseconds per input and mean error after one step and at its end, beside the first
network, the whole operator and the reference solver; and how many steps it takes with
the network and without. Newton computes in double precision and has the exact Jacobian
of an input, which is made before the clock starts. A process for each operator, one
batch, times are minima. Writes results/newton_steps.json; with --only, what is there of
the other operators stays.
"""

import argparse
import json
import os
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

import pilno_jax
from benchmarks import command, timing
from pilno_jax import data, evaluation
from pilno_jax.evaluation.newton import newton
from pilno_jax.runs import environment, files

TEST_KEY = 20_000  # inputs that no training, validation or test set has drawn
MOST_NODES = 10_000  # as many as KdV has
# All nodes of this benchmark times so many steps would take hours.
ONE_STEP_ALONE = ("forced_kdv",)

Answer = Callable[[], Any]


def measure(name: str, count: int, repeats: int) -> dict[str, Any]:
    """Milliseconds per input, mean and largest errors, by what answers; and steps."""
    run = pilno_jax.load(name)
    labelled = data.generate(run.problem, jax.random.key(TEST_KEY), count)
    inputs, labels = labelled["inputs"], labelled["labels"]
    first_alone = jax.jit(lambda inputs: run.stage_operator(run.params, inputs)[0])
    whole = jax.jit(lambda inputs: run.operator(run.params, inputs))
    solver = jax.jit(jax.vmap(run.problem.solver()))
    answers: dict[str, Answer] = {
        "first network": lambda: first_alone(inputs),
        "in stages": lambda: whole(inputs),
        "solver": lambda: solver(inputs),
    }
    steps, one_step = {}, newton(run.problem, most_steps=1, most_nodes=MOST_NODES)
    answers["one Newton step"] = lambda: one_step(inputs, first_alone(inputs)).u
    if name not in ONE_STEP_ALONE:
        until_solved = newton(run.problem, most_nodes=MOST_NODES)
        answers["Newton"] = lambda: until_solved(inputs, first_alone(inputs)).u
        steps = {
            "with the network": until_solved(inputs, first_alone(inputs)).steps,
            "without": until_solved(inputs).steps,
        }
    times = timing.interleaved(answers, repeats)
    rows = {}
    for answer, call in answers.items():
        errors = evaluation.relative_errors(np.asarray(call()), labels)
        rows[answer] = {
            "ms": 1e3 * times[answer].fastest / count,
            "error": float(errors.mean()),
            "largest": float(errors.max()),
        }
    means = {start: float(np.mean(each)) for start, each in steps.items()}
    return {"answers": rows, "newton_steps": means}


def describe(name: str, row: dict[str, Any]) -> str:
    lines = [
        f"  {answer:16} {one['ms']:10.3f} ms  error {one['error']:.2e}"
        for answer, one in row["answers"].items()
    ]
    return "\n".join([f"{name}, Newton's steps {row['newton_steps']}", *lines])


def options() -> argparse.Namespace:
    parser = command.parser(__doc__, "newton_steps", repeats=3)
    parser.add_argument(
        "--count", type=command.positive, default=5, help="inputs of the batch"
    )
    known = pilno_jax.shipped()
    parser.add_argument(
        "--only", type=command.names, default=known, help="operators, as a,b"
    )
    parser.add_argument("--case", choices=known, help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    chosen, configs = options(), {}
    if chosen.case:
        print(json.dumps(measure(chosen.case, chosen.count, chosen.repeats)))
        return
    if chosen.output.exists():
        configs = files.read_json(chosen.output)["configs"]
    numbers = f"--count={chosen.count}", f"--repeats={chosen.repeats}"
    for name in chosen.only:
        # More than the cores is other work beside this one: times are upper bounds.
        load, arguments = os.getloadavg()[0], (f"--case={name}", *numbers)
        measured = command.in_own_process("benchmarks.newton_steps", *arguments)
        about = {"load_average_at_start": round(load, 1), "code": environment.source()}
        configs[name] = {**about, **measured}
        print(describe(name, measured), flush=True)
        command.write(chosen.output, {"inputs": chosen.count, "configs": configs})


if __name__ == "__main__":
    main()
