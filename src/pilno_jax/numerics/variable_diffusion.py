"""(D u_x)_x on a circle with a D that varies along it, twice and independently.

`spectral_flux` differentiates the trigonometric polynomials through the nodes, as
residuals do. `staggered_flux` is for reference solutions: 4th-order differences from
the nodes to the midpoints between them and back, which conserve the mean exactly.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from pilno_jax.numerics.derivatives import along, derivative, interpolation
from pilno_jax.numerics.grids import Axis

# From four neighbours to the middle of the inner two: (u_1 - u_0, u_2 - u_-1) / h.
INNER, OUTER = 27 / 24, -1 / 24


def spectral_flux(
    x: Axis,
) -> Callable[[Float[Array, "x t"], Float[Array, " x"]], Float[Array, "x t"]]:
    """(u, D) -> (D u_x)_x, exact where the grid resolves the product.

    Args:
        x: a periodic axis, along which D is given.
    """
    d_x = derivative(x, 1)

    def divergence(u: jax.Array, diffusivity: jax.Array) -> jax.Array:
        return along(d_x, diffusivity[:, None] * along(d_x, u, 0), 0)

    return divergence


def staggered_flux(
    x: Axis, factor: int
) -> Callable[
    [Float[Array, " x"]], Callable[[Float[Array, " fine"]], Float[Array, " fine"]]
]:
    """D on the nodes of x -> the map from u on a finer grid to (D u_x)_x there.

    Args:
        x: a periodic axis.
        factor: cells of the finer grid for each of x.
    """
    # Every other node of a grid twice as fine is a midpoint.
    to_midpoints = interpolation(x, x.refined(2 * factor))[1::2]
    h = x.refined(factor).spacing

    def with_diffusivity(
        diffusivity: jax.Array,
    ) -> Callable[[jax.Array], jax.Array]:
        at_midpoints = along(to_midpoints, diffusivity, 0)

        def divergence(u: jax.Array) -> jax.Array:
            flux = at_midpoints * _to_the_right(u) / h
            return _to_the_right(jnp.roll(flux, 1)) / h

        return divergence

    return with_diffusivity


def _to_the_right(u: jax.Array) -> jax.Array:
    """Differences across the midpoints to the right of the nodes, times h."""
    inner = jnp.roll(u, -1) - u
    outer = jnp.roll(u, -2) - jnp.roll(u, 1)
    return INNER * inner + OUTER * outer
