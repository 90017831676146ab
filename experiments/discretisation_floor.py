"""How near to the truth a perfect minimiser of the discrete residual would be:

python -m experiments.discretisation_floor --output=results/discretisation_floor.json

No training can be expected to go below. Newton's method in double precision on the
residual of the grid, with the constraints built in, started at the reference. Forced
KdV has ten thousand unknowns; instead of Newton's step there is what its residual tells
of the error (`Problem.error_of`), from the truth on.
"""

from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from absl import flags

from experiments.run.command import run_command
from experiments.run.outputs import require_file
from experiments.suite.floor import distances_to_zeros
from experiments.suite.registry import BENCHMARKS, Benchmark, Floor, fields_of
from pilno_jax import problems
from pilno_jax.runs import environment, files

OUTPUT = flags.DEFINE_string("output", None, "The json to write.", required=True)
SAMPLES = flags.DEFINE_integer("samples", 20, "Draws per problem.", lower_bound=1)

Measure = Callable[[problems.Problem, jax.Array], list[float]]


def moves_of_the_truth(problem: problems.Problem, keys: jax.Array) -> list[float]:
    @jax.jit
    def relative(key: jax.Array) -> jax.Array:
        inputs = problem.sample(key)
        u = problem.solver()(inputs)
        error = problem.error_of(problem.residual(u, inputs), u, inputs)
        return jnp.linalg.norm(error) / jnp.linalg.norm(u)

    return [float(relative(key)) for key in keys]


MEASURES: Mapping[Floor, Measure] = {
    Floor.ZERO_OF_RESIDUAL: distances_to_zeros,
    Floor.CORRECTED_TRUTH: moves_of_the_truth,
}


def trained_options(benchmark: Benchmark) -> dict[str, Any]:
    """The problem, with the differences that our recipe trains with."""
    fields = fields_of(benchmark.config, "staged")
    options = {name: f"problem.{name}" for name in ("time_accuracy", "ends")}
    chosen = {name: fields[at] for name, at in options.items() if at in fields}
    return {**benchmark.problem_options, **chosen}


def main(words: list[str]) -> None:
    del words
    output = require_file("output", OUTPUT.value)
    floors = {}
    with jax.enable_x64(True):
        for config, benchmark in BENCHMARKS.items():
            if benchmark.floor is None:
                continue
            measure = MEASURES[benchmark.floor]
            problem = problems.make(**trained_options(benchmark))
            keys = jax.random.split(jax.random.key(0), SAMPLES.value)
            values = measure(problem, keys)
            floors[config] = {"mean": float(np.mean(values)), "max": max(values)}
            print(f"{config:12} mean {np.mean(values):.1e}, max {max(values):.1e}")
    content = {"samples": SAMPLES.value, "floors": floors, **environment.environment()}
    files.write_json(output, content)


if __name__ == "__main__":
    run_command(main)
