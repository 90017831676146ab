"""A training as long as its recipe, from the time of a few steps."""

import pytest

from benchmarks.printed_recipes import CONFIGS, whole
from benchmarks.time_to_accuracy import StageTime
from experiments.paper.as_printed import is_main, trainings


def test_a_whole_training_is_all_steps_of_all_stages_and_what_comes_before_them():
    times = [StageTime(10.0, 0.1), StageTime(5.0, 1.0)]
    assert whole(times, [100, 20]) == pytest.approx(10 + 10 + 5 + 20)
    with pytest.raises(ValueError):
        whole(times, [100])


def test_every_main_result_of_the_paper_is_timed():
    assert {one.run.config for one in trainings() if is_main(one)} == set(CONFIGS)
