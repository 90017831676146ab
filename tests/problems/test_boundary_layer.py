"""A layer at the ends, resolved by clustered nodes: the zero of the residual."""

import jax
import jax.numpy as jnp
import numpy as np

from pilno_jax.problems import reaction_diffusion

DIFFUSIVITY = 1e-3


def exact(x, t):
    """u_t = D u_xx - 1 from rest between ends at zero: its series of sines."""
    waves = np.pi * np.arange(1, 4001, 2)
    rates = DIFFUSIVITY * waves**2
    grown = -np.expm1(-np.outer(rates, t)) / rates[:, None]
    return -np.sin(np.outer(x, waves)) @ (4 / waves[:, None] * grown)


def largest_error(num_x, clustering):
    """Of Newton's method, which a linear equation needs one step of."""
    problem = reaction_diffusion(
        diffusivity=DIFFUSIVITY,
        reaction=0.0,
        num_x=num_x,
        num_t=9,
        clustering=clustering,
    )
    inner, later = num_x - 2, 8

    def rows(free):
        u = jnp.zeros(problem.shape).at[1:-1, 1:].set(free.reshape(inner, later))
        return problem.residual(u, {"f": jnp.ones(num_x)}).ravel()

    jacobian = np.asarray(jax.jit(jax.jacfwd(rows))(jnp.zeros(inner * later)))
    # Where u = 0, the source is all there is of the residual.
    free = np.linalg.lstsq(jacobian, -np.ones(len(jacobian)), rcond=None)[0]
    truth = exact(*map(np.asarray, problem.grid.coordinates))
    distance = np.abs(free.reshape(inner, later) - truth[1:-1, 1:]).max()
    return distance / np.abs(truth).max()


def test_half_the_nodes_resolve_a_boundary_layer(x64):
    """sqrt(D t) is 0.03 in the end, as wide as a cell of 33 equidistant nodes."""
    even, clustered = largest_error(33, 0.0), largest_error(17, 0.9)
    assert clustered < even < 1e-2


def test_the_reference_on_clustered_nodes_is_the_closed_form(x64):
    """A source that vanishes at the ends drives one mode, and no layer."""
    problem = reaction_diffusion(
        reaction=0.0, num_x=31, num_t=7, final_time=0.02, clustering=0.9
    )
    x, t = map(np.asarray, problem.grid.coordinates)
    found = jax.jit(problem.solve)({"f": jnp.sin(jnp.pi * jnp.asarray(x))})
    rate = 0.01 * np.pi**2
    wanted = np.outer(np.sin(np.pi * x), np.expm1(-rate * t) / rate)
    np.testing.assert_allclose(found, wanted, atol=1e-8)
