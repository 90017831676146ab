"""Coefficients that are inputs: the problem with a number, a value at a time."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pilno_jax import problems
from pilno_jax.problems.coefficients import coefficient, under_other_law

KEY = jax.random.key(4)
RD = "reaction_diffusion"
SMALL = {"num_x": 17, "num_t": 9, "final_time": 0.1, "length_scale": 1.0}
# Name, options, the laws of its coefficients and values inside them.
CASES = {
    "burgers": ("burgers", {}, {"viscosity": (0.005, 0.05)}, {"viscosity": 0.02}),
    "diffusion": (
        "diffusion",
        {},
        {"diffusivity": (0.005, 0.05)},
        {"diffusivity": 0.02},
    ),
    "ic": (
        RD,
        {"task": "ic"},
        {"diffusivity": (0.005, 0.05), "reaction": (0.0, 0.5)},
        {"diffusivity": 0.02, "reaction": 0.3},
    ),
    "forcing": (
        RD,
        {"task": "forcing"},
        {"diffusivity": (0.005, 0.05), "reaction": (0.01, 0.5)},
        {"diffusivity": 0.02, "reaction": 0.3},
    ),
}
every_case = pytest.mark.parametrize("case", CASES)


def pair_of(case):
    """The problem of the law, that of the number, and inputs with that number."""
    name, options, laws, values = CASES[case]
    drawn = problems.make(name, **SMALL, **options, **laws)
    fixed = problems.make(name, **SMALL, **options, **values)
    numbers = {name: jnp.asarray(value) for name, value in values.items()}
    return drawn, fixed, {**drawn.sample(KEY), **numbers}


@every_case
def test_a_drawn_value_is_the_problem_with_that_number(x64, case):
    """Solution, residual, hard constraints and what the residual tells of the error."""
    drawn, fixed, inputs = pair_of(case)
    raw = jnp.asarray(np.random.default_rng(0).normal(size=drawn.grid.shape))

    def answers(problem):
        def run(inputs):
            u = problem.constrain(raw, inputs)
            residual = problem.residual(u, inputs)
            error = problem.error_of(residual, u, inputs)
            return problem.solve(inputs), u, residual, error

        return jax.jit(run)(inputs)

    for found, expected in zip(answers(drawn), answers(fixed), strict=True):
        # The same formulas in another order: rounding of float64, over dt^2 and dx^2.
        scale = float(jnp.abs(expected).max())
        np.testing.assert_allclose(found, expected, atol=1e-10 * scale)


@every_case
def test_samples_are_those_of_the_number_with_a_value_of_the_law(case):
    """The same key draws the same field; values fill the law, by decades if it can."""
    drawn, fixed, _ = pair_of(case)
    laws = CASES[case][2]
    keys = jax.random.split(KEY, 500)
    for sampler in ("sample", "sample_virtual"):
        found = jax.vmap(getattr(drawn, sampler))(keys)
        for name, value in jax.vmap(getattr(fixed, sampler))(keys).items():
            # Two programs: products of matrices may be summed up in another order.
            np.testing.assert_allclose(found[name], value, atol=1e-6)
        for name, (low, high) in laws.items():
            values = np.asarray(found[name])
            assert low <= values.min() and values.max() <= high * (1 + 1e-6)
            middle = np.sqrt(low * high) if low > 0 else (low + high) / 2
            # Half of 500 lie on either side, to five standard deviations.
            assert np.mean(values < middle) == pytest.approx(0.5, abs=0.11)
    if len(laws) == 2:  # drawn independently of each other
        first, second = (np.asarray(found[name]) for name in laws)
        assert abs(np.corrcoef(first, second)[0, 1]) < 0.2


@every_case
def test_the_network_sees_every_value_from_end_to_end(case):
    drawn, fixed, inputs = pair_of(case)
    laws = CASES[case][2]
    own = fixed.features(inputs).shape[-1]
    for part, expected in ((0, -1.0), (1, 1.0)):
        ends = {name: jnp.asarray(law[part]) for name, law in laws.items()}
        seen = drawn.features({**inputs, **ends})
        np.testing.assert_array_equal(seen[..., :own], fixed.features(inputs))
        np.testing.assert_allclose(seen[..., own:], expected, atol=1e-6)
        assert seen.shape[-1] == own + len(laws)
    for name in laws:
        assert drawn.inputs[name].axes == () and drawn.inputs[name].editable
        with pytest.raises(ValueError, match=f"entry '{name}'"):
            drawn.solve({key: v for key, v in inputs.items() if key != name})


def test_a_number_is_no_input_and_a_law_of_one_value_is():
    inputs = problems.burgers(viscosity=(0.02, 0.02)).sample(KEY)
    assert inputs.keys() == {"u0", "viscosity"}
    assert float(inputs["viscosity"]) == pytest.approx(0.02, rel=1e-7)
    assert problems.burgers(viscosity=0.02).sample(KEY).keys() == {"u0"}


def test_an_operator_of_a_coefficient_is_tested_at_one_value():
    trained = {"viscosity": (0.005, 0.05), "sigma": 0.2}
    asked = under_other_law(trained, {"viscosity": 0.01, "sigma": 0.4})
    assert asked == {"viscosity": (0.01, 0.01), "sigma": 0.4}
    asked = under_other_law(trained, {"viscosity": (0.05, 0.5)})
    assert asked["viscosity"] == (0.05, 0.5)


@pytest.mark.parametrize(
    "law", [(0.1, 0.01), (0.0, 0.1), (-1.0, 1.0), (0.1, float("inf")), 0.0]
)
def test_bad_laws_are_named(law):
    with pytest.raises(ValueError, match=r"viscosity = .* positive .*lowest, highest"):
        problems.burgers(viscosity=law)


def test_zero_is_allowed_where_it_says_so():
    assert coefficient("k", (0.0, 1.0), may_be_zero=True).highest == 1.0
    with pytest.raises(ValueError, match=r"k = \(-1.0, 1.0\) .* number >= 0"):
        coefficient("k", (-1.0, 1.0), may_be_zero=True)
