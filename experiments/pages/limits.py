"""What limits the error of a benchmark now: grid, optimisation or capacity."""

import math
from pathlib import Path

from experiments.pages.benchmark_results import RESULTS, Results, mean_error
from experiments.paper.ablations import LARGER_NETWORKS, RECIPE
from experiments.paper.artifact import NAME
from experiments.suite.protocols import PROTOCOLS
from experiments.suite.registry import BENCHMARKS, Floor
from pilno_jax.runs import files

FLOORS = RESULTS / "discretisation_floor.json"
PAYS = 0.2  # of the error: a gain that is worth twice the steps, or a larger network


def limit(config: str, results: Results) -> str:
    """What the other measurements say, as an item of a list."""
    reached = mean_error(config, results)["mean"]
    parts = [f"- **{BENCHMARKS[config].title}.**"]
    parts += [_floor(config, reached), _length_or_size(config, reached)]
    return " ".join(filter(None, parts))


def _floor(config: str, reached: float) -> str:
    """How far the grid is from being the limit, if that was measured."""
    floors = files.read_json(FLOORS)["floors"]
    if config not in floors:
        return ""
    least = floors[config]["mean"]
    if BENCHMARKS[config].floor is Floor.CORRECTED_TRUTH:
        moved = f"Its own residual moves the truth by {least:.1e}"
        return f"{moved}: the grid allows about {reached / least:.0f} times less."
    return (
        f"A perfect minimiser of the discrete residual would be {least:.1e} from "
        f"the truth: the grid allows {reached / least:.0f} times less."
    )


def _length_or_size(config: str, reached: float) -> str:
    """What more steps and larger networks gain, if the recipe's parts were undone."""
    ablation = BENCHMARKS[config].ablation
    path = Path(RESULTS / "reproduction" / f"{ablation}.json")
    if not path.exists():
        return ""
    rows = {row[NAME]: row for row in files.read_json(path)["rows"]}
    short = rows[RECIPE]["error"]["mean"]
    share = PROTOCOLS["cpu"].ablation_share
    gain = 1 - (reached / short) ** (math.log(2) / math.log(1 / share))
    larger = {name: rows[name]["times"] for name in LARGER_NETWORKS if name in rows}
    times = ", ".join(f"{name} {ratio} times" for name, ratio in larger.items())
    limits = "neither length nor size by itself: both pay a little"
    if 1 - min(larger.values()) > max(gain, PAYS):
        limits = "capacity: a larger network pays more than twice the steps"
    elif gain > PAYS:
        limits = "optimisation: more steps still pay"
    return (
        f"With {share:.0%} of the steps the error is {short:.1e}: doubling "
        f"them gains {gain:.0%}. Larger networks have, at equal steps: {times} the "
        f"error. What limits is {limits}."
    )
