"""Flags that commands over many runs share; names are global to a process."""

from pathlib import Path

from absl import flags

from experiments.run.outputs import require_folder

ROOT = flags.DEFINE_string("root", "runs/reproduce", "Where the runs live.")
CACHE = flags.DEFINE_string("cache", "runs/cache", "Where data sets are kept.")


def folders() -> tuple[Path, Path]:
    """Where runs live, and where data sets are kept."""
    root, cache = (require_folder(flag.name, flag.value) for flag in (ROOT, CACHE))
    return root, cache


def define_at_once() -> flags.FlagHolder[int]:
    """For commands that train; those that only read runs have no use for it."""
    return flags.DEFINE_integer(
        "at_once",
        1,
        "How many runs go at the same time, each on its share of the cores.",
        lower_bound=1,
    )
