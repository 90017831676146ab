"""The benchmarks, both recipes and their baselines:

python -m experiments.benchmarks

trains what is not trained yet, gathers results/<config>_<recipe>.json and writes
docs/benchmarks.md, the README's table and that of docs/systems.md. `--only_report`
writes them from the gathered results alone.
"""

from absl import flags

from experiments.pages import as_printed_section, systems_page
from experiments.pages.benchmark_page import PAGE, README, in_readme, page
from experiments.pages.benchmark_results import RESULTS, read_results, read_times
from experiments.paper.benchmark_runs import PARTS, gather, runs
from experiments.run.command import complain, run_command
from experiments.run.terminal import Console
from experiments.suite import suite_flags
from experiments.suite.registry import BENCHMARKS, WITH_GOAL
from experiments.suite.suite import train_all
from pilno_jax.runs import files

CONFIGS = flags.DEFINE_list("config", WITH_GOAL, "Which benchmarks.")
CHOSEN_PARTS = flags.DEFINE_list("parts", list(PARTS), "Which runs of them.")
SEEDS = flags.DEFINE_integer("seeds", 3, "Of our recipe.", lower_bound=1)
AT_ONCE = suite_flags.define_at_once()
ONLY_REPORT = flags.DEFINE_bool("only_report", False, "Train nothing.")
flags.adopt_module_key_flags(suite_flags)


def main(words: list[str]) -> int:
    del words
    for flag, allowed in ((CONFIGS, list(BENCHMARKS)), (CHOSEN_PARTS, list(PARTS))):
        for value in set(flag.value) - set(allowed):
            text = f"{flag.name} = {value!r} is not allowed: expected some of {allowed}"
            return complain(text)
    console = Console()
    if not ONLY_REPORT.value and (code := train(console)):
        return code
    results, times = read_results(), read_times()
    files.write_text(PAGE, page(results, as_printed_section.read()))
    files.write_text(README, in_readme(README.read_text(), results, times))
    systems_page.write(results)
    console.line(f"{PAGE} and the tables of {README} and {systems_page.PAGE} written")
    return 0


def train(console: Console) -> int:
    """Start what is not finished; an exit code other than 0 if that did not go well."""
    root, cache = suite_flags.folders()
    chosen = [
        run
        for part in CHOSEN_PARTS.value
        for config in CONFIGS.value
        for run in runs(config, part, SEEDS.value)
    ]
    try:
        return train_all(chosen, root, cache, console, AT_ONCE.value)
    finally:
        gather(root, SEEDS.value, RESULTS)


if __name__ == "__main__":
    run_command(main)
