"""A march is the plain loop it stands for, and so are its derivatives."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pilno_jax.numerics.marching import march

STATES, STEPS = 3, 7


def step(weights, z, drive):
    x, extra = drive
    turned = jnp.tanh(weights["matrix"] @ z + weights["gain"] * x)
    return turned + weights["gain"] ** 2 * z + jnp.sum(extra) * jnp.ones_like(z)


def output(weights, z):
    return jnp.stack([weights["gain"] * z[0], jnp.sum(z**2)])


def plainly(weights, start, drive):
    """The same by a loop in Python, which JAX differentiates as it likes."""
    states = [start]
    for k in range(STEPS):
        states.append(
            step(weights, states[-1], jax.tree.map(lambda x, k=k: x[k], drive))
        )
    return jnp.stack([output(weights, z) for z in states])


def marched(weights, start, drive):
    return march(step, output, weights, start, drive)


def case(batch=()):
    keys = jax.random.split(jax.random.key(0), 4)
    weights = {"matrix": jax.random.normal(keys[0], (STATES, STATES)), "gain": 0.7}
    weights = jax.tree.map(jnp.asarray, weights)
    start = jax.random.normal(keys[1], (*batch, STATES))
    x = jax.random.normal(keys[2], (*batch, STEPS, STATES))
    return weights, start, (x, 0.1 * x[..., :2])


def close(tree, other):
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, atol=1e-11), tree, other)


@pytest.mark.parametrize("of", range(3), ids=["weights", "start", "drive"])
def test_both_modes_agree_with_the_plain_loop(of):
    with jax.enable_x64(True):
        arguments = case()
        close(marched(*arguments), plainly(*arguments))
        for mode in (jax.jacfwd, jax.jacrev):
            close(mode(marched, of)(*arguments), mode(plainly, of)(*arguments))


def test_all_together_in_a_batch_and_compiled():
    with jax.enable_x64(True):
        weights, starts, drives = case(batch=(4,))

        def size(march):
            each = jax.vmap(march, in_axes=(None, 0, 0))
            return lambda *arguments: jnp.sum(each(*arguments) ** 2)

        found, expected = (
            jax.jit(jax.grad(size(one), argnums=(0, 1, 2)))(weights, starts, drives)
            for one in (marched, plainly)
        )
        close(found, expected)


def test_what_drives_nothing_changes_nothing():
    with jax.enable_x64(True):
        weights, start, drive = case()
        by_weights = jax.jacfwd(marched)(weights, start, drive)
        assert not np.any(by_weights["matrix"][0])  # u_0 is read off the start
