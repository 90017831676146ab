"""Runs that differ in what labels do not depend on solve them once."""

import pytest

from experiments.config.command_line import read_config
from experiments.run.data_sets import labelled_set

TINY = {"num_x": 8, "num_t": 9, "final_time": 0.01}


def files_after(cache, **options):
    """How many labelled sets the cache holds once this run has its own."""
    problem = {f"problem.{name}": value for name, value in (TINY | options).items()}
    config = read_config("configs/burgers.py").changed(
        {**problem, "train.num_train": 2}
    )
    labelled_set(config, "train", cache)
    return len(list(cache.glob("burgers-*.npz")))


@pytest.mark.parametrize(
    "options",
    [
        {"moving_frame": False},
        {"hard_constraints": False},
        {"virtual_length_scales": (1.0, 2.0)},
    ],
)
def test_the_labels_of_an_ablation_are_not_solved_again(tmp_path, options):
    assert files_after(tmp_path) == 1
    assert files_after(tmp_path, **options) == 1
    assert files_after(tmp_path, viscosity=0.02, **options) == 2
