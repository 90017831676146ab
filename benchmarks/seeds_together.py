"""Is it faster to train several seeds as one vmapped step than one after the other?

    python -m benchmarks.seeds_together

Times one step of the default recipe of a benchmark for one seed, and of 2 and 4 seeds
under `vmap`, per seed. Minima over repeats within one run: read them as ratios.
"""

from typing import Any

import jax

from benchmarks import command, recipes, timing
from experiments.config.build import BuiltRun
from pilno_jax import training
from pilno_jax.operators import initial_parameters

COUNTS = (1, 2, 4)
STEPS_PER_CALL = 10


def steps_together(run: BuiltRun, labelled: Any, count: int) -> timing.Call:
    """A call that trains `count` seeds side by side for some steps."""

    def fresh(key: jax.Array) -> training.State:
        params = initial_parameters(run.problem, run.model, key)
        return training.initial_state(params, run.optimizer, key)

    states = jax.jit(jax.vmap(fresh))(jax.random.split(jax.random.key(0), count))
    step = training.training_step(run.loss, run.batches, run.optimizer)
    together = jax.vmap(step, in_axes=(0, None))
    many = training.many_steps(together, STEPS_PER_CALL)
    return timing.carrying(lambda states: many(states, labelled), states)


def milliseconds_per_seed(config: str, repeats: int) -> dict[str, float]:
    """Of one step, by the number of seeds that are trained together."""
    run = recipes.built(config)
    labelled = recipes.labelled(run)
    calls = {count: steps_together(run, labelled, count) for count in COUNTS}
    times = timing.interleaved(calls, repeats)
    return {
        f"{count} seeds": round(1e3 * times[count].fastest / STEPS_PER_CALL / count, 2)
        for count in COUNTS
    }


def main() -> None:
    parser = command.parser(__doc__, "seeds_together", repeats=5)
    parser.add_argument(
        "--configs",
        type=command.names,
        default=["burgers", "rd_ic"],
        help="whose recipes, with commas between them",
    )
    options = parser.parse_args()
    costs = {}
    for config in options.configs:
        costs[config] = milliseconds_per_seed(config, options.repeats)
        for seeds, cost in costs[config].items():
            print(f"{config}: {seeds} together, {cost:.1f} ms per seed and step")
    command.write(options.output, {"milliseconds_per_seed": costs})


if __name__ == "__main__":
    main()
