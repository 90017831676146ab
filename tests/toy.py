"""u' = -a u on t in [0, 1]: a problem small enough to compute by hand."""

import jax
import jax.numpy as jnp
import numpy as np

from pilno_jax.numerics.derivatives import along, derivative
from pilno_jax.numerics.grids import Axis, Grid
from pilno_jax.problems.base import Problem

NUM_X, NUM_T = 4, 9


def decay(measure=None) -> Problem:
    x = Axis("x", 0.0, 1.0, NUM_X, periodic=True)
    t = Axis("t", 0.0, 1.0, NUM_T)
    grid = Grid((x, t))
    d_t = derivative(t, 1, accuracy=4)

    def sample(key):
        return {"u0": 1.0 + jax.random.uniform(key, (NUM_X,))}

    extra = {} if measure is None else {"measure": measure}
    return Problem(
        name="decay",
        grid=grid,
        sample=sample,
        sample_virtual=lambda key: {"u0": 2.0 * sample(key)["u0"]},
        solve=lambda inputs: inputs["u0"][:, None] * jnp.exp(-t.coordinates)[None],
        features=lambda inputs: grid.broadcast(inputs["u0"], 0)[..., None],
        residual=lambda u, inputs: along(d_t, u, 1) + u,
        constraints={"ic": lambda u, inputs: u[:, 0] - inputs["u0"]},
        time_axis=1,
        **extra,
    )


def apply(params, features, axes):
    """u = sum_k params_k t^k u0: linear in its parameters."""
    t = axes[1].astype(params.dtype)
    powers = t[:, None] ** jnp.arange(len(params)).astype(t.dtype)[None]
    return features * (powers @ params)[None, None, :, None]


def batch(problem: Problem, seed: int = 0, labelled: int = 3, virtual: int = 5):
    keys = jax.random.split(jax.random.key(seed), labelled + virtual)
    inputs = jax.vmap(problem.sample)(keys[:labelled])
    made = {"inputs": inputs, "labels": jax.vmap(problem.solve)(inputs)}
    if virtual:
        made["virtual"] = jax.vmap(problem.sample_virtual)(keys[labelled:])
    return made


# The Taylor polynomial of exp(-t): a good, not a perfect, solution.
TAYLOR = jnp.array(1.0 / np.array([1.0, -1.0, 2.0, -6.0, 24.0]), jnp.float32)
