"""The sine of a polynomial against the sine."""

import jax
import jax.numpy as jnp
import numpy as np

from pilno_jax.models.activations import sine


def test_sine_and_its_derivatives():
    x = jnp.linspace(-30, 30, 20001)
    exact = np.sin(np.asarray(x, np.float64))
    np.testing.assert_allclose(sine(x), exact, atol=4e-6)
    near = x[jnp.abs(x) < 4]
    np.testing.assert_allclose(sine(near), jnp.sin(near), atol=4e-7)
    slope = jax.vmap(jax.grad(sine))
    np.testing.assert_allclose(slope(near), jnp.cos(near), atol=1e-6)
    curvature = jax.vmap(jax.grad(jax.grad(sine)))
    np.testing.assert_allclose(curvature(near), -jnp.sin(near), atol=1e-6)
