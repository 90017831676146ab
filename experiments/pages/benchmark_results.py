"""The committed results of the benchmarks: which run is whose, errors, minutes."""

import itertools
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from experiments.paper.artifact import spread
from experiments.paper.baselines import RIVAL_NAMES
from experiments.suite.registry import BENCHMARKS
from pilno_jax.runs import files

RESULTS = Path("results")
TIMES = RESULTS / "time_to_accuracy.json"
PILNO = "PILNO"

Result = dict[str, Any]
Results = Mapping[str, list[Result]]  # "<config>_<recipe>" -> one of each run
Times = Mapping[str, Any]  # config -> seconds of whole trainings, by recipe


def read_results() -> dict[str, list[Result]]:
    names = map("_".join, itertools.product(BENCHMARKS, ("staged", "fast", "paper")))
    paths = {name: RESULTS / f"{name}.json" for name in names}
    return {k: files.read_json(p) for k, p in paths.items() if p.exists()}


def read_times() -> Times:
    """Of seed 0 on two quiet cores; of no config where there is no file."""
    return files.read_json(TIMES)["configs"] if TIMES.exists() else {}


def kind(result: Result) -> str:
    """PILNO, or the name of a model that saw labels alone."""
    if result["changes"].get("weights.pde") != 0.0:
        return PILNO
    if result["model"] in RIVAL_NAMES:  # counts in epochs of its own
        return f"{RIVAL_NAMES[result['model']]}, {result['steps']} steps"
    return result["model"].upper()


def ours(config: str, results: Results) -> list[Result]:
    """Of our recipe with physics, every seed."""
    fast = results.get(f"{config}_fast", [])
    return [result for result in fast if kind(result) == PILNO]


def in_stages(config: str, results: Results, labelled: bool = True) -> list[Result]:
    """Of our recipe in stages, every seed; with its labels, or without any."""
    staged = results.get(f"{config}_staged", [])
    return [result for result in staged if bool(result["num_train"]) == labelled]


def error(config: str, result: Result, number: str = "mean") -> float:
    """The error that counts: on the recipe's test law, a further one, or the worst.

    Args:
        config: of the benchmark.
        result: of a run.
        number: "mean" (the default) or "max" over the test inputs.
    """
    benchmark = BENCHMARKS[config]
    if benchmark.worst_law:
        return max(one[number] for one in result["relative_l2_by_law"].values())
    if benchmark.law:
        return result["relative_l2_by_law"][benchmark.law.key][number]
    return result["relative_l2"][number]


def largest_error(config: str, result: Result) -> float:
    return error(config, result, "max")


def mean_of(config: str, runs: Sequence[Result]) -> dict[str, float] | None:
    """Mean error and deviation over the seeds; None without any run."""
    return spread([error(config, run) for run in runs]) if runs else None


def mean_error(config: str, results: Results) -> dict[str, float]:
    return spread([error(config, result) for result in ours(config, results)])


def whole_set_error(config: str, results: Results) -> dict[str, float] | None:
    """Of the law that the run was trained on; other laws have the mean alone."""
    if BENCHMARKS[config].law or BENCHMARKS[config].worst_law:
        return None
    return spread([result["relative_l2_global"] for result in ours(config, results)])


def cores_of(result: Result) -> int:
    """How many CPU cores a run had.

    In a result without the field they are part of the device's name, as in
    "1 x cpu (2 cores)"; the first results, "1 x cpu (cpu)", had two.
    """
    if "cores" in result:
        return result["cores"]
    written = re.search(r"(\d+) core", result["device"])
    return int(written[1]) if written else 2


def minutes_by_cores(results: Sequence[Result]) -> dict[int, float]:
    """Of the slowest run with so many cores."""
    slowest: dict[int, float] = {}
    for result in results:
        cores, minutes = cores_of(result), result["wall_clock_seconds"] / 60
        slowest[cores] = max(minutes, slowest.get(cores, 0.0))
    return slowest
