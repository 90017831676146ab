"""Contractions against sums over complex numbers, and how they lie in memory."""

import math
import re

import jax
import jax.numpy as jnp
import numpy as np
from networks import random_complex, small

from pilno_jax.models import contractions


def parts(z, axis):
    """Real and imaginary part along a new axis."""
    return np.stack([z.real, z.imag], axis)


def test_contractions_are_the_complex_sums(x64):
    rng = np.random.default_rng(0)
    v = rng.normal(size=(5, 6, 2, 3))
    analysis = [random_complex(rng, 4, 5), random_complex(rng, 3, 6)]
    alpha = np.einsum("ku,lv,uvbi->klbi", *analysis, v)
    coefficients = jax.jit(contractions.analyse)(v, analysis)
    np.testing.assert_allclose(coefficients, parts(alpha, 2), atol=1e-13)

    weights = random_complex(rng, 4, 3, 3, 7)
    mixed = np.einsum("klbi,klio->klbo", alpha, weights)
    found = jax.jit(contractions.mix)(coefficients, parts(weights, -2))
    np.testing.assert_allclose(found, parts(mixed, 2), atol=1e-12)

    synthesis = [random_complex(rng, 5, 4), random_complex(rng, 6, 3)]
    u = np.einsum("uk,vl,klbo->uvbo", *synthesis, mixed).real
    again = jax.jit(contractions.synthesise)(parts(mixed, 2), synthesis)
    np.testing.assert_allclose(again, u, atol=1e-12)


def test_no_field_is_transposed_in_either_direction():
    """The layout's point, counted in the compiled gradient of a deep network.

    Only the features are moved, into the layout; contracting the axes with `einsum`
    instead moves dozens of fields.
    """
    net, params, features, axes = small()
    loss = lambda p, f: jnp.sum(net.apply(p, f, axes) ** 2)  # noqa: E731
    program = jax.jit(jax.grad(loss)).lower(params, features).compile().as_text()
    shapes = re.findall(r"f32\[([\d,]+)\]\S* transpose\(", program)
    # Smaller ones are bases and weights.
    moved = [s for s in shapes if math.prod(map(int, s.split(","))) > 200]
    assert moved == ["10,8,3,2"]
