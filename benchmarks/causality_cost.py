"""What do causality weights (TCW) cost?

python -m benchmarks.causality_cost

The gradient of the loss on one batch, with even weights in time and with exponential
ones, for the default recipes: operations by XLA's count, and processor time, the two
taken in turns so that both meet the same noise.
"""

import importlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import numpy as np
from absl import app, flags

from experiments.config.build import build
from experiments.config.schema import RunConfig
from pilno_jax import data
from pilno_jax.runs import environment, files

OUTPUT = flags.DEFINE_string("output", "results/causality_cost.json", "Where to write.")
CONFIGS = flags.DEFINE_list("configs", ["burgers", "rd_forcing"], "Whose recipes.")
REPEATS = flags.DEFINE_integer("repeats", 20, "Timed pairs.", lower_bound=1)


def gradient(config: RunConfig, rule: str) -> tuple[Callable[[], Any], float]:
    """A call of the compiled gradient, and its number of operations."""
    run = build(config.changed({"causality.name": rule}))
    labelled = data.generate(run.problem, jax.random.key(0), config.train.num_train)
    batch = jax.jit(run.batches)(labelled, jax.random.key(1), 0)
    sample = jax.tree.map(lambda x: x[0], labelled["inputs"])
    features = run.problem.features(sample)
    params = jax.jit(run.model.init)(
        jax.random.key(2), features, run.problem.grid.scaled
    )
    slope = jax.jit(jax.grad(lambda params: run.loss(params, batch)[0]))
    compiled = slope.lower(params).compile()
    cost: Any = compiled.cost_analysis()
    return lambda: compiled(params), cost["flops"]


def processor_time(call: Callable[[], Any]) -> float:
    start = time.process_time()
    jax.block_until_ready(call())
    return time.process_time() - start


def main(arguments: list[str]) -> None:
    if len(arguments) > 1:
        raise app.UsageError(f"unexpected argument {arguments[1]!r}")
    rows = []
    for name in CONFIGS.value:
        config = importlib.import_module(f"configs.{name}").get_config()
        even, even_flops = gradient(config, "uniform")
        weighted, weighted_flops = gradient(config, "exponential")
        jax.block_until_ready((even(), weighted()))
        times = np.array(
            [
                (processor_time(even), processor_time(weighted))
                for _ in range(REPEATS.value)
            ]
        )
        ratios = times[:, 1] / times[:, 0] - 1
        rows.append(
            {
                "recipe": name,
                "operations": weighted_flops / even_flops - 1,
                "time": float(np.median(ratios)),
                "quartiles": np.quantile(ratios, [0.25, 0.75]).tolist(),
            }
        )
        print(*(f"{field} {value}" for field, value in rows[-1].items()))
    content = {"added_by_causality": rows, "repeats": REPEATS.value}
    files.write_json(Path(OUTPUT.value), {**content, **environment.environment()})


if __name__ == "__main__":
    app.run(main)
