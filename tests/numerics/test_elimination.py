"""Elimination solves what NumPy's factorisation does."""

import jax
import jax.numpy as jnp
import numpy as np

from pilno_jax.numerics.elimination import solve_by_elimination


def test_systems_are_solved_with_the_pivots_they_need():
    rng = np.random.default_rng(1)
    matrices = rng.normal(size=(2, 2, 12, 12))
    matrices[0, 0] = np.roll(np.eye(12), 5, axis=0)  # no pivot is on the diagonal
    matrices[0, 1, range(12), range(12)] = 1e-9  # pivots there would lose all digits
    matrices[1, 0] = np.sign(matrices[1, 0])  # several rows are equally good
    right = rng.normal(size=(2, 2, 12))
    matrices, right = matrices.astype(np.float32), right.astype(np.float32)
    truth = np.linalg.solve(matrices.astype(float), right[..., None].astype(float))
    answer = jax.jit(solve_by_elimination)(matrices, right)[..., None]
    error = np.linalg.norm(answer - truth, axis=-2) / np.linalg.norm(truth, axis=-2)
    # Rounding, times what the matrix makes of it.
    assert (error[..., 0] < 1e-7 * np.linalg.cond(matrices)).all()


def test_a_singular_matrix_has_no_finite_answer():
    answer = solve_by_elimination(jnp.ones((2, 2)), jnp.arange(2.0))
    assert not np.isfinite(answer).any()
