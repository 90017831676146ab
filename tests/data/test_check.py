"""Every mistake that `check` knows is found and named, and none where there is none."""

import dataclasses
import re

import jax
import jax.numpy as jnp
import pytest
import toy

from pilno_jax import check, problems
from pilno_jax.numerics.derivatives import along, derivative

GOOD = toy.decay()
T = GOOD.grid.axes[1]
D_T = derivative(T, 1, accuracy=4)


def hard(shift):
    """Initial values built in, the right ones for a shift of 0."""
    return lambda raw, inputs: (
        (1.0 + shift) * inputs["u0"][:, None] + T.scaled[None] * raw
    )


def scaled_by(factor):
    return lambda inputs: factor * GOOD.features(inputs)


def rough(inputs):
    signs = jnp.resize(jnp.array([1.0, -1.0]), T.num_points)
    return GOOD.solve(inputs) * signs[None]


BROKEN = {
    r"return \(4, 9\)": {"constrain": lambda raw, inputs: raw[1:]},
    "channels behind": {"features": lambda inputs: inputs["u0"][:, None]},
    "for every node": {"residual": lambda u, inputs: jnp.mean(u)},
    "same names and shapes": {"sample_virtual": lambda key: {"f": jnp.ones(3)}},
    "features has NaN": {
        "features": lambda inputs: (
            jnp.log(-inputs["u0"])[:, None, None] * jnp.ones((*GOOD.grid.shape, 1))
        )
    },
    "compare signs": {"residual": lambda u, inputs: along(D_T, u, 1) - u},
    "initial and boundary values of the solver": {"constrain": hard(0.1)},
    "the same inputs for every key": {"sample": lambda key: {"u0": jnp.ones(4)}},
    "along t .*take more points": {"solve": rough},
    "channel 0 of `features` has the size": {"features": scaled_by(1e4)},
    "times `scale`": {"scale": lambda inputs: 1e-4},
}


@pytest.mark.parametrize("said", BROKEN)
def test_mistakes_are_found_and_named(said):
    problem = dataclasses.replace(GOOD, constrain=hard(0.0))
    with jax.numpy_rank_promotion("allow"):
        findings = check(dataclasses.replace(problem, **BROKEN[said]))
    assert any(re.search(said, finding) for finding in findings), findings


@pytest.mark.parametrize("alone", [False, True])
def test_nothing_is_found_where_nothing_is_wrong(alone):
    problem = dataclasses.replace(GOOD, constrain=hard(0.0))
    assert check(dataclasses.replace(problem, solve=None) if alone else problem) == []


def test_soft_constraints_leave_nothing_to_compare_with():
    """Without a network u = 0, which solves the equation as well."""
    assert check(GOOD) == []
    wrong = dataclasses.replace(GOOD, residual=BROKEN["compare signs"]["residual"])
    assert any("compare signs" in finding for finding in check(wrong))


SMALL = {
    "burgers": {"num_x": 24, "num_t": 9},
    "darcy": {"num_points": 16, "num_fine": 31, "label_points": 4},
    "diffusion": {"num_x": 16, "num_t": 9},
    "forced_kdv": {"num_x": 50, "num_t": 50},
    "navier_stokes": {"num_x": 16, "num_y": 16, "num_t": 7},
    "reaction_diffusion": {"num_x": 21, "num_t": 9},
}


# Pendulums are checked as Duffing's, telegraph equations as beams are.
@pytest.mark.parametrize(
    "name", sorted(problems.FACTORIES.keys() - {"pendulum", "telegraph"})
)
def test_nothing_is_found_in_the_package_s_own_problems(name):
    assert check(problems.make(name, **SMALL.get(name, {}))) == []


def test_a_residual_may_leave_out_the_first_and_the_last_time():
    h = T.spacing
    central = dataclasses.replace(
        GOOD,
        residual=lambda u, inputs: (u[:, 2:] - u[:, :-2]) / (2 * h) + u[:, 1:-1],
    )
    assert check(dataclasses.replace(central, constrain=hard(0.0))) == []
