"""How near to the truth a perfect minimiser of the discrete residual would be:

python -m experiments.discretisation_floor --output=results/discretisation_floor.json

No training can be expected to go below. For the problems in time: Gauss-Newton in
double precision on the residual of the grid, with the constraints built in, started
at the reference. For Darcy: the coarse equations solved. Forced KdV has ten thousand
unknowns; instead of its floor, the residual that the truth itself leaves behind,
relative to the forcing.
"""

from collections.abc import Callable, Mapping

import jax
import jax.numpy as jnp
import numpy as np
from absl import flags

from experiments.run.command import run_command
from experiments.run.outputs import require_file
from experiments.suite.registry import BENCHMARKS, Floor
from pilno_jax import problems
from pilno_jax.numerics import norms
from pilno_jax.problems.darcy import solve_flow
from pilno_jax.runs import environment, files

OUTPUT = flags.DEFINE_string("output", None, "The json to write.", required=True)
SAMPLES = flags.DEFINE_integer("samples", 4, "Draws per problem.", lower_bound=1)

NEWTON_STEPS = 4


def floor_in_time(problem: problems.Problem, key: jax.Array) -> float:
    """The distance from the reference to the nearest zero of the residual."""
    inputs = problem.sample(key)
    truth = jax.jit(problem.solve)(inputs)
    free, field = degrees_of_freedom(problem, truth)

    def residual(z: jax.Array) -> jax.Array:
        return problem.residual(field(z), inputs).ravel()

    jacobian = jax.jit(jax.jacrev(residual))
    for _ in range(NEWTON_STEPS):
        # The Jacobian has full rank: QR is enough, and ten times faster than an SVD.
        q, r = np.linalg.qr(np.asarray(jacobian(free)))
        free = free - np.linalg.solve(r, q.T @ np.asarray(residual(free)))
    return float(norms.relative_l2(field(free), truth))


def degrees_of_freedom(
    problem: problems.Problem, truth: jax.Array
) -> tuple[jax.Array, Callable[[jax.Array], jax.Array]]:
    """What the constraints leave free of `truth`, and the way back to a field.

    Initial values are given; on a closed axis so are both ends (forcing) or the last
    node repeats the first (initial condition).
    """
    nodes = problem.grid.shape[0]
    closed = not problem.grid.axes[0].periodic
    repeats = closed and bool(jnp.any(truth[-1] != 0))
    inside = slice(0, nodes - 1) if repeats else slice(1, -1) if closed else slice(None)
    shape = truth[inside, 1:].shape

    def field(z: jax.Array) -> jax.Array:
        u = truth.at[inside, 1:].set(z.reshape(shape))
        return u.at[-1].set(u[0]) if repeats else u

    return truth[inside, 1:].ravel(), field


def floor_of_darcy(problem: problems.Problem, key: jax.Array) -> float:
    inputs = problem.sample(key)
    coarse = solve_flow(inputs["a_x"], inputs["a_y"])
    return float(norms.relative_l2(coarse, problem.solve(inputs)))


def residual_of_kdv(problem: problems.Problem, key: jax.Array) -> float:
    inputs = problem.sample(key)
    residual = problem.residual(problem.solve(inputs), inputs)
    source = inputs["alpha"] * inputs["f_x"]
    return float(jnp.linalg.norm(residual) / jnp.linalg.norm(source))


MEASURES: Mapping[Floor, Callable[[problems.Problem, jax.Array], float]] = {
    Floor.ZERO_OF_RESIDUAL: floor_in_time,
    Floor.COARSE_EQUATIONS: floor_of_darcy,
    Floor.RESIDUAL_OF_TRUTH: residual_of_kdv,
}


def main(words: list[str]) -> None:
    del words
    output = require_file("output", OUTPUT.value)
    floors = {}
    with jax.enable_x64(True):
        for config, benchmark in BENCHMARKS.items():
            if benchmark.floor is None:
                continue
            measure = MEASURES[benchmark.floor]
            problem = problems.make(**benchmark.problem_options)
            keys = jax.random.split(jax.random.key(0), SAMPLES.value)
            values = [measure(problem, key) for key in keys]
            floors[config] = {"mean": float(np.mean(values)), "max": max(values)}
            print(f"{config:12} mean {np.mean(values):.1e}, max {max(values):.1e}")
    content = {"samples": SAMPLES.value, "floors": floors, **environment.environment()}
    files.write_json(output, content)


if __name__ == "__main__":
    run_command(main)
