"""The runs behind docs/benchmarks.md: the recipes of a benchmark, and baselines."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from experiments.paper import baselines
from experiments.suite.gathered import with_committed
from experiments.suite.protocols import PROTOCOLS, Changes
from experiments.suite.registry import BENCHMARKS
from experiments.suite.run_spec import RunSpec
from pilno_jax.runs import files

STAGED, UNLABELLED, ONE_NETWORK, BASELINES, PAPERS = PARTS = (
    *("staged", "unlabelled", "fast", "baselines", "paper"),
)

# Trained on labels alone; the network of the recipe comes first.
NETWORKS: Mapping[str, Changes] = {
    "ALNO": {},
    "FNO": {"model.name": "fno"},
    "LNO": {"model.name": "lno"},
}


def runs(config: str, part: str, seeds: int) -> list[RunSpec]:
    """The runs of one part of a benchmark.

    Args:
        config: a benchmark of the registry.
        part: "staged" for our recipe with every seed, "unlabelled" for the same without
            any label, "fast" for one network trained as long, "baselines" for labels
            alone with the first seed, "paper" for the paper's recipe, shortened.
        seeds: how many, of our recipes.
    """
    if part in (STAGED, UNLABELLED) and not BENCHMARKS[config].in_stages:
        return []
    if part in (STAGED, UNLABELLED):
        changes = {"train.num_train": 0} if part == UNLABELLED else {}
        each = [{**changes, "seed": seed} if seed else changes for seed in range(seeds)]
        return [RunSpec(config, STAGED).but(one) for one in each]
    benchmark = BENCHMARKS[config]
    cpu, paper = PROTOCOLS["cpu"], PROTOCOLS["paper"]
    if part == ONE_NETWORK:
        return [cpu.full_run(config, seed=seed) for seed in range(seeds)]
    if part == PAPERS:
        steps = benchmark.paper_steps
        return [paper.full_run(config, {"train.steps": steps})] if steps else []
    share = benchmark.baseline_share
    baseline = cpu.at(cpu.share if share is None else share).run
    specs = [
        baseline(config, {**baselines.LABELS_ONLY, **network})
        for network in NETWORKS.values()
    ]
    if benchmark.rival:
        rival = baselines.RIVALS[benchmark.rival](benchmark.labels)
        specs.append(baseline(config, rival))
    return specs


def gather(root: Path, seeds: int, results: Path) -> None:
    """Write <config>_<recipe>.json of whatever is finished, here or elsewhere.

    Args:
        root: where the runs live.
        seeds: how many, of our recipe.
        results: the folder to write to.
    """
    for config in BENCHMARKS:
        by_recipe: dict[str, list[dict[str, Any]]] = {}
        for run in (run for part in PARTS for run in runs(config, part, seeds)):
            if result := run.result(root):
                by_recipe.setdefault(run.recipe, []).append(result)
        for recipe, finished in by_recipe.items():
            path = results / f"{config}_{recipe}.json"
            committed = files.read_json(path) if path.exists() else []
            rows = with_committed(finished, committed, _changes)
            files.write_json(path, sorted(rows, key=_order))


def _changes(result: Mapping[str, Any]) -> str:
    """What tells a run from the others of its recipe."""
    return json.dumps(result["changes"], sort_keys=True)


def _order(result: Mapping[str, Any]) -> tuple[bool, str, int]:
    """Runs with labels first; seeds of one kind of run beside each other."""
    changes = {k: v for k, v in result["changes"].items() if k != "seed"}
    return not result["num_train"], _changes({"changes": changes}), result["seed"]
