"""The benchmark of inference: what it times, and the page it fills."""

import json
from pathlib import Path

import jax.numpy as jnp
import pytest

from benchmarks import inference


def test_every_answer_is_asked_for_once_per_repetition():
    """Time per input: ten times the inputs in one call are not ten times as slow."""
    asked = []

    def answer(x):
        asked.append(x.shape)  # while it is traced
        return jnp.sum(x) ** 2

    found = inference.per_input(answer, jnp.ones((10, 3)), at_once=4, repetitions=2)
    assert found > 0 and asked and all(shape == (3,) for shape in asked)


def test_the_page_is_that_of_the_committed_result():
    result = Path("results/inference.json")
    if not result.exists():
        pytest.skip("not measured yet")
    text = inference.PAGE.read_text()
    assert text == inference.in_page(text, json.loads(result.read_text())["configs"])


def test_rows_say_how_many_times_faster():
    row = {"predict_ms": 2.0, "solve_ms": 5.0, "times_faster": 2.5}
    page = f"<!-- made by {inference.COMMAND} -->\n<!-- end -->"
    filled = inference.in_page(page, {"burgers": {"1": row}})
    assert "| burgers | 2.00 | 5.00 | 2.5 x |" in filled
