"""The benchmark of inference: what it times, and the page it fills."""

import json
from pathlib import Path

import jax.numpy as jnp
import pytest

from benchmarks import inference


def test_the_fastest_call_is_divided_by_its_inputs(monkeypatch):
    """Calls of 3, 1 and 2 seconds for ten inputs: 100 ms each."""
    clock = iter([0.0, 3.0, 10.0, 11.0, 20.0, 22.0])
    monkeypatch.setattr(inference.time, "perf_counter", lambda: next(clock))
    inputs = jnp.arange(30.0).reshape(10, 3)
    found = inference.per_input(jnp.sum, inputs, at_once=4, repetitions=3)
    assert found == pytest.approx(100.0)


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
