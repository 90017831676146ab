"""The columns of metrics.jsonl, and which of them are losses."""

import pytest
import toy

from experiments.run import figures, metrics
from pilno_jax import plotting
from pilno_jax.training import Progress

PROGRESS = Progress(
    20, {"data": 1.0, "gradient_norm": 4.0, "loss": 3.0, "pde": 2.0}, None, 2, 0
)  # type: ignore[arg-type]


def test_a_row_has_all_that_was_measured_and_no_column_for_what_was_not():
    row = metrics.log_row(PROGRESS, elapsed=1.23456)
    assert list(row) == [
        *("step", "data", "gradient_norm", "loss", "pde", "skipped", "elapsed")
    ]
    assert row["step"] == 20 and row["skipped"] == 2 and row["elapsed"] == 1.235
    row = metrics.log_row(PROGRESS, 1.0, step_ms=2.34567, validation=0.125)
    assert row["step_ms"] == 2.346 and row["validation"] == 0.125


def test_only_losses_are_drawn_as_losses(monkeypatch):
    """A column that is no loss, known or new, is left out."""
    drawn = {}

    def remember(steps, terms, stage_starts):
        assert not stage_starts
        drawn.update(terms)

    monkeypatch.setattr(plotting, "loss_figure", remember)
    row = metrics.log_row(PROGRESS, 1.0, step_ms=2.0, validation=0.1) | {"stage": 1}
    rows = [row, row | {"step": 40, "loss": None}]
    figures.loss_terms(rows, metrics.loss_columns(toy.decay()))
    assert set(drawn) == {"loss", "data", "pde"}
    assert drawn["loss"] == pytest.approx([3.0, float("nan")], nan_ok=True)


def test_the_median_leaves_out_rows_without_a_time():
    rows = [{"step": 10}, *({"step_ms": time} for time in (3.0, 1.0, 50.0))]
    assert metrics.median_step_ms(rows) == 3.0
    assert metrics.median_step_ms([{"step": 10}]) is None
