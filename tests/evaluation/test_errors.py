"""Errors against numbers worked out by hand."""

import numpy as np
import pytest

from pilno_jax import evaluation

TRUTHS = np.array([[[3.0, 4.0]], [[0.0, 10.0]]], np.float32)
# Off by 5 of 5, and by 1 of 10.
FOUND = np.array([[[0.0, 0.0]], [[0.0, 9.0]]], np.float32)


def test_relative_errors_are_per_sample():
    np.testing.assert_allclose(evaluation.relative_errors(FOUND, TRUTHS), [1.0, 0.1])


def test_the_summary_tells_mean_of_ratios_from_ratio_of_norms():
    found = evaluation.summary(FOUND, TRUTHS)
    assert found["relative_l2"] == pytest.approx(
        {"mean": 0.55, "std": 0.45, "max": 1.0}
    )
    assert found["relative_l2_global"] == pytest.approx(np.sqrt(26 / 125))


@pytest.mark.parametrize("chunk", [1, 2, 7, 50])
def test_chunks_cover_every_sample_once(chunk):
    inputs = {"a": np.arange(7.0), "b": np.ones(7)}
    sizes = []

    def predict(params, part):
        sizes.append(len(part["a"]))
        return params * part["a"] + part["b"]

    found = evaluation.predict_in_chunks(predict, 2.0, inputs, chunk)
    np.testing.assert_array_equal(found, 2 * np.arange(7.0) + 1)
    assert sum(sizes) == 7 and max(sizes) <= chunk
