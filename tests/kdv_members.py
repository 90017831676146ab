"""Members of the KdV families with chosen constants, for tests of every part."""

import jax
import jax.numpy as jnp

from pilno_jax.problems.forced_kdv.families import RANGES, forcing, named, solution

# A slow pulse that stays inside: every term is resolved on 100 nodes.
SLOW = dict(alpha=2.0, beta=0.25, k=0.8, A=3.0, delta=0.5, b0=0.3, b1=0.2, b=0.3)
HARMLESS = dict(b2=-1.5, a=0.5, d=0.6, gamma=1.0)


def constants_of(**values):
    return jnp.array([(SLOW | HARMLESS | values)[name] for name in RANGES])


def inputs_of(problem, family, constants):
    """The sampler's inputs for chosen constants, by an independent route."""
    return jax.jit(lambda c: traced_inputs_of(problem, family, c))(constants)


def traced_inputs_of(problem, family, constants):
    x, t = problem.grid.coordinates
    u, f = solution(family, constants), forcing(family, constants)
    u_x, f_x = (jnp.vectorize(jax.grad(fun)) for fun in (u, f))
    xx, tt = jnp.meshgrid(x, t, indexing="ij")
    return {
        "f_x": f_x(xx, tt),
        "u0": u(x, jnp.zeros_like(x)),
        "u_left": u(jnp.full_like(t, x[0]), t),
        "u_right": u(jnp.full_like(t, x[-1]), t),
        "ux_right": u_x(jnp.full_like(t, x[-1]), t),
        "alpha": named(constants)["alpha"],
        "beta": named(constants)["beta"],
        "family": jnp.asarray(family, jnp.int32),
        "constants": constants,
    }


def draws(problem, count, seed=0):
    keys = jax.random.split(jax.random.key(seed), count)
    return jax.jit(jax.vmap(problem.sample))(keys)
