"""Boundary values as inputs: a line that is a solution, a shift, and hard ends."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pilno_jax import problems

SMALL = {"num_x": 17, "num_t": 9, "length_scale": 2.0, "final_time": 0.2}
KEY = jax.random.key(1)
ENDS = {"u_left": 0.7, "u_right": -0.4}


def made(**options):
    return problems.reaction_diffusion(**SMALL, boundary_sigma=0.5, **options)


def drawn(problem, **changes):
    changed = {name: jnp.asarray(value) for name, value in changes.items()}
    return {**jax.jit(problem.sample)(KEY), **changed}


def line(problem):
    x = np.asarray(problem.grid.coordinates[0])
    return (0.7 * (1 - x) - 0.4 * x)[:, None]


def test_without_source_and_reaction_the_line_stays(x64):
    problem = made(reaction=0.0)
    inputs = drawn(problem, f=np.zeros(17), **ENDS)
    u = jax.jit(problem.solve)(inputs)
    np.testing.assert_allclose(u, np.broadcast_to(line(problem), u.shape), atol=1e-12)
    np.testing.assert_allclose(problem.residual(u, inputs), 0.0, atol=1e-10)


def test_without_reaction_the_values_are_added_to_the_problem_with_zero_ends(x64):
    """The equation is linear then; forcing and its draws are those of zero ends."""
    problem = made(reaction=0.0, diffusivity=(0.01, 0.1))
    plain = problems.reaction_diffusion(**SMALL, reaction=0.0, diffusivity=(0.01, 0.1))
    inputs, without = drawn(problem, **ENDS), drawn(plain)
    for name, value in without.items():
        np.testing.assert_array_equal(inputs[name], value)
    shifted, at_zero = jax.jit(problem.solve)(inputs), jax.jit(plain.solve)(without)
    np.testing.assert_allclose(shifted, line(problem) + at_zero, atol=1e-10)
    raw = jnp.asarray(np.random.default_rng(0).normal(size=problem.shape))
    np.testing.assert_allclose(
        problem.constrain(raw, inputs),
        line(problem) + plain.constrain(raw, without),
        atol=1e-12,
    )


def test_the_reference_solves_the_equation(x64):
    """With a reaction, and a source that agrees with the ends to fourth order."""
    options = {**SMALL, "num_x": 151, "num_t": 21, "reaction": 0.5}
    problem = problems.reaction_diffusion(**options, boundary_sigma=0.5)
    x = problem.grid.coordinates[0]
    # k u^2 - f vanishes at the ends at the start, and with it all corner layers.
    agreed = 0.5 * jnp.asarray(line(problem)[:, 0]) ** 2
    inputs = drawn(problem, f=agreed + jnp.sin(jnp.pi * x) ** 4, **ENDS)
    u = jax.jit(problem.solve)(inputs)
    # Order 4 on 151 nodes: seen 3e-8, where u_t is about 1.
    assert float(jnp.sqrt(jnp.mean(problem.residual(u, inputs) ** 2))) < 1e-7


@pytest.mark.parametrize("mollifier", ["start_from_rest", "sines"])
def test_ends_and_start_are_hard(mollifier):
    problem, soft = made(mollifier=mollifier), made(hard_constraints=False)
    inputs = drawn(problem, **ENDS)
    raw = jnp.asarray(np.random.default_rng(0).normal(size=problem.shape), jnp.float32)
    u = np.asarray(problem.constrain(raw, inputs))
    np.testing.assert_allclose(u[0], 0.7, atol=1e-6)
    np.testing.assert_allclose(u[-1], -0.4, atol=1e-6)
    np.testing.assert_allclose(u[:, :1], line(problem), atol=1e-6)
    for name, penalty in soft.constraints.items():
        np.testing.assert_allclose(penalty(u, inputs), 0.0, atol=1e-6, err_msg=name)
        assert np.abs(penalty(u + 1.0, inputs)).min() > 0.9


def test_the_network_sees_the_values_and_others_can_edit_them():
    problem = made()
    inputs = drawn(problem, **ENDS)
    seen = problem.features(inputs)
    np.testing.assert_allclose(seen[3, 4, -2:], [3.5, -2.0], rtol=1e-6)
    assert all(problem.inputs[name].editable for name in ENDS)
    draws = jax.vmap(problem.sample)(jax.random.split(KEY, 400))
    for name in ENDS:
        # Of 400 normal numbers, to five standard deviations.
        assert np.std(draws[name]) == pytest.approx(0.5, rel=0.18)
    with pytest.raises(ValueError, match="entry 'u_left'"):
        problem.solve({"f": inputs["f"]})


def test_bad_options_are_named():
    with pytest.raises(ValueError, match="boundary_sigma = -1.0 .* >= 0"):
        problems.reaction_diffusion(boundary_sigma=-1.0)
    with pytest.raises(ValueError, match="boundary_sigma = 0.5 .* Task 'ic'"):
        problems.reaction_diffusion(task="ic", boundary_sigma=0.5)
