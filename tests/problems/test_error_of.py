"""What a residual tells of the error: how near `error_of` comes to a small error."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pilno_jax import problems
from pilno_jax.problems.base import default_error

# How much of a smooth error `error_of` misses. Diffusion and reaction-diffusion are
# linear but for k u^2 with a small k, and so are vortices that hardly turn; Burgers'
# advection is left to the network.
MISSED = {
    "diffusion": ({"num_x": 16, "num_t": 26}, 0.01),
    "forcing": ({"task": "forcing", "num_x": 26, "num_t": 26}, 0.01),
    "ic": ({"task": "ic", "num_x": 17, "num_t": 26}, 0.01),
    "burgers": ({"num_x": 16, "num_t": 26}, 0.5),
    "forced_kdv": ({"num_x": 60, "num_t": 60}, 0.15),
    "navier_stokes": ({"num_x": 8, "num_y": 8, "num_t": 26, "sigma": 0.01}, 0.02),
}


@pytest.mark.parametrize("name", MISSED)
def test_error_of_resembles_a_small_error(name, x64):
    options, missed = MISSED[name]
    reaction = {"forcing": "reaction_diffusion", "ic": "reaction_diffusion"}
    problem = problems.make(reaction.get(name, name), **options)

    @jax.jit
    def shares(key):
        inputs = problem.sample(key)
        u = problem.solve(inputs)
        grid = problem.grid
        x, *_, t = (grid.broadcast(z, i) for i, z in enumerate(grid.scaled))
        raw = jnp.sin(2 * jnp.pi * x) * jnp.cos(2 * t) + 0.3 * jnp.cos(6 * jnp.pi * x)
        lifting = problem.constrain(jnp.zeros_like(u), inputs)
        error = 1e-4 * (problem.constrain(raw, inputs) - lifting)
        change = problem.residual(u + error, inputs) - problem.residual(u, inputs)
        guesses = (problem.error_of, default_error(grid, problem.time_axis))
        return [
            jnp.linalg.norm(guess(change, u, inputs) - error) / jnp.linalg.norm(error)
            for guess in guesses
        ]

    own, default = np.asarray(shares(jax.random.key(2)))
    assert own < missed
    assert own < 0.5 * default
