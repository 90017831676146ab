"""The labelled sets that a config takes from files of the user's."""

from collections.abc import Callable
from pathlib import Path

from experiments.config.schema import RunConfig
from experiments.run.data_sets import SPLITS, set_size
from pilno_jax import data
from pilno_jax.checks import ArgumentError
from pilno_jax.data.own_file import labelled_file
from pilno_jax.problems import Problem


def own_files(config: RunConfig) -> dict[str, Path]:
    """The files that a config names, by split.

    Raises:
        ArgumentError: There is no such file.
    """
    named = {split: getattr(config.data, f"{split}_file") for split in SPLITS}
    paths = {k: Path(name) for k, name in named.items() if name is not None}
    for split, path in paths.items():
        if not path.is_file():
            raise ArgumentError(f"data.{split}_file: there is no file {str(path)!r}")
    return paths


def own_sets(
    config: RunConfig, problem: Problem, say: Callable[[str], None]
) -> dict[str, data.Data]:
    """The sets of those files, read and checked.

    As many samples of each as the config asks for. Sets of one file take them one after
    the other, so that no sample judges what it has taught.

    Args:
        config: of the run.
        problem: that it trains on.
        say: is told what was read, and what the equation says of it.

    Raises:
        ArgumentError: A file does not fit; the text, one line, names its field.
    """
    sets, taken = {}, dict[Path, int]()
    for split, path in own_files(config).items():
        count, first = set_size(config, split), taken.get(path.resolve(), 0)
        try:
            mine = labelled_file(problem, path, first, count)
        except (ArgumentError, ImportError) as error:
            raise ArgumentError(f"data.{split}_file: {error}") from error
        taken[path.resolve()] = first + count
        say(f"{split} set from {path}: {'; '.join(str(mine).splitlines())}")
        sets[split] = mine.data
    return sets
