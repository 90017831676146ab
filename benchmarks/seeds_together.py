"""Is it faster to train several seeds as one vmapped step than one after the other?

python -m benchmarks.seeds_together --output=results/seeds_together.json

Times one step of the default recipe of a benchmark for one seed, and of 2 and 4 seeds
under `vmap`, per seed. Minima over repeats within one run: read them as ratios.
"""

import importlib
import time
from pathlib import Path
from typing import Any

import jax
from absl import app, flags

from experiments.config.build import BuiltRun, build
from pilno_jax import data, training
from pilno_jax.runs import environment, files

OUTPUT = flags.DEFINE_string("output", None, "The json to write.", required=True)
CONFIGS = flags.DEFINE_list("configs", ["burgers", "rd_ic"], "Whose recipes.")
REPEATS = flags.DEFINE_integer("repeats", 5, "Timed calls of each.", lower_bound=1)
COUNTS = (1, 2, 4)
STEPS_PER_CALL = 10


def states(run: BuiltRun, labelled: Any, count: int) -> training.State:
    """`count` fresh states, stacked along a leading axis."""
    sample = jax.tree.map(lambda x: x[0], labelled["inputs"])
    features = run.problem.features(sample)

    def fresh(key: jax.Array) -> training.State:
        params = run.model.init(key, features, run.problem.grid.scaled)
        return training.initial_state(params, run.optimizer, key)

    return jax.jit(jax.vmap(fresh))(jax.random.split(jax.random.key(0), count))


def milliseconds_per_seed(
    run: BuiltRun, labelled: Any, count: int, repeats: int
) -> float:
    step = training.training_step(run.loss, run.batches, run.optimizer)
    together = jax.vmap(step, in_axes=(0, None))
    call = training.many_steps(together, STEPS_PER_CALL)
    state, _ = call(states(run, labelled, count), labelled)
    times = []
    for _ in range(repeats):
        jax.block_until_ready(state.params)
        start = time.perf_counter()
        state, _ = call(state, labelled)
        jax.block_until_ready(state.params)
        times.append(time.perf_counter() - start)
    return 1e3 * min(times) / STEPS_PER_CALL / count


def main(argv: list[str]) -> None:
    if len(argv) > 1:
        raise app.UsageError(f"unexpected argument {argv[1]!r}")
    found: dict[str, dict[str, float]] = {}
    for name in CONFIGS.value:
        config = importlib.import_module(f"configs.{name}").get_config()
        run = build(config)
        key, count = jax.random.key(0), config.train.num_train
        made = data.generate(run.problem, key, count)
        labels = run.problem.restrict(made["labels"])
        labelled = jax.device_put({"inputs": made["inputs"], "labels": labels})
        found[name] = {}
        for seeds in COUNTS:
            cost = milliseconds_per_seed(run, labelled, seeds, REPEATS.value)
            found[name][f"{seeds} seeds"] = round(cost, 2)
            print(f"{name}: {seeds} seeds together, {cost:.1f} ms per seed and step")
    content = {"milliseconds_per_seed": found, **environment.environment()}
    files.write_json(Path(OUTPUT.value), content)


if __name__ == "__main__":
    app.run(main)
