"""An error bar keeps its promise on inputs it has not seen."""

import json

import numpy as np
import pytest

from pilno_jax.evaluation.error_bar import ErrorBar, error_bar, judged


def draws(count, seed, spread=0.3):
    """Sizes that are right within a random factor, and errors."""
    rng = np.random.default_rng(seed)
    errors = 10.0 ** rng.uniform(-4, -2, count)
    return errors * np.exp(spread * rng.normal(size=count)), errors


def test_the_bound_holds_for_nine_of_ten_new_inputs():
    """On average over sets of 50, as conformal prediction promises; not for each."""
    covered = []
    for seed in range(60):
        bar = error_bar(*draws(50, seed), *draws(50, 500 + seed))
        covered.append(judged(bar, *draws(100, 1000 + seed))["coverage"])
    assert 0.88 < np.mean(covered) < 0.94


def test_factor_and_floor_are_told_apart():
    sizes = np.geomspace(1e-5, 1e-1, 40)
    errors = np.hypot(0.2 * sizes, 3e-4)
    bar = error_bar(sizes, errors, sizes, errors)
    assert bar.factor == pytest.approx(0.2, rel=0.03)
    assert bar.floor == pytest.approx(3e-4, rel=0.07)
    np.testing.assert_allclose(bar.expected(sizes), errors, rtol=0.07)
    assert bar.factor_above == pytest.approx(1.0, abs=0.07)
    sizes = np.array([bar.size_of(1e-2)])
    np.testing.assert_allclose(bar.expected(sizes), 1e-2)
    assert bar.size_of(1e-5) == 0.0


def test_unlike_is_what_lies_far_above_all_seen():
    sizes = np.linspace(1e-3, 1e-2, 20)
    bar = error_bar(sizes, sizes, sizes, sizes)
    np.testing.assert_array_equal(
        bar.is_unlike(np.array([1e-5, 1e-2, 1.9e-2, 2.1e-2])), [0, 0, 0, 1]
    )


def test_judged_counts_what_is_within_a_factor():
    exact = np.geomspace(1e-3, 1e-2, 20)
    bar = error_bar(exact, exact, exact, exact)
    errors = np.full(4, 1e-3)
    verdict = judged(bar, errors * np.array([1.0, 1.4, 2.0, 5.0]), errors)
    assert verdict["within_1.5"] == 0.5 and verdict["within_3"] == 0.75
    assert verdict["coverage"] == 1.0


def test_it_comes_back_from_json():
    bar = error_bar(*draws(30, 0), *draws(30, 1))
    assert ErrorBar(**json.loads(json.dumps(bar.to_dict()))) == bar
