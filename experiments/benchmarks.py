"""The six benchmarks, both recipes and their baselines:

python -m experiments.benchmarks

trains what is not trained yet, gathers results/<config>_<recipe>.json and writes
docs/benchmarks.md and the README's table. `--only_report` writes them from the gathered
results alone.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from absl import app, flags

from experiments.pages.benchmark_page import (
    BENCHMARKS,
    PAGE,
    README,
    RESULTS,
    in_readme,
    page,
    read_results,
)
from experiments.paper.forced_kdv import deepomamba
from experiments.run.entry import complain
from experiments.run.exit_codes import FAILED, INTERRUPTED
from experiments.run.interruption import Interrupted
from experiments.run.terminal import Console
from experiments.suite.protocols import LABELS_ONLY, PROTOCOLS, Changes
from experiments.suite.suite import AT_ONCE_HELP, Failed, Run, run_all
from pilno_jax.runs import files

PARTS = ("fast", "baselines", "paper")
CHOSEN = flags.DEFINE_list("config", list(BENCHMARKS), "Which benchmarks.")
WANTED = flags.DEFINE_list("parts", list(PARTS), "Which runs of them.")
SEEDS = flags.DEFINE_integer("seeds", 3, "Of our recipe.", lower_bound=1)
ROOT = flags.DEFINE_string("root", "runs/reproduce", "Where the runs live.")
CACHE = flags.DEFINE_string("cache", "runs/cache", "Where data sets are kept.")
AT_ONCE = flags.DEFINE_integer("at_once", 1, AT_ONCE_HELP, lower_bound=1)
ONLY_REPORT = flags.DEFINE_bool("only_report", False, "Train nothing.")

MODELS: Mapping[str, Changes] = {
    "ALNO": {},
    "FNO": {"model.name": "fno"},
    "LNO": {"model.name": "lno"},
}
# Of the paper's recipe, what two cores do in a few minutes.
PAPER_STEPS = {
    "burgers": 600,
    "darcy": 20,
    "rd_forcing": 50,
    "rd_ic": 1000,
    "forced_kdv": 60,
    "diffusion": 600,
}
# Of the recipe's steps, what baselines are given where it is not the protocol's share.
BASELINE_SHARE = {"burgers": 1.0}


def runs(config: str, part: str, seeds: int) -> list[Run]:
    """Ours with every seed, the baselines with the first, the paper's shortened."""
    ours, paper = PROTOCOLS["cpu"], PROTOCOLS["paper"]
    if part == "fast":
        return [ours.full_run(config, seed=seed) for seed in range(seeds)]
    if part == "paper":
        return [paper.full_run(config, {"train.steps": PAPER_STEPS[config]})]
    baseline = ours.at(BASELINE_SHARE.get(config, ours.share)).run
    alone = [baseline(config, {**LABELS_ONLY, **own}) for own in MODELS.values()]
    mamba = deepomamba(BENCHMARKS[config].labels)
    return [*alone, baseline(config, mamba)] if config == "forced_kdv" else alone


def gather(root: Path, seeds: int) -> None:
    """results/<config>_<recipe>.json, of whatever is finished."""
    for config in BENCHMARKS:
        by_recipe: dict[str, list[dict[str, Any]]] = {}
        for run in (run for part in PARTS for run in runs(config, part, seeds)):
            if found := run.result(root):
                by_recipe.setdefault(run.recipe, []).append(found)
        for recipe, results in by_recipe.items():
            files.write_json(RESULTS / f"{config}_{recipe}.json", results)


def main(arguments: list[str]) -> int:
    if len(arguments) > 1:
        return complain(f"unexpected argument {arguments[1]!r}: flags start with --")
    for flag, allowed in ((CHOSEN, list(BENCHMARKS)), (WANTED, list(PARTS))):
        for value in set(flag.value) - set(allowed):
            text = f"{flag.name} = {value!r} is not allowed: expected some of {allowed}"
            return complain(text)
    root, console, seeds = Path(ROOT.value), Console(), SEEDS.value
    if not ONLY_REPORT.value:
        wanted = [
            run
            for part in WANTED.value
            for config in CHOSEN.value
            for run in runs(config, part, seeds)
        ]
        try:
            run_all(wanted, root, Path(CACHE.value), console, AT_ONCE.value)
        except Interrupted as reason:
            console.line(f"interrupted by {reason}; the same command goes on")
            return INTERRUPTED
        except Failed as failure:
            console.line(f"error: {failure}")
            return FAILED
        finally:
            gather(root, seeds)
    results = read_results()
    files.write_text(PAGE, page(results))
    files.write_text(README, in_readme(README.read_text(), results))
    console.line(f"{PAGE} and the table of {README} written")
    return 0


if __name__ == "__main__":
    app.run(lambda arguments: sys.exit(main(arguments)))
