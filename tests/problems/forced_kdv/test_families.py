"""The KdV families: closed forms, their law, and the inputs they are sampled as."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from kdv_members import draws, inputs_of

from pilno_jax.problems import forced_kdv
from pilno_jax.problems.forced_kdv.families import (
    FAMILIES,
    RANGES,
    draw,
    forcing,
    named,
    sech2,
    solution,
)

# Appendix D of the paper, copied by hand: what each family draws, and from where.
BOTH = {"alpha": (1.5, 2.5), "beta": (0.125, 0.375)}
LAW = {
    "A": BOTH
    | {"k": (0.5, 1.5), "A": (2.5, 3.5), "delta": (-4, 4)}
    | {"b0": (-1, 1), "b1": (-3, 3), "b": (-1, 1)},
    "B": BOTH
    | {"k": (0.5, 1.5), "delta": (-4, 4), "b0": (-1, 1)}
    | {"b1": (-1, 1), "b2": (-2, -1)},
    "C": BOTH | {"b": (-4, 2), "a": (-3, 3), "d": (0.3, 0.8), "gamma": (0.5, 1.5)},
}


@pytest.mark.parametrize("family", range(3))
def test_closed_forms_solve_the_equation(x64, family):
    def defect(constants, x, t):
        c = named(constants)
        u, f = solution(family, constants), forcing(family, constants)
        u_x = jax.grad(u)
        u_xxx = jax.grad(jax.grad(u_x))
        source = c["alpha"] * jax.grad(f)(x, t)
        u_t = jax.grad(u, 1)(x, t)
        left = u_t + u(x, t) * u_x(x, t) + c["beta"] * u_xxx(x, t)
        return (left - source) / (1.0 + jnp.abs(source))

    keys = jax.random.split(jax.random.key(family), 200)
    constants = jax.vmap(draw, (0, None))(keys, family)
    points = jax.random.uniform(jax.random.key(9), (200, 2), minval=-5.0, maxval=5.0)
    x, t = points[:, 0], jnp.abs(points[:, 1])
    # The printed f_C is 0/0 at x = -a: half of the points sit there.
    x = x.at[::2].set(-constants[::2, list(RANGES).index("a")])
    assert jnp.abs(jax.jit(jax.vmap(defect))(constants, x, t)).max() < 1e-10


def test_regular_f_c_is_the_printed_one(x64):
    constants = draw(jax.random.key(3), 2)
    c = named(constants)
    x, t = jnp.linspace(-5, 5, 41), jnp.linspace(0, 5, 41)
    x = jnp.where(jnp.abs(x + c["a"]) < 0.05, x + 0.1, x)
    shifted, late = x + c["a"], t + c["b"]
    bump = shifted**2 + late**2 + c["d"]
    h = shifted / jnp.sqrt(c["d"] + late**2)
    beta, gamma = c["beta"], c["gamma"]
    printed = (12 * beta * gamma / c["alpha"]) * (
        6 * beta * (gamma + 1) / bump**2
        - 8 * beta * shifted**2 / (h**2 * bump**3)
        - late * h**2 / (shifted * bump)
        - late * h**3 / shifted**3 * jnp.arctan(h)
    )
    np.testing.assert_allclose(forcing(2, constants)(x, t), printed, rtol=1e-10)


def test_sech2_is_smooth_at_zero_and_safe_far_out():
    third = jax.grad(jax.grad(jax.grad(sech2)))
    assert sech2(jnp.array(0.0)) == 1.0
    assert jax.grad(jax.grad(sech2))(0.0) == pytest.approx(-2.0)
    for z in (-1e4, -60.0, 60.0, 1e4):
        assert jnp.isfinite(third(z)) and jnp.abs(sech2(jnp.array(z))) < 1e-20


@pytest.mark.parametrize("family", FAMILIES)
def test_parameters_keep_to_their_ranges(family):
    index = FAMILIES.index(family)
    inputs = draws(forced_kdv(family=family, num_x=9, num_t=5), 400)
    for name, values in named(inputs["constants"].T).items():
        if name not in LAW[family]:
            assert values.min() == values.max(), "an unused constant is not random"
            continue
        low, high = LAW[family][name]
        assert low <= values.min() < low + 0.05 * (high - low)
        assert high >= values.max() > high - 0.05 * (high - low)
    assert (inputs["family"] == index).all()
    for name in ("alpha", "beta"):
        assert (inputs[name] == named(inputs["constants"].T)[name]).all()


@pytest.mark.parametrize("family", range(3))
def test_sampled_inputs_are_those_of_the_solution(x64, family):
    problem = forced_kdv(family=FAMILIES[family], num_x=21, num_t=11)
    inputs = jax.jit(problem.sample)(jax.random.key(4))
    again = inputs_of(problem, family, inputs["constants"])
    for name in inputs:
        np.testing.assert_allclose(inputs[name], again[name], rtol=1e-9, atol=1e-9)
    # u_x(L), by a difference quotient of the closed form.
    t, u = problem.grid.coordinates[1], solution(family, inputs["constants"])
    end = jnp.full_like(t, 5.0)
    quotient = (u(end + 1e-5, t) - u(end - 1e-5, t)) / 2e-5
    np.testing.assert_allclose(inputs["ux_right"], quotient, atol=1e-7)


def test_thousands_of_draws_are_finite_and_share_the_families_equally():
    problem = forced_kdv(num_x=20, num_t=15)

    def check(key):
        inputs = problem.sample(key)
        u = problem.solve(inputs)
        fields = (inputs, u, problem.residual(u, inputs), problem.features(inputs))
        finite = jax.tree.map(lambda a: jnp.isfinite(a).all(), fields)
        return inputs["family"], jnp.stack(jax.tree.leaves(finite)).all()

    keys = jax.random.split(jax.random.key(1), 3000)
    families, finite = jax.jit(jax.vmap(check))(keys)
    assert finite.all()
    shares = np.bincount(families) / 3000
    np.testing.assert_allclose(shares, 1 / 3, atol=0.04)  # 4.6 standard deviations


def test_strata_are_one_sampler_for_each_family():
    problem = forced_kdv(num_x=9, num_t=5)
    strata = [jax.jit(sample)(jax.random.key(0)) for sample in problem.strata]
    assert [int(inputs["family"]) for inputs in strata] == [0, 1, 2]
    only = forced_kdv(family="B", num_x=9, num_t=5)
    assert len(only.strata) == len(only.on(11, 7).strata) == 1
    assert only.strata[0] is only.sample
