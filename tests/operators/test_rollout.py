"""Windows in time, one after the other: with a solver in place of the network."""

import functools
import types

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pilno_jax import problems
from pilno_jax.operators import joined, rollout

SMALL = {"num_x": 16, "num_t": 9, "final_time": 0.2, "length_scale": 2.0}
KEYS = jax.random.split(jax.random.key(2), 2)


def exact(problem, wrong=0.0):
    """The solver; with `wrong`, off by a wave that grows in time to that size."""
    *_, t = problem.grid.scaled
    x = problem.grid.coordinates[0]
    wave = jnp.outer(jnp.sin(2 * jnp.pi * x), t)

    def apply(inputs):
        u = jax.vmap(problem.solve)(inputs)
        return u + wrong * wave[None] if wrong else u

    return types.SimpleNamespace(problem=problem, apply=apply)


def ten_times(make, **options):
    """The same problem over [0, 10 T] on the same times."""
    longer = {**SMALL, "num_t": 81, "final_time": 2.0}
    return make(**{**longer, **options})


@pytest.mark.parametrize(
    "make, options, near",
    [
        # A closed form on the modes of the grid: to rounding.
        (problems.diffusion, {"diffusivity": 0.02}, 1e-12),
        # A law: each sample goes on with its own value.
        (problems.diffusion, {"diffusivity": (0.01, 0.1)}, 1e-12),
        # Smooth waves; at every restart 16 nodes forget what 128 knew.
        (problems.burgers, {"viscosity": 0.05}, 1e-5),
    ],
)
def test_windows_of_the_solver_are_the_solution_of_ten_times(x64, make, options, near):
    problem, longer = make(**SMALL, **options), ten_times(make, **options)
    inputs = jax.vmap(problem.sample)(KEYS)
    answer = rollout(exact(problem), inputs, 10)
    truths = jax.jit(jax.vmap(longer.solve))(inputs)
    for found, truth in zip(answer.u, truths, strict=True):
        whole = joined(problem, found)
        assert whole.shape == longer.shape
        np.testing.assert_allclose(whole, truth, atol=near)
    assert answer.windows.tolist() == [10, 10]
    alone = rollout(exact(problem), {k: v[1] for k, v in inputs.items()}, 10)
    np.testing.assert_allclose(alone.u, answer.u[1], atol=1e-13)


def test_a_system_goes_on_with_all_of_its_fields(x64):
    small = {**SMALL, "num_t": 13}
    problem = problems.brusselator(**small)
    longer = problems.brusselator(**{**small, "num_t": 37, "final_time": 0.6})
    inputs = problem.sample(KEYS[0])
    answer = rollout(exact(problem), inputs, 3)
    truth = jax.jit(longer.solve)(inputs)
    # 16 nodes forget at every restart what 64 knew: the tail of the cubic reaction.
    np.testing.assert_allclose(joined(problem, answer.u), truth, atol=1e-6)


@functools.cache
def slightly_wrong():
    """Burgers with an error of 1 % of u in every window, rolled out; and the truth."""
    problem = problems.burgers(**SMALL, viscosity=0.05)
    inputs = jax.vmap(problem.sample)(KEYS)
    longer = ten_times(problems.burgers, viscosity=0.05)
    truths = jax.jit(jax.vmap(longer.solve))(inputs)
    return problem, inputs, truths, rollout(exact(problem, 2e-3), inputs, 10)


def test_the_estimate_follows_the_error(x64):
    problem, _, truths, answer = slightly_wrong()
    steps = problem.grid.shape[1] - 1
    for number in range(10):
        there = truths[:, :, number * steps : (number + 1) * steps + 1]
        off = np.linalg.norm(answer.u[:, number] - there, axis=(1, 2))
        true = off / np.linalg.norm(there, axis=(1, 2))
        # What the residual tells, and what the operator's derivative makes of it.
        np.testing.assert_allclose(answer.error[:, number], true, rtol=0.3)
    # Errors of ten windows add up: the last is not that of a single one.
    assert np.all(answer.error[:, -1] > 3 * answer.error[:, 0])


def test_a_sample_ends_where_its_estimate_exceeds_the_tolerance(x64):
    problem, inputs, _, whole = slightly_wrong()
    tolerance = float(whole.error[0, 4])  # of five windows of the first sample
    answer = rollout(exact(problem, 2e-3), inputs, 10, tolerance * (1 + 1e-6))
    assert int(answer.windows[0]) == 5
    for found, all_of, count in zip(
        answer.u, whole.u, answer.windows.tolist(), strict=True
    ):
        np.testing.assert_allclose(found[:count], all_of[:count], atol=1e-12)
        assert np.isnan(found[count:]).all()
    assert np.isnan(answer.error[0, 5:]).all()


def test_a_problem_that_does_not_go_on_is_named():
    forced = exact(problems.reaction_diffusion(num_x=13, num_t=9))
    with pytest.raises(
        ValueError, match="problem = 'reaction_diffusion' .* `next_window"
    ):
        rollout(forced, {"f": jnp.zeros(13)}, 2)
    with pytest.raises(ValueError, match="windows = 0 .* at least 1"):
        rollout(exact(problems.diffusion(**SMALL)), {"u0": jnp.zeros(16)}, 0)
