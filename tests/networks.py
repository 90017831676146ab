"""Small networks with random parameters; arrays are made without compiling."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from pilno_jax.models import ALNO, FNO

TWO_PI = 2 * np.pi
KEY = jax.random.key(0)


def nodes(n: int, periodic: bool = False) -> np.ndarray:
    return np.linspace(0, 1, n, endpoint=not periodic)


def mesh(axes):
    return np.meshgrid(*axes, indexing="ij")


def normal(*shape, seed=1):
    return np.random.default_rng(seed).normal(size=shape)


def random_complex(rng, *shape):
    return rng.normal(size=shape) + 1j * rng.normal(size=shape)


@partial(jax.jit, static_argnums=0)
def run(net, params, v, axes):
    return net.apply(params, v, axes)


def fresh(net, v, axes, seed=0):
    """Random parameters; compiling the initialisers would cost most of a test."""
    rng = np.random.default_rng(seed)

    def values(leaf):
        return jnp.asarray(rng.normal(size=leaf.shape) / leaf.shape[-1], leaf.dtype)

    return jax.tree.map(values, jax.eval_shape(net.init, KEY, v, axes))


def small(model=ALNO, **options):
    """A network, its parameters, and three samples on a periodic and a closed axis."""
    sizes = dict(width=5, num_layers=2, modes=(4, 3), projection_width=7)
    poles = {} if model is FNO else {"poles": (2, 3)}
    net = model(**sizes | poles | options)
    axes = jnp.asarray(nodes(10, periodic=True)), jnp.asarray(nodes(8))
    features = jnp.asarray(normal(3, 10, 8, 2))
    return net, fresh(net, features, axes), features, axes
