"""The benchmark of inference: what it times, and the page it fills."""

import jax.numpy as jnp
import pytest

from benchmarks import inference, timing


def test_the_fastest_call_is_divided_by_its_inputs():
    """Calls of 3, 1 and 2 seconds for ten inputs: 100 ms each."""
    times = timing.Times(wall=(3.0, 1.0, 2.0), processor=(0.0, 0.0, 0.0))
    assert inference.per_input(times, 10) == pytest.approx(100.0)


def test_all_inputs_are_answered():
    inputs = jnp.arange(30.0).reshape(10, 3)
    answers = inference.compiled(jnp.sum, inputs, at_once=4)()
    assert answers.tolist() == inputs.sum(1).tolist()


def test_the_page_is_that_of_the_committed_result():
    rows = inference.measured()
    if not rows:
        pytest.skip("not measured yet")
    text = inference.PAGE.read_text()
    assert text == inference.in_page(text, rows)


def test_rows_say_how_many_times_faster():
    row = {"predict_ms": 2.0, "solve_ms": 5.0, "times_faster": 2.5}
    page = f"<!-- made by {inference.COMMAND} -->\n<!-- end -->"
    filled = inference.in_page(page, {"burgers": {"1": row}})
    assert "| burgers | 2.00 | 5.00 | 2.5 x |" in filled
