"""Coefficients that vary along x: their law, its limits, and the mistakes in it."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pilno_jax import problems
from pilno_jax.problems.coefficients import coefficient, under_other_law

KEY = jax.random.key(5)
LOW, HIGH = 0.005, 0.05
SMALL = {"num_x": 16, "num_t": 9, "final_time": 0.1, "length_scale": 1.0}


def varying(scale, **options):
    law = (LOW, HIGH, scale)
    return problems.diffusion(diffusivity=law, **{**SMALL, **options})


@pytest.mark.parametrize("sampler", ["sample", "sample_virtual"])
def test_at_every_place_a_field_has_the_law_of_a_number(sampler):
    problem = varying(0.5)
    draws = jax.vmap(getattr(problem, sampler))(jax.random.split(KEY, 1000))
    fields = np.asarray(draws["diffusivity"])
    assert fields.shape == (1000, 16)
    assert fields.min() >= LOW and fields.max() <= HIGH * (1 + 1e-6)
    spread = np.log(fields / LOW) / np.log(HIGH / LOW)
    for place in (0, 5):
        # Uniform: shares of 1000 draws, to five standard deviations.
        for quantile in (0.1, 0.5, 0.9):
            below = np.mean(spread[:, place] < quantile)
            assert below == pytest.approx(quantile, abs=0.08)
    # And fields, not numbers: opposite sides of the circle hardly know each other.
    assert abs(np.corrcoef(spread[:, 0], spread[:, 8])[0, 1]) < 0.2
    alone = problems.diffusion(**SMALL)
    expected = jax.vmap(getattr(alone, sampler))(jax.random.split(KEY, 1000))
    np.testing.assert_array_equal(draws["u0"], expected["u0"])


def test_a_field_is_a_function_the_same_on_every_grid():
    coarse, fine = (varying(0.5, num_x=n).sample(KEY)["diffusivity"] for n in (16, 48))
    np.testing.assert_allclose(fine[::3], coarse, rtol=1e-5)


@pytest.mark.usefixtures("x64")
def test_a_field_that_does_not_vary_is_a_number():
    """Solution, residual and what it tells of the error; smooth u, below Nyquist's."""
    smooth = {**SMALL, "length_scale": 3.0}
    field = varying(1.0, **smooth)
    number = problems.diffusion(diffusivity=0.02, **smooth)
    inputs = {**field.sample(KEY), "diffusivity": jnp.full(16, 0.02)}
    x, t = (number.grid.broadcast(z, i) for i, z in enumerate(number.grid.scaled))
    raw = jnp.sin(2 * jnp.pi * x) * jnp.cos(2 * t) + 0.3 * jnp.cos(6 * jnp.pi * x)

    def answers(problem):
        u = problem.constrain(raw, inputs)
        residual = problem.residual(u, inputs)
        return residual, problem.error_of(residual, u, inputs)

    for found, expected in zip(answers(field), answers(number), strict=True):
        # u0 has a little of Nyquist's wave, which first derivatives do not see.
        np.testing.assert_allclose(found, expected, atol=1e-6)
    solved = jax.jit(field.solve)(inputs), jax.jit(number.solve)(inputs)
    # Differences of order 4 on 128 points, of waves that are 20 points long or more.
    np.testing.assert_allclose(*solved, atol=1e-6)


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("name", ["diffusion", "reaction_diffusion"])
def test_the_residual_knows_where_the_diffusivity_is_large(name):
    task = {"task": "ic", "reaction": 0.5} if name == "reaction_diffusion" else {}
    options = {**SMALL, **task, "num_x": 33, "num_t": 17}
    problem = problems.make(name, diffusivity=(LOW, HIGH, 1.0), **options)
    inputs = jax.jit(problem.sample)(KEY)
    u = jax.jit(problem.solve)(inputs)
    wrong = {**inputs, "diffusivity": inputs["diffusivity"][::-1]}
    right, mirrored = (
        jnp.abs(problem.residual(u, one)).max() for one in (inputs, wrong)
    )
    assert mirrored > 100 * right


def test_the_network_sees_the_field_from_end_to_end():
    problem = varying(1.0)
    inputs = problem.sample(KEY)
    ramp = LOW * (HIGH / LOW) ** np.linspace(0.0, 1.0, 16)
    seen = problem.features({**inputs, "diffusivity": jnp.asarray(ramp, jnp.float32)})
    expected = np.broadcast_to(np.linspace(-1, 1, 16)[:, None], (16, 9))
    np.testing.assert_allclose(seen[..., -1], expected, atol=1e-5)
    assert problem.inputs["diffusivity"].axes == ("x",)
    with pytest.raises(ValueError, match=r"shape of diffusivity = \(\)"):
        problem.features({**inputs, "diffusivity": jnp.asarray(0.01)})


def test_an_operator_of_fields_is_tested_at_one_value():
    asked = under_other_law({"diffusivity": (LOW, HIGH, 0.5)}, {"diffusivity": 0.01})
    assert asked == {"diffusivity": (0.01, 0.01, 0.5)}
    drawn = problems.diffusion(**asked, **SMALL).sample(KEY)["diffusivity"]
    np.testing.assert_allclose(drawn, np.full(16, 0.01), rtol=1e-6)


@pytest.mark.parametrize(
    "law",
    [(0.1, 0.01, 1.0), (-1.0, 1.0, 1.0), (0.1, 1.0, 0.1), (0.1, 1.0, 1.0, 1.0), (0.1,)],
)
def test_bad_laws_are_named(law):
    with pytest.raises(ValueError, match=r"diffusivity = .* a length scale >= 0.2"):
        problems.diffusion(diffusivity=law)


def test_an_equation_for_numbers_refuses_fields():
    with pytest.raises(ValueError, match=r"nu = .* pair \(lowest, highest\)"):
        coefficient("nu", (0.01, 0.1, 1.0))
