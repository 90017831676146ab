"""A table finds what is in it, and answers another shape with the shape it knows."""

import numpy as np

from experiments.poles import nearest_label

T = np.linspace(0.0, 1.0, 64)


def a_set(sizes, decay):
    shape = np.exp(-decay * T) * np.sin(20 * T)
    f = np.array(sizes)[:, None] * shape
    return {"inputs": {"f": f}, "labels": f**2}


def test_a_forcing_of_the_table_is_answered_exactly():
    table = a_set([1.0, 2.0, 3.0], decay=0.0)
    assert not np.any(nearest_label.errors(table, a_set([3.0, 1.0], decay=0.0)))


def test_another_shape_is_answered_with_the_shape_of_the_same_start():
    table, asked = a_set([1.0, 2.0, 3.0], decay=0.0), a_set([2.0], decay=1.0)
    known = table["labels"][1]
    gap = np.linalg.norm(known - asked["labels"][0])
    expected = gap / np.linalg.norm(asked["labels"][0])
    np.testing.assert_allclose(nearest_label.errors(table, asked), [expected])
