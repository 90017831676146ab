"""Mixing weights are known by name, in parameters and in an optimiser's state."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from networks import small

from pilno_jax import models
from pilno_jax.models import ALNO, FNO, LNO
from pilno_jax.operators import is_mixing_weight


def mixing(tree):
    leaves = jax.tree.leaves_with_path(tree)
    return [leaf for path, leaf in leaves if is_mixing_weight(path, leaf)]


@pytest.mark.parametrize("model, count", [(FNO, 2), (ALNO, 4), (LNO, 2)])
def test_they_are_the_complex_matrices_of_every_layer(model, count):
    """Two layers: the multiplier of each, its residues, or both."""
    net, params, _, axes = small(model)
    named = mixing(params)
    assert len(named) == count
    for leaf in named:
        modes, (inputs, parts, outputs) = leaf.shape[:-3], leaf.shape[-3:]
        assert (inputs, parts, outputs) == (net.width, 2, net.width)
        assert len(modes) == len(axes)
    rest = [leaf for leaf in jax.tree.leaves(params) if leaf.ndim > 2]
    assert len(rest) == count


def test_moments_are_found_like_their_parameters():
    _, params, *_ = small(ALNO)
    state = jax.eval_shape(optax.adam(1e-3).init, params)
    assert len(mixing(state)) == 2 * len(mixing(params))


def test_other_networks_have_none():
    net = models.DeepOMamba(token_width=2)
    axes = np.linspace(0, 1, 4), np.linspace(0, 1, 5)
    features = jnp.zeros((4, 5, 2))
    assert not mixing(jax.eval_shape(net.init, jax.random.key(0), features, axes))
    # Neither a convolution of that shape, nor a vector of that name, nor a bare array.
    own = {"kernel": jnp.zeros((3, 3, 2, 16)), "multiplier": jnp.zeros(5)}
    assert not mixing(own) and not mixing(jnp.zeros((3, 3, 2, 16)))
