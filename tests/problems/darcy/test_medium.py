"""Media: what their faces conduct, and inputs from media of one's own."""

import jax
import numpy as np
import pytest

from pilno_jax.problems.darcy import darcy, inputs_from
from pilno_jax.problems.darcy.medium import blocks_around_nodes


@pytest.mark.parametrize("n", [25, 13, 9, 7, 5, 4])
def test_faces_are_series_along_and_parallel_across(x64, n):
    """Ratios 1, 2, 3, 4, 6 and 8, by loops over what each coarse face covers."""
    fine = 25
    a = np.random.default_rng(0).uniform(1.0, 9.0, (fine, fine))
    ratio = (fine - 1) // (n - 1)
    half = ratio // 2
    weights = {k: 1.0 for k in range(-half, half + 1)}
    if ratio % 2 == 0:
        weights[-half] = weights[half] = 0.5
    inputs = inputs_from(a, n)
    for i in range(n - 1):
        for j in range(1, n - 1):
            along_x, along_y = 0.0, 0.0
            for k, weight in weights.items():
                row = a[i * ratio : (i + 1) * ratio + 1, j * ratio + k]
                column = a[j * ratio + k, i * ratio : (i + 1) * ratio + 1]
                along_x += weight / np.mean(2 / (row[1:] + row[:-1])) / ratio
                along_y += weight / np.mean(2 / (column[1:] + column[:-1])) / ratio
            assert abs(inputs["a_x"][i, j - 1] - along_x) < 1e-13
            assert abs(inputs["a_y"][j - 1, i] - along_y) < 1e-13
    np.testing.assert_array_equal(inputs["a"], a[::ratio, ::ratio])


@pytest.mark.parametrize("n", [16, 31, 61])
def test_a_constant_medium_has_constant_faces(n):
    inputs = inputs_from(np.full((61, 61), 5.0), n)
    assert inputs["a_x"].shape == (n - 1, n - 2)
    assert inputs["a_y"].shape == (n - 2, n - 1)
    for name in ("a", "a_x", "a_y"):
        np.testing.assert_allclose(inputs[name], 5.0, rtol=1e-6)


def test_a_drawn_medium_is_refined_in_blocks_around_its_nodes(x64):
    """Every fine node has the value of the nearest coarse one."""
    coarse = np.random.default_rng(0).uniform(3.0, 12.0, (5, 5))
    fine = blocks_around_nodes(coarse, 25)
    assert fine.shape == (25, 25)
    for i, j in ((0, 0), (2, 7), (4, 9), (10, 24), (21, 13)):
        assert fine[i, j] == coarse[round(i / 6), round(j / 6)]
    problem = darcy(num_points=5, num_fine=25, label_points=5)
    completed = problem.complete({"a": coarse})
    np.testing.assert_array_equal(completed["a_fine"], fine)
    np.testing.assert_array_equal(completed["a"], coarse)
    expected = inputs_from(fine, 5)
    assert completed.keys() == jax.eval_shape(problem.sample, jax.random.key(0)).keys()
    for name, values in expected.items():
        np.testing.assert_array_equal(completed[name], values)
    assert problem.solvable(completed)


def test_bad_media_are_named():
    good = np.full((25, 25), 3.0)
    hole, negative = good.copy(), good.copy()
    hole[3, 4], negative[3, 4] = np.nan, -1.0
    with pytest.raises(ValueError, match="a_fine = .*1 NaN"):
        inputs_from(hole, 13)
    with pytest.raises(ValueError, match="minimum of a_fine = .*-1.0.*positive"):
        inputs_from(negative, 13)
    with pytest.raises(ValueError, match=r"shape of a_fine = \(25, 24\)"):
        inputs_from(good[:, 1:], 13)
    with pytest.raises(ValueError, match="num_points = 12"):
        inputs_from(good, 12)
    with pytest.raises(ValueError, match=r"shape of a = \(5, 4\)"):
        darcy(num_points=5, num_fine=25, label_points=5).complete({"a": good[:5, :4]})
