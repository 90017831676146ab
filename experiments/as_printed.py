"""The paper's recipes, trained as long as it says:

python -m experiments.as_printed

trains what is not trained yet, in order of what it tells for its time, and writes
results/reproduction/as-printed.json and docs/figures/as-printed.png of whatever there
is, after every run and when it is interrupted: hours on two cores, minutes on a GPU.
`--only_report` trains nothing; `--only=NAME` takes the trainings whose names begin so.
"""

import functools
from pathlib import Path

from absl import flags

from experiments.paper.as_printed import Training, trainings
from experiments.paper.as_printed_rows import curves, how_far
from experiments.run.command import complain, run_command
from experiments.run.terminal import Console
from experiments.suite import suite_flags
from experiments.suite.gathered import with_committed
from experiments.suite.suite import train_all
from pilno_jax import plotting
from pilno_jax.runs import environment, files

ONLY = flags.DEFINE_string("only", "", "Trainings whose names begin so; see --list.")
LIST = flags.DEFINE_bool("list", False, "Name the trainings and stop.")
ONLY_REPORT = flags.DEFINE_bool("only_report", False, "Train nothing.")
AT_ONCE = suite_flags.define_at_once()
flags.adopt_module_key_flags(suite_flags)

RESULT = Path("results/reproduction/as-printed.json")
FIGURE = Path("docs/figures/as-printed.png")


def write(root: Path, cache: Path) -> None:
    """What there is of every training, and its curves."""
    every = (how_far(training, root, cache) for training in trainings())
    here = [one for one in every if one]
    committed = files.read_json(RESULT)["trainings"] if RESULT.exists() else []
    known = with_committed(here, committed, lambda one: one["name"])
    order = [one.name for one in trainings()]
    known.sort(key=lambda one: order.index(one["name"]))
    about = {"trainings": known, **environment.environment()}
    files.write_json(RESULT, about)
    if drawn := curves(known):
        plotting.save(plotting.epochs_figure(drawn), FIGURE)


def main(words: list[str]) -> int:
    del words
    chosen = [one for one in trainings() if one.name.startswith(ONLY.value)]
    if not chosen:
        names = [one.name for one in trainings()]
        return complain(
            f"only = {ONLY.value!r} is not allowed: expected the beginning of {names}"
        )
    if LIST.value:
        print("\n".join(one.name for one in chosen))
        return 0
    root, cache = suite_flags.folders()
    code = 0 if ONLY_REPORT.value else train(chosen, root, cache)
    write(root, cache)
    return code


def train(chosen: list[Training], root: Path, cache: Path) -> int:
    """Start what is not finished; an exit code other than 0 if that did not go well."""
    console, runs = Console(), [one.run for one in chosen]
    report = functools.partial(write, root, cache)
    return train_all(runs, root, cache, console, AT_ONCE.value, report)


if __name__ == "__main__":
    run_command(main)
