"""A suite is a list of runs, each an ordinary workdir started by its own command.

Finished runs are reused, interrupted ones resumed. A run is a process of its own: its
memory is its own, and the command in its result is all that it takes to repeat it.
"""

import dataclasses
import hashlib
import shlex
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from experiments.entry import INTERRUPTED
from experiments.interruption import Interrupted, Interruption
from experiments.progress import Console, about
from pilno_jax import reporting

ENTRY_POINTS = {
    "burgers": "burgers",
    "darcy": "darcy",
    "diffusion": "diffusion",
    "forced_kdv": "forced_kdv",
    "rd_forcing": "reaction_diffusion",
    "rd_ic": "reaction_diffusion",
}


@dataclasses.dataclass(frozen=True)
class Run:
    """A config file, a recipe in it, and the fields to change."""

    config: str
    recipe: str = "fast"
    changes: tuple[tuple[str, Any], ...] = ()

    def but(self, changes: Mapping[str, Any]) -> "Run":
        """The same run with these fields changed as well."""
        merged = dict(self.changes) | dict(changes)
        return dataclasses.replace(self, changes=tuple(sorted(merged.items())))

    @property
    def name(self) -> str:
        """Of the workdir: readable, and the same run in two suites is one."""
        parts = [f"{f.rpartition('.')[2]}={_plain(v)}" for f, v in self.changes]
        short = ",".join(parts)[:80] or "default"
        digest = hashlib.sha256(repr(self.changes).encode()).hexdigest()[:8]
        return f"{self.config}_{self.recipe}/{short}-{digest}"

    def workdir(self, root: Path) -> Path:
        return root / self.name

    def command(self, root: Path, cache: Path) -> list[str]:
        recipe = "" if self.recipe == "fast" else f":{self.recipe}"
        return [
            *(sys.executable, "-m", f"experiments.{ENTRY_POINTS[self.config]}"),
            f"--config=configs/{self.config}.py{recipe}",
            *(f"--config.{field}={value}" for field, value in self.changes),
            f"--workdir={self.workdir(root)}",
            f"--cache={cache}",
        ]

    def result(self, root: Path) -> dict[str, Any] | None:
        """Its result, if the run is finished."""
        workdir = self.workdir(root)
        done = (workdir / "result.json").exists() and (workdir / "report.html").exists()
        return reporting.read_json(workdir / "result.json") if done else None


def _plain(value: Any) -> str:
    """For a folder's name: no spaces, brackets or slashes."""
    items = value if isinstance(value, tuple | list) else [value]
    return "x".join(str(item) for item in items).replace("/", "-") or "none"


class Failed(Exception):
    """A run of the suite ended with an error; the others were not started."""


def shard(runs: Sequence[Run], part: str) -> list[Run]:
    """Every n-th run, from the i-th on, for `part` = "i/n" with i = 0, ..., n - 1."""
    index, _, count = part.partition("/")
    numbers = index.isdigit() and count.isdigit()
    if not (numbers and int(index) < int(count)):
        text = f"shard = {part!r} is not allowed: expected i/n with 0 <= i < n"
        raise ValueError(text)
    return list(runs)[int(index) :: int(count)]


def unique(runs: Iterable[Run]) -> list[Run]:
    return list(dict.fromkeys(runs))


def run_all(runs: Sequence[Run], root: Path, cache: Path, console: Console) -> None:
    """Start what is not finished, one after the other, and say how far it is."""
    left = [run for run in runs if run.result(root) is None]
    console.line(f"{len(runs)} runs, {len(runs) - len(left)} of them finished")
    with Interruption() as stop:
        for started, run in enumerate(left):
            stop.poll()
            expected = seconds_left(left[started:], runs, root)
            time_left = f", {about(expected)} left" if expected else ""
            number = 1 + len(runs) - len(left) + started
            console.line(f"run {number} of {len(runs)}{time_left}: {run.name}")
            _start(run, root, cache, stop)


def _start(run: Run, root: Path, cache: Path, stop: Interruption) -> None:
    workdir = run.workdir(root)
    workdir.mkdir(parents=True, exist_ok=True)
    command = run.command(root, cache)
    with (workdir / "log.txt").open("a") as log:
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
        while (code := process.poll()) is None:
            if stop.requested:
                # It saves, and says so by its exit code; a second signal is harmless.
                process.terminate()
                process.wait()
                raise Interrupted(stop.requested)
            time.sleep(0.2)
    if code == INTERRUPTED:
        raise Interrupted(run.name)
    if code:
        last = (workdir / "log.txt").read_text().strip().splitlines()[-1:]
        reason = f"exit code {code}: {''.join(last)}"
        raise Failed(f"{run.name}: {reason}; its command: {shlex.join(command)}")


def seconds_left(left: Sequence[Run], runs: Sequence[Run], root: Path) -> float | None:
    """From the finished runs: for each that is left, the mean of those most like it."""
    known = {run: found for run in runs if (found := run.result(root))}
    if not known:
        return None
    total = 0.0
    for run in left:
        alike = [
            found["wall_clock_seconds"]
            for other, found in known.items()
            if (other.config, other.recipe) == (run.config, run.recipe)
        ]
        times = alike or [found["wall_clock_seconds"] for found in known.values()]
        total += sum(times) / len(times)
    return total
