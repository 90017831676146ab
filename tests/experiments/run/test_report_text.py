"""Sentences and tables of a report, from a result that was really measured."""

import json
import re
from pathlib import Path

import pytest

from experiments.run import beside, report_text
from pilno_jax import problems
from pilno_jax.readable_numbers import percent

RESULTS = Path(__file__).parents[3] / "results"


@pytest.fixture
def result():
    return json.loads((RESULTS / "burgers_staged.json").read_text())[0]


def words(page):
    return re.sub(r"<[^>]*>", " ", page)


def test_the_error_stands_beside_the_papers_and_the_grids(result):
    result["relative_l2"] = {"mean": 7.1e-5, "std": 1e-5, "max": 2e-4}
    sentence = report_text.error_sentence(result)
    assert "0.0071 % on average" in sentence and "0.020 % at worst" in sentence
    assert "The paper prints 1.4 %, 200 times as much." in beside.comparisons(result)
    least = json.loads(beside.FLOORS.read_text())["floors"]["burgers"]["mean"]
    result["relative_l2"]["mean"] = 10 * least
    compared = f"leaves {percent(least)}: this run has 10 times that"
    assert compared in beside.comparisons(result)


def test_another_problem_is_compared_with_nothing(result):
    assert beside.comparisons({**result, "changes": {"problem.viscosity": 1.0}}) == ""
    assert beside.comparisons({**result, "config": "my_own"}) == ""


def test_the_law_that_counts_is_the_benchmarks():
    result = json.loads((RESULTS / "rd_ic_staged.json").read_text())[0]
    hardest = result["relative_l2_by_law"]["length_scale=0.5"]
    assert beside.error_that_counts(result) == hardest != result["relative_l2"]


def test_only_what_differs_from_the_recipe_is_unfolded(result):
    config = result["complete_config"]
    problem = problems.burgers(num_x=16, num_t=9)
    changed = {**result, "changes": {"train.num_train": 7}}
    page = report_text.whole_page(problem, changed, config, [])
    unfolded = re.sub(r"(?s)<details>.*?</details>", "", page)
    assert "train.num_train" in unfolded and "train.learning_rate" not in unfolded
    assert "train.learning_rate" in page
    # No picture was drawn: their sections say nothing, tables are there.
    assert "<img" not in page and "correction 2" in words(unfolded)
    assert "length scale 0.5" in words(unfolded)


def test_devices_are_named_as_people_do():
    assert report_text.device("1 x cpu (2 cores)") == "2 CPU cores"
    assert report_text.device("4 x gpu (A100)") == "4 x gpu (A100)"
