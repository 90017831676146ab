"""Every table and figure of the paper, from one command each:

python -m experiments.reproduce --artifact=burgers-data

trains what the artifact needs (finished runs are reused, interrupted ones resumed),
then writes results/reproduction/<artifact>.json and docs/figures/<artifact>.png.
`--artifact=all` takes them in order of importance.
"""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from absl import flags

from experiments.paper import ARTIFACTS
from experiments.paper.artifact import Findings, Report
from experiments.run.command import complain, run_command
from experiments.run.open_run import silence_orbax
from experiments.run.terminal import Console
from experiments.suite import shard, suite_flags
from experiments.suite.protocols import PROTOCOLS
from experiments.suite.run_spec import RunSpec
from experiments.suite.suite import train_all, unique
from pilno_jax import plotting
from pilno_jax.runs import files

ARTIFACT = flags.DEFINE_list(
    "artifact", ["all"], "Names, separated by commas, or all; see --list."
)
LIST = flags.DEFINE_bool("list", False, "Name the artifacts and stop.")
PROTOCOL = flags.DEFINE_enum(
    "protocol",
    "cpu",
    list(PROTOCOLS),
    "paper: full lengths and five seeds, for GPUs; cpu: what two cores do in hours.",
)
SHARD = shard.define_flag()
AT_ONCE = suite_flags.define_at_once()
DRY_RUN = flags.DEFINE_bool("dry_run", False, "Print the commands and stop.")
flags.adopt_module_key_flags(suite_flags)

RESULTS, FIGURES = Path("results/reproduction"), Path("docs/figures")
# Of each run's result, what goes into the artifact's json beside its table.
RUN_FIELDS = (
    *("command", "device", "seed", "steps"),
    *("relative_l2", "wall_clock_seconds", "step_ms"),
)


def write(name: str, report: Report, findings: Findings) -> None:
    """The artifact's json and figures."""
    FIGURES.mkdir(parents=True, exist_ok=True)
    RESULTS.mkdir(parents=True, exist_ok=True)
    drawn = []
    for suffix, figure in report.figures.items():
        path = FIGURES / f"{'-'.join(part for part in (name, suffix) if part)}.png"
        plotting.save(figure, path)
        drawn.append(str(path))
    results = [findings.result(key) for key in findings.runs]
    files.write_json(
        RESULTS / f"{name}.json",
        {
            "artifact": name,
            "title": ARTIFACTS[name].title,
            "protocol": findings.protocol.describe(),
            "rows": list(report.rows),
            "claims": [vars(claim) for claim in report.claims],
            "notes": list(report.notes),
            "figures": drawn,
            "versions": results[0]["versions"],
            "device": results[0]["device"],
            "runs": [{field: one[field] for field in RUN_FIELDS} for one in results],
        },
    )


def main(words: list[str]) -> int:
    del words
    if LIST.value:
        for name, artifact in ARTIFACTS.items():
            print(f"{name:26}{artifact.title}")
        return 0
    names = list(ARTIFACTS) if ARTIFACT.value == ["all"] else ARTIFACT.value
    unknown = sorted(set(names) - set(ARTIFACTS))
    if unknown:
        return complain(
            f"artifact = {unknown[0]!r} is not allowed: expected all or some of "
            f"{sorted(ARTIFACTS)}"
        )
    protocol, (root, cache) = PROTOCOLS[PROTOCOL.value], suite_flags.folders()
    artifacts = {
        name: Findings(ARTIFACTS[name].runs(protocol), root, cache, protocol)
        for name in names
    }
    runs = unique(run for one in artifacts.values() for run in one.runs.values())
    mine = shard.part_of(runs, SHARD.value)
    if DRY_RUN.value:
        for run in mine:
            print(shlex.join(["python", *run.command(root, cache)[1:]]))
        return 0
    console = Console()
    console.line(protocol.describe())
    return reproduce(artifacts, mine, root, cache, console)


def reproduce(
    artifacts: Mapping[str, Findings],
    runs: Sequence[RunSpec],
    root: Path,
    cache: Path,
    console: Console,
) -> int:
    """Train `runs`; write every artifact as soon as all of its runs are finished."""
    silence_orbax()
    waiting = dict(artifacts)

    def write_finished() -> None:
        for name, findings in list(waiting.items()):
            if all(run.result(root) for run in findings.runs.values()):
                del waiting[name]
                write(name, ARTIFACTS[name].report(findings), findings)
                console.line(f"{name}: {RESULTS / name}.json")

    write_finished()
    return train_all(runs, root, cache, console, AT_ONCE.value, write_finished)


if __name__ == "__main__":
    run_command(main)
