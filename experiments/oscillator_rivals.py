"""ALNO, LNO or FNO? Networks of equal size on oscillators and waves:

python -m experiments.oscillator_rivals

trains what is not trained yet (finished runs are reused, interrupted ones resumed), one
seed of all systems after the other. After every run, results/oscillators.json and the
tables of docs/oscillators.md hold what is finished. `--only_report` makes the tables
from the gathered results alone, `--dry_run` prints the commands.
"""

import shlex

from absl import flags

from experiments.pages import oscillators_page
from experiments.poles import rivals
from experiments.run.command import run_command
from experiments.run.open_run import silence_orbax
from experiments.run.terminal import Console
from experiments.suite import suite_flags
from experiments.suite.suite import train_all
from pilno_jax.runs import files

SEEDS = flags.DEFINE_integer("seeds", 5, "Of every network.", lower_bound=1)
AT_ONCE = suite_flags.define_at_once()
ONLY_REPORT = flags.DEFINE_bool("only_report", False, "Train nothing.")
DRY_RUN = flags.DEFINE_bool("dry_run", False, "Print the commands and stop.")
flags.adopt_module_key_flags(suite_flags)


def main(words: list[str]) -> int:
    del words
    root, cache = suite_flags.folders()
    chosen = rivals.runs(SEEDS.value)
    if DRY_RUN.value:
        for run in chosen:
            print(shlex.join(["python", *run.command(root, cache)[1:]]))
        return 0

    def report() -> None:
        rows = rivals.gather(root, SEEDS.value)
        files.write_json(oscillators_page.RESULTS, rows)
        oscillators_page.write(rows)

    console = Console()
    if ONLY_REPORT.value:
        oscillators_page.write(files.read_json(oscillators_page.RESULTS))
        return 0
    silence_orbax()
    if code := train_all(chosen, root, cache, console, AT_ONCE.value, report):
        return code
    report()
    return 0


if __name__ == "__main__":
    run_command(main)
