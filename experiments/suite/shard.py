"""Runs that several processes share, each its part, as job arrays do."""

from collections.abc import Sequence
from typing import TypeVar

from absl import flags

from pilno_jax.checks import require

Run = TypeVar("Run")


def define_flag() -> flags.FlagHolder[str | None]:
    """For commands that train many runs; names of flags are global to a process."""
    return flags.DEFINE_string(
        "shard", None, "i/n: only every n-th run, from the i-th on; for job arrays."
    )


def part_of(runs: Sequence[Run], part: str | None) -> list[Run]:
    """Every n-th run, from the i-th on, for `part` = "i/n" with i = 0, ..., n - 1.

    Args:
        runs: of all processes together, in the same order for each of them.
        part: None takes all.
    """
    if part is None:
        return list(runs)
    index, _, count = part.partition("/")
    numbers = index.isdigit() and count.isdigit()
    fits = numbers and int(index) < int(count)
    require(fits, "shard", part, "i/n with 0 <= i < n")
    return list(runs)[int(index) :: int(count)]
