"""An error bar keeps its promise on inputs it has not seen."""

import numpy as np
import pytest

from pilno_jax.evaluation.error_bar import ErrorBar, error_bar, judged


def draws(count, seed, spread=0.3):
    """Estimates that are right within a random factor, and errors."""
    rng = np.random.default_rng(seed)
    errors = 10.0 ** rng.uniform(-4, -2, count)
    return errors * np.exp(spread * rng.normal(size=count)), errors


def test_the_bound_holds_for_nine_of_ten_new_inputs():
    """On average over sets of 50, as conformal prediction promises; not for all."""
    covered = []
    for seed in range(200):
        bar = error_bar("correction", *draws(50, seed))
        covered.append(judged(bar, *draws(100, 1000 + seed))["coverage"])
    assert 0.89 < np.mean(covered) < 0.93


def test_a_correction_is_read_as_it_is_and_a_residual_by_its_law():
    sizes = np.geomspace(1e-3, 1e-1, 20)
    errors = 3.0 * sizes**0.5
    as_it_is = error_bar("correction", sizes, errors)
    np.testing.assert_array_equal(as_it_is.expected(sizes), sizes)
    by_law = error_bar("residual", sizes, errors)
    np.testing.assert_allclose(by_law.expected(sizes), errors, rtol=1e-9)
    assert by_law.factor_above == pytest.approx(1.0)


def test_unlike_is_what_lies_far_above_all_seen():
    sizes = np.linspace(1e-3, 1e-2, 20)
    bar = error_bar("correction", sizes, sizes)
    np.testing.assert_array_equal(
        bar.is_unlike(np.array([1e-5, 1e-2, 1.9e-2, 2.1e-2])), [0, 0, 0, 1]
    )


def test_judged_counts_what_is_within_a_factor():
    bar = error_bar("correction", *2 * [np.geomspace(1e-3, 1e-2, 20)])
    errors = np.full(4, 1e-3)
    verdict = judged(bar, errors * np.array([1.0, 1.4, 2.0, 5.0]), errors)
    assert verdict["within_1.5"] == 0.5 and verdict["within_3"] == 0.75
    assert verdict["coverage"] == 1.0


def test_it_comes_back_from_json():
    import json

    bar = error_bar("residual", *draws(30, 0))
    assert ErrorBar.from_dict(json.loads(json.dumps(bar.to_dict()))) == bar
