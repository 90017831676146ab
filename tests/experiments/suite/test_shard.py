"""Shards together are all of the runs, none of them twice."""

import pytest

from experiments.suite.shard import part_of


def test_shards_cover_every_run_once():
    runs = list(range(7))
    parts = [part_of(runs, f"{i}/3") for i in range(3)]
    assert sorted(run for part in parts for run in part) == runs
    assert part_of(runs, None) == runs
    for wrong in ("3/3", "1", "-1/3", "a/b", "0/0", ""):
        with pytest.raises(ValueError, match="expected i/n"):
            part_of(runs, wrong)
