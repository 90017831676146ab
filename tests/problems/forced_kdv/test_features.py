"""What a network sees of forcing, initial and boundary values."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from kdv_members import constants_of, draws, inputs_of

from pilno_jax.numerics.derivatives import running_integral
from pilno_jax.problems import forced_kdv
from pilno_jax.problems.forced_kdv.families import forcing
from pilno_jax.problems.forced_kdv.lifting import lifting

SMALL = {"num_x": 50, "num_t": 50}


@pytest.fixture(scope="module")
def batch():
    """Draws of all families; shared, for compiling takes seconds.

    What is sampled depends on the grid alone, not on the problem's other options.
    """
    return draws(forced_kdv(**SMALL), 200)


def test_plain_features_are_the_seven_inputs_and_the_coordinates(batch):
    problem = forced_kdv(features="paper", **SMALL)
    inputs = jax.tree.map(lambda a: a[0], batch)
    channels = problem.features(inputs)
    assert channels.shape == (50, 50, 9)
    np.testing.assert_allclose(channels[..., 0], inputs["f_x"] / 2.0, rtol=1e-6)
    np.testing.assert_allclose(channels[:, 7, 1], inputs["u0"])
    for channel, name in ((2, "u_left"), (3, "u_right"), (4, "ux_right")):
        np.testing.assert_allclose(channels[7, :, channel], inputs[name])
    np.testing.assert_allclose(channels[..., 5], inputs["alpha"] / 2.0)
    np.testing.assert_allclose(channels[..., 6], inputs["beta"] / 0.25)
    x, t = problem.grid.scaled
    np.testing.assert_allclose(channels[:, 0, 7], x)
    np.testing.assert_allclose(channels[0, :, 8], t)


@pytest.mark.parametrize("features", ["paper", "rich"])
def test_features_and_targets_are_of_order_one(batch, features):
    problem = forced_kdv(features=features, hard_constraints=False, **SMALL)

    @jax.jit
    @jax.vmap
    def sizes(inputs):
        height = problem.constrain(jnp.ones(problem.grid.shape), inputs)
        raw = problem.solve(inputs) / height
        return jnp.mean(problem.features(inputs) ** 2, (0, 1)), jnp.mean(raw**2)

    of_channels, of_targets = (np.sqrt(each.mean(0)) for each in sizes(batch))
    assert of_channels.min() > 0.1 and of_channels.max() < 1.5
    assert 0.2 < of_targets < 1.0


def test_rich_features_know_that_alpha_only_multiplies_the_forcing(batch):
    problem = forced_kdv(features="rich", **SMALL)
    inputs = jax.tree.map(lambda a: a[1], batch)
    same = inputs | {"alpha": 2.0 * inputs["alpha"], "f_x": 0.5 * inputs["f_x"]}
    found, expected = problem.features(same), problem.features(inputs)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_rich_features_hold_picards_iterate_and_the_lifting(x64):
    problem = forced_kdv(features="rich")
    inputs = inputs_of(problem, 2, constants_of())
    channels, height = problem.features(inputs), 12.0 * inputs["beta"]
    f = forcing(2, inputs["constants"])
    x, t = problem.grid.coordinates
    f_field = inputs["alpha"] / height * f(x[:, None], t[None, :])
    integral = jnp.sinh(channels[..., 1])
    np.testing.assert_allclose(integral, f_field - f_field[:1], atol=0.02)
    np.testing.assert_allclose(
        jnp.sinh(channels[:, 0, 2]), inputs["u0"] / height, rtol=1e-9
    )
    field = lifting(problem.grid)(inputs)
    np.testing.assert_allclose(channels[..., 3], field / height)
    np.testing.assert_allclose(field[:, 0], inputs["u0"], atol=1e-12)


def test_running_integral_is_exact_on_straight_lines(x64):
    axis = forced_kdv().grid.axes[1]
    t = np.asarray(axis.coordinates)
    integral = running_integral(axis) @ (2.0 * t + 1.0)
    np.testing.assert_allclose(integral, t**2 + t, atol=1e-12)
