"""Optimisers and schedules: what an update is, not only that it goes down."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from pilno_jax.training.optimizers import OPTIMIZERS, optimizer, schedule


def first_update(chosen, gradient, params=None):
    params = jax.tree.map(jnp.zeros_like, gradient) if params is None else params
    return chosen.update(gradient, chosen.init(params), params)[0]


@pytest.mark.parametrize("name", sorted({*OPTIMIZERS} - {"levenberg-marquardt"}))
def test_every_optimiser_goes_down(name):
    """The distance of a matrix from another, which Muon and Adam both can reach."""
    chosen = optimizer(name, 0.1, clip_norm=1.0)
    goal = {"weights": jnp.array([[1.0, -2.0], [0.5, 1.0]]), "bias": jnp.ones(2)}

    def distance(params):
        squares = jax.tree.map(lambda p, g: jnp.sum((p - g) ** 2), params, goal)
        return sum(jax.tree.leaves(squares))

    @jax.jit
    def descend(params):
        def step(carry, _):
            params, state = carry
            updates, state = chosen.update(jax.grad(distance)(params), state, params)
            return (optax.apply_updates(params, updates), state), None

        return jax.lax.scan(step, (params, chosen.init(params)), length=40)[0][0]

    start = jax.tree.map(jnp.zeros_like, goal)
    assert distance(descend(start)) < 0.05 * distance(start)


def test_muon_orthogonalises_every_modes_matrix_by_itself():
    muon = optimizer("muon", schedule("constant", 1.0, 1))
    gradient = jax.random.normal(jax.random.key(0), (3, 2, 4, 2, 4))
    updates = first_update(muon, {"kernel_0": {"multiplier": gradient}})
    matrices = updates["kernel_0"]["multiplier"].reshape(6, 4, 8)
    values = np.linalg.svd(np.asarray(matrices), compute_uv=False)
    # Newton-Schulz leaves singular values in about [0.7, 1.2] of their common scale.
    assert values.max() / values.min() < 2.0
    raw = np.linalg.svd(np.asarray(gradient.reshape(6, 4, 8)), compute_uv=False)
    assert raw.max() / raw.min() > 2.5


def test_muon_takes_matrices_by_rank_and_mixing_weights_by_name():
    """An array that is only shaped like mixing weights is left to Adam."""
    keys = jax.random.split(jax.random.key(0), 2)
    convolution = jax.random.normal(keys[0], (3, 3, 2, 16))
    matrix = jax.random.normal(keys[1], (4, 6))
    gradient = {"convolution": convolution, "multiplier": matrix}
    updates = first_update(optimizer("muon", 1.0), gradient)
    # Adam's first step has the same size in every entry.
    sizes = np.abs(updates["convolution"])
    np.testing.assert_allclose(sizes, np.full_like(sizes, sizes.mean()), rtol=1e-4)
    values = np.linalg.svd(np.asarray(updates["multiplier"]), compute_uv=False)
    assert values.max() / values.min() < 2.0


def test_adam_couples_weight_decay_like_the_papers():
    """Decay enters before the moments: a huge one alone moves by the learning rate."""
    coupled = optimizer("adam", schedule("constant", 1e-2, 1), weight_decay=10.0)
    updates = first_update(coupled, jnp.zeros(2), jnp.array([1.0, -2.0]))
    # eps = 1e-8 against a gradient of 10: relative 1e-9.
    np.testing.assert_allclose(updates, [-1e-2, 1e-2], rtol=1e-5)


def test_schedules_have_their_shapes():
    steps = schedule("step", 1.0, 100, decay_every=10, decay_factor=0.5)
    assert [float(steps(k)) for k in (0, 9, 10, 20)] == [1.0, 1.0, 0.5, 0.25]
    cosine = schedule("cosine", 1.0, 100, warmup=10)
    assert float(cosine(0)) == 0.0
    assert float(cosine(10)) == pytest.approx(1.0)
    assert float(cosine(55)) == pytest.approx(0.5, abs=1e-6)
    assert float(cosine(100)) == pytest.approx(0.0, abs=1e-7)
    assert float(schedule("linear", 1.0, 100)(25)) == pytest.approx(0.75)


def test_clipping_bounds_the_gradient():
    """Adam forgets the size of its first gradient, not the ratio of two of them.

    The moments after gradients g and h = 1000 g are m = (0.09 g + 0.1 h) / 0.19 and
    v = (0.000999 g^2 + 0.001 h^2) / 0.001999, bias corrected: an outlier moves the
    parameter by m / sqrt(v) = 0.745. Clipped to the norm of g they are two equal
    gradients, which move it by exactly the learning rate.
    """
    gradient = jnp.array([3e-3, 4e-3])

    def second_update(clip_norm):
        adam = optimizer("adam", 1.0, clip_norm=clip_norm)
        params = jnp.zeros(2)
        _, state = adam.update(gradient, adam.init(params), params)
        return adam.update(1000 * gradient, state, params)[0]

    np.testing.assert_allclose(second_update(5e-3), [-1.0, -1.0], rtol=1e-4)
    np.testing.assert_allclose(second_update(None), [-0.745, -0.745], rtol=1e-2)


def test_unknown_names_are_refused():
    with pytest.raises(ValueError, match="optimizer = 'sgd'.*adam.*muon"):
        optimizer("sgd", schedule("constant", 1.0, 1))
    with pytest.raises(ValueError, match="schedule = 'cliff'"):
        schedule("cliff", 1.0, 1)
