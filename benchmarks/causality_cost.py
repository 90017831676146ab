"""What do causality weights (TCW) cost?

    python -m benchmarks.causality_cost

The gradient of the loss on one batch, with even weights in time and with exponential
ones, for the default recipes: operations by XLA's count, and processor time, the two
taken in turns so that both meet the same noise.
"""

from typing import Any

import jax
import numpy as np

from benchmarks import command, recipes, timing
from pilno_jax.operators import initial_parameters


def gradient(config: str, rule: str) -> tuple[timing.Call, float]:
    """A call of the compiled gradient, and its number of operations."""
    run = recipes.built(config, causality={"name": rule})
    batch = jax.jit(run.batches)(recipes.labelled(run), jax.random.key(1), 0)
    params = initial_parameters(run.problem, run.model, jax.random.key(2))
    slope = jax.jit(jax.grad(lambda params: run.loss(params, batch)[0]))
    compiled = slope.lower(params).compile()
    cost: Any = compiled.cost_analysis()
    return lambda: compiled(params), cost["flops"]


def added_cost(config: str, repeats: int) -> dict[str, Any]:
    """What exponential weights add to the gradient of a recipe, as shares of it."""
    even, even_flops = gradient(config, "uniform")
    weighted, weighted_flops = gradient(config, "exponential")
    times = timing.interleaved({"even": even, "weighted": weighted}, repeats)
    ratios = np.divide(times["weighted"].processor, times["even"].processor) - 1
    return {
        "recipe": config,
        "operations": weighted_flops / even_flops - 1,
        "time": float(np.median(ratios)),
        "quartiles": np.quantile(ratios, [0.25, 0.75]).tolist(),
    }


def main() -> None:
    parser = command.parser(__doc__, "causality_cost", repeats=20)
    parser.add_argument(
        "--configs",
        type=command.names,
        default=["burgers", "rd_forcing"],
        help="whose recipes, with commas between them",
    )
    options = parser.parse_args()
    rows = []
    for config in options.configs:
        rows.append(added_cost(config, options.repeats))
        print(*(f"{field} {value}" for field, value in rows[-1].items()))
    content = {"added_by_causality": rows, "repeats": options.repeats}
    command.write(options.output, content)


if __name__ == "__main__":
    main()
