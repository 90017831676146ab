"""(D u_x)_x on a circle: closed forms, order, what is conserved."""

import jax.numpy as jnp
import numpy as np
import pytest

from pilno_jax.numerics.grids import Axis
from pilno_jax.numerics.variable_diffusion import spectral_flux, staggered_flux

TWO_PI = 2 * np.pi


def circle(points):
    return Axis("x", 0.0, 1.0, points, periodic=True)


def by_hand(x):
    """D = 2 + cos, u = sin of 4 pi x, and (D u_x)_x = D u_xx + D_x u_x."""
    a, b = TWO_PI, 2 * TWO_PI
    diffusivity, u = 2 + np.cos(a * x), np.sin(b * x)
    expected = -(b**2) * diffusivity * u - a * b * np.sin(a * x) * np.cos(b * x)
    return jnp.asarray(diffusivity), jnp.asarray(u), expected


@pytest.mark.usefixtures("x64")
def test_the_spectral_flux_is_exact_for_waves_that_the_grid_has():
    x = circle(8)  # products up to the third wave, below Nyquist's fourth
    diffusivity, u, expected = by_hand(x.nodes())
    found = spectral_flux(x)(u[:, None], diffusivity)[:, 0]
    np.testing.assert_allclose(found, expected, atol=1e-11)


@pytest.mark.usefixtures("x64")
def test_the_staggered_flux_is_of_order_4_and_conserves_the_mean():
    x, errors = circle(8), []
    diffusivity = by_hand(x.nodes())[0]
    for factor in (8, 16):
        _, u, expected = by_hand(x.refined(factor).nodes())
        found = staggered_flux(x, factor)(diffusivity)(u)
        errors.append(np.abs(found - expected).max())
        # Fluxes leave one cell and enter the next: rounding of sums over h^2.
        assert abs(float(found.mean())) < 1e-10
    assert np.log2(errors[0] / errors[1]) == pytest.approx(4.0, abs=0.1)
