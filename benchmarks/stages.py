"""What an operator in stages costs and reaches, beside what could be used instead:

    python -m benchmarks.stages --root=runs/reproduce

of the finished runs `experiments.benchmarks --parts=staged` left there: milliseconds
per input and mean error of the first network, of the operator after each correction,
of what `Problem.error_of` alone makes of the first network's field (u - e, again and
again: Newton's method with an approximate inverse and no network), and of the reference
solver. Also how much longer a corrector's training step takes than the first network's.
One process, one batch, times are minima. Writes results/stages.json, in which configs
without a finished run keep what they have.
"""

import argparse
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import pilno_jax
from benchmarks import command, timing
from experiments.suite.registry import EXAMPLES, WITH_GOAL
from experiments.suite.run_spec import RunSpec
from pilno_jax import data, evaluation, operators
from pilno_jax.problems import Inputs, Problem
from pilno_jax.runs import environment, files, metrics_log
from pilno_jax.runs.run_folder import RunFolder

STEPS_OF_ERROR_OF = 4
TEST_KEY = 20_000  # inputs that no training, validation or test set has drawn


def measure(folder: Path, count: int, repeats: int) -> dict[str, Any]:
    """Milliseconds per input, mean and largest errors, by what answers."""
    run = pilno_jax.load(folder)
    labelled = data.generate(run.problem, jax.random.key(TEST_KEY), count)
    inputs, labels = labelled["inputs"], labelled["labels"]
    answers = {
        **_operators(run),
        **_without_network(run.problem, _operators(run)["stage 1"]),
        "solver": lambda params, inputs: jax.vmap(run.problem.solver())(inputs),
    }
    programs = {name: jax.jit(answer) for name, answer in answers.items()}
    calls = {
        name: lambda program=program: program(run.params, inputs)
        for name, program in programs.items()
    }
    times = timing.interleaved(calls, repeats)
    rows = {}
    for name, program in programs.items():
        fields = np.asarray(program(run.params, inputs))
        errors = evaluation.relative_errors(fields, labels)
        rows[name] = {
            "ms": 1e3 * times[name].fastest / count,
            "error": float(errors.mean()),
            "largest": float(errors.max()),
        }
    return {"answers": rows, "step_ms": step_times(folder)}


def _operators(run: pilno_jax.TrainedRun) -> dict[str, Any]:
    """The operator after its first network and after every correction, by name."""
    networks = (run.model, *run.correctors)
    applies = [network.apply for network in networks]
    repeats = run.config["stages"]["last_applied"]
    lengths = [(count, 1) for count in range(1, len(applies) + 1)]
    lengths += [(len(applies), times) for times in range(2, repeats + 1)]
    return {
        f"stage {count}" + (f" x {times}" if times > 1 else ""): (
            lambda params, inputs, count=count, times=times: operators.staged_predictor(
                run.problem, applies[:count], times
            )(params[:count], inputs)
        )
        for count, times in lengths
    }


def _without_network(problem: Problem, first: Any) -> dict[str, Any]:
    """The first network's field, less what its residual tells of the error."""

    def improved(u: jax.Array, inputs: Inputs) -> jax.Array:
        return u - problem.error_of(problem.residual(u, inputs), u, inputs)

    def steps(number: int) -> Any:
        def answer(params: Any, inputs: Inputs) -> jax.Array:
            u = first(params, inputs)
            for _ in range(number):
                u = jax.vmap(improved)(u, inputs)
            return jnp.nan_to_num(u)

        return answer

    return {f"error_of x {n}": steps(n) for n in range(1, STEPS_OF_ERROR_OF + 1)}


def step_times(folder: Path) -> dict[int, float]:
    """Median milliseconds of a training step by stage, as the run logged them."""
    by_stage: dict[int, list[float]] = {}
    for row in metrics_log.read_metrics(RunFolder(folder).metrics):
        if "step_ms" in row:
            by_stage.setdefault(row.get("stage", 1), []).append(row["step_ms"])
    return {stage: float(np.median(times)) for stage, times in by_stage.items()}


def describe(config: str, rows: dict[str, dict[str, float]]) -> str:
    lines = [
        f"  {name:14} {row['ms']:9.3f} ms  error {row['error']:.2e}"
        for name, row in rows.items()
    ]
    return "\n".join([config, *lines])


def earlier(output: Path) -> dict[str, Any]:
    """What the file holds by config, each entry with the code that measured it."""
    if not output.exists():
        return {}
    content = files.read_json(output)
    code = {"code": content["code"]}
    return {config: code | one for config, one in content["configs"].items()}


def options() -> argparse.Namespace:
    parser = command.parser(__doc__, "stages", repeats=5)
    parser.add_argument(
        "--root", type=Path, default=Path("runs/reproduce"), help="where the runs are"
    )
    parser.add_argument(
        "--count", type=command.positive, default=25, help="inputs of the batch"
    )
    return parser.parse_args()


def main() -> None:
    chosen = options()
    configs = earlier(chosen.output)
    for config in (*WITH_GOAL, *EXAMPLES):
        folder = RunSpec(config, "staged").workdir(chosen.root)
        if not RunFolder(folder).is_finished:
            print(f"{config}: no finished run in {folder}")
            continue
        measured = measure(folder, chosen.count, chosen.repeats)
        configs[config] = {**measured, "code": environment.source()}
        print(describe(config, configs[config]["answers"]), flush=True)
    command.write(chosen.output, {"inputs": chosen.count, "configs": configs})


if __name__ == "__main__":
    main()
