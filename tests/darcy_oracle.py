"""Darcy flow by scipy's sparse direct solver: nothing of ours but the faces."""

import numpy as np
import scipy.sparse as sparse
from scipy.sparse.linalg import spsolve

SMALL = {"num_points": 31, "num_fine": 121}


def operator(inputs):
    """-div(a grad) on interior nodes as D_x' a_x D_x + D_y' a_y D_y, sparse."""
    a_x, a_y = (np.asarray(inputs[name], np.float64) for name in ("a_x", "a_y"))
    m = a_x.shape[1]
    difference = sparse.diags([1.0, -1.0], [0, -1], shape=(m + 1, m)) * (m + 1)
    identity = sparse.identity(m)
    d_x = sparse.kron(difference, identity)
    d_y = sparse.kron(identity, difference)
    across_x, across_y = sparse.diags(a_x.ravel()), sparse.diags(a_y.ravel())
    return (d_x.T @ across_x @ d_x + d_y.T @ across_y @ d_y).tocsc()


def direct(inputs):
    """The discrete solution on the grid of a_x, by scipy's sparse direct solve."""
    m = inputs["a_x"].shape[1]
    inside = spsolve(operator(inputs), np.ones(m * m))
    return np.pad(inside.reshape(m, m), 1)


def relative(values, expected):
    return np.linalg.norm(values - expected) / np.linalg.norm(expected)


def smooth_medium(n):
    x, y = np.meshgrid(*2 * [np.linspace(0.0, 1.0, n)], indexing="ij")
    return 2.0 + np.sin(3 * x + y) * np.cos(2 * y), x, y
