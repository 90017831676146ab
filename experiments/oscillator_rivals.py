"""ALNO, LNO or FNO? Networks on driven oscillators and waves:

python -m experiments.oscillator_rivals

trains what results/oscillators.json does not have yet, or has of another config, all
seeds of an entry as one program. After every entry that file and the tables of
docs/oscillators.md hold what is finished: stop it when you like, the same command goes
on. `--only="looped LNO"` trains the entries whose names contain that, `--list` prints
them, `--only_report` makes the tables from the results alone. `--shard=0/2` beside
`--shard=1/2`, each on its core (`taskset -c 0`), trains two entries at a time.
"""

from absl import flags

from experiments.pages import oscillators_page
from experiments.poles import kept_rows, measure, rivals
from experiments.run.command import run_command
from experiments.run.exit_codes import INTERRUPTED
from experiments.run.interruption import Interrupted, Interruption
from experiments.run.outputs import require_folder
from experiments.run.terminal import Console
from experiments.suite import shard
from pilno_jax.checks import require
from pilno_jax.runs import files

SEEDS = flags.DEFINE_integer("seeds", 5, "Of every network.", lower_bound=1)
ONLY = flags.DEFINE_string("only", "", "Part of the names of the entries to train.")
LIST = flags.DEFINE_bool("list", False, "Print the entries and stop.")
SHARD = shard.define_flag()
ONLY_REPORT = flags.DEFINE_bool("only_report", False, "Train nothing.")
CACHE = flags.DEFINE_string("cache", "runs/cache", "Where data sets are kept.")


def main(words: list[str]) -> int:
    del words
    rows = files.read_json(oscillators_page.RESULTS)
    if ONLY_REPORT.value:
        oscillators_page.write(rows)
        return 0
    chosen = [entry for entry in rivals.entries() if ONLY.value in entry.name]
    names = [entry.name for entry in rivals.entries()]
    require(bool(chosen), "only", ONLY.value, f"part of one of {names}")
    mine = shard.part_of(chosen, SHARD.value)
    if LIST.value:
        print("\n".join(entry.name for entry in mine))
        return 0
    cache, console = require_folder("cache", CACHE.value), Console()
    left = [e for e in mine if not measure.is_kept(e, rows, SEEDS.value)]
    console.line(f"{len(mine)} entries, {len(mine) - len(left)} of them finished")
    with Interruption() as stop:
        try:
            for entry in left:
                console.line(f"training: {entry.name}")
                row = measure.measure(entry, SEEDS.value, cache, stop.poll)
                console.line(f"errors: {', '.join(f'{e:.3g}' for e in row['errors'])}")
                kept_rows.keep(row)
        except Interrupted as reason:
            console.line(f"interrupted by {reason}; the same command goes on from here")
            return INTERRUPTED
    return 0


if __name__ == "__main__":
    run_command(main)
