"""A suite is a list of runs, each an ordinary workdir started by its own command.

Finished runs are reused, interrupted ones resumed, several can go at once. A run is a
process of its own: its memory is its own, and the command in its result is all that it
takes to repeat it.
"""

import importlib.metadata
import os
import shlex
import subprocess
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from experiments.run.exit_codes import FAILED, INTERRUPTED
from experiments.run.interruption import Interrupted, Interruption
from experiments.run.terminal import Console, about
from experiments.suite.run_spec import RunSpec


class Failed(Exception):
    """Runs of the suite ended with an error; the others went on to their ends."""


def unique(runs: Iterable[RunSpec]) -> list[RunSpec]:
    return list(dict.fromkeys(runs))


def train_all(
    runs: Sequence[RunSpec],
    root: Path,
    cache: Path,
    console: Console,
    at_once: int = 1,
    after_each: Callable[[], None] = lambda: None,
) -> int:
    """What `run_all` does, for a command: its exit code, and a line if that is not 0.

    Args:
        runs: all of the suite, finished or not.
        root: where they live.
        cache: of labelled sets.
        console: where progress is told.
        at_once: how many go at the same time. Default 1.
        after_each: called when a run has ended well. Default: nothing.
    """
    try:
        run_all(runs, root, cache, console, at_once, after_each)
    except Interrupted as reason:
        console.line(f"interrupted by {reason}; the same command goes on from here")
        return INTERRUPTED
    except Failed as failure:
        console.line(f"error: {failure}")
        return FAILED
    return 0


def run_all(
    runs: Sequence[RunSpec],
    root: Path,
    cache: Path,
    console: Console,
    at_once: int = 1,
    after_each: Callable[[], None] = lambda: None,
) -> None:
    """Start what is not finished, `at_once` at a time, and say how far it is.

    Each of several runs has its own share of this machine's cores: a small step does
    not fill two cores, and threads that compete for one wait for each other.
    """
    left = deque(run for run in runs if run.result(root) is None)
    console.line(f"{len(runs)} runs, {len(runs) - len(left)} of them finished")
    running: dict[int, tuple[RunSpec, subprocess.Popen[bytes]]] = {}
    failures: list[str] = []
    with Interruption() as stop:
        try:
            while left or running:
                stop.poll()
                for lane in range(at_once):
                    if left and lane not in running:
                        console.line(_progress(left, runs, root, at_once))
                        run = left.popleft()
                        running[lane] = run, _start(run, root, cache, lane, at_once)
                for lane, (run, process) in list(running.items()):
                    if (code := process.poll()) is None:
                        continue
                    del running[lane]
                    if code == INTERRUPTED:
                        raise Interrupted(run.name)
                    failure = (
                        _reason(run, code, root, cache) if code else _tried(after_each)
                    )
                    if failure:
                        failures.append(failure)
                        console.line(f"failed: {failure}")
                time.sleep(0.2)
        finally:
            # They save, and end; the same command takes them up again.
            for _, process in running.values():
                process.terminate()
            for _, process in running.values():
                process.wait()
    if failures:
        raise Failed("; ".join(failures))


def _tried(action: Callable[[], None]) -> str | None:
    """What went wrong: a report that fails is no reason to end hours of training."""
    try:
        action()
    except Interrupted:
        raise
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


def _progress(
    left: Sequence[RunSpec], runs: Sequence[RunSpec], root: Path, at_once: int
) -> str:
    expected = seconds_left(left, runs, root)
    time_left = f", {about(expected / at_once)} left" if expected else ""
    number = 1 + len(runs) - len(left)
    return f"run {number} of {len(runs)}{time_left}: {left[0].name}"


def _start(
    run: RunSpec, root: Path, cache: Path, lane: int, at_once: int
) -> subprocess.Popen[bytes]:
    workdir = run.workdir(root)
    workdir.mkdir(parents=True, exist_ok=True)
    command = run.command(root, cache)
    with (workdir / "log.txt").open("a") as log:
        process = subprocess.Popen(
            command,
            stdout=log,
            stderr=subprocess.STDOUT,
            env=compiled_once(cache) | os.environ,
        )
    if at_once > 1 and hasattr(os, "sched_setaffinity"):
        # Before it has started a thread: they inherit it.
        os.sched_setaffinity(process.pid, share_of_cores(lane, at_once))
    return process


def compiled_once(cache: Path) -> dict[str, str]:
    """Runs that differ in a few numbers share most of their compiled programs."""
    version = importlib.metadata.version("jaxlib")  # another's programs may crash
    return {
        "JAX_COMPILATION_CACHE_DIR": str(cache / f"compiled-{version}"),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
    }


def share_of_cores(lane: int, lanes: int) -> list[int]:
    """Disjoint and equal, as long as there are as many cores as lanes."""
    cores = sorted(os.sched_getaffinity(0))
    size = max(len(cores) // lanes, 1)
    first = lane * size % len(cores)
    return cores[first : first + size]


def _reason(run: RunSpec, code: int, root: Path, cache: Path) -> str:
    last = (run.workdir(root) / "log.txt").read_text().strip().splitlines()[-1:]
    command = shlex.join(run.command(root, cache))
    return f"{run.name}: exit code {code}: {''.join(last)}; its command: {command}"


def seconds_left(
    left: Sequence[RunSpec], runs: Sequence[RunSpec], root: Path
) -> float | None:
    """From the finished runs: for each that is left, the mean of those most like it."""
    seconds = {
        run: result["wall_clock_seconds"]
        for run in runs
        if (result := run.result(root))
    }
    if not seconds:
        return None
    total = 0.0
    for run in left:
        alike = [
            taken
            for other, taken in seconds.items()
            if (other.config, other.recipe) == (run.config, run.recipe)
        ]
        times = alike or list(seconds.values())
        total += sum(times) / len(times)
    return total
