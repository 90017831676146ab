"""On another grid than the training's, errors become those of that grid."""

import pytest

import pilno_jax
from experiments.suite.finer_grids import measured


def test_errors_are_those_of_the_grid_asked_on():
    row = measured(pilno_jax.load("darcy"), points=31, count=3)
    # Seen: both within 1 % of the grid's own, twice as large as that of the training's.
    assert row["grid_error"] > 2e-3
    assert row["corrected_error"] == pytest.approx(row["grid_error"], rel=0.1)
    assert row["error"] == pytest.approx(row["grid_error"], rel=0.1)
