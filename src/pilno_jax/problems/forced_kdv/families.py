"""The three analytic families of the forced KdV benchmark (paper, Appendix D).

Each family is one travelling pulse u(x, t) and the forcing f(x, t) that makes it an
exact solution of u_t + u u_x + beta u_xxx = alpha f_x:

    A: u = 12 beta k^2 sech^2(k (x - delta k^2 t) - b arctan(A t) - b1 t - b0)
    B: u = 12 beta k^2 sech^2(k (x - delta k^2 t) - exp(b2 t^2 + b1 t + b0))
    C: u = 12 beta gamma / ((x + a)^2 + (t + b)^2 + d)

A and B are solitons whose path the forcing bends; C is an algebraic bump that swells
and fades in place. Constants are uniform and independent within `RANGES`.

x and t may be any arrays that broadcast; everything is elementwise and smooth, so
derivatives of any order come from autodiff.
"""

import functools
from collections.abc import Callable, Mapping

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from pilno_jax.numerics.grids import Grid
from pilno_jax.problems.base import Inputs

FAMILIES = ("A", "B", "C")

# (low, high) of each constant in the families A, B, C. Where a family has no use for
# a constant the range is one harmless value: under vmap all three formulas are
# evaluated, and the two that are thrown away must be finite too.
RANGES: Mapping[str, tuple[tuple[float, float], ...]] = {
    "alpha": ((1.5, 2.5), (1.5, 2.5), (1.5, 2.5)),
    "beta": ((0.125, 0.375), (0.125, 0.375), (0.125, 0.375)),
    "k": ((0.5, 1.5), (0.5, 1.5), (1.0, 1.0)),
    "A": ((2.5, 3.5), (3.0, 3.0), (3.0, 3.0)),
    "delta": ((-4.0, 4.0), (-4.0, 4.0), (0.0, 0.0)),
    "b0": ((-1.0, 1.0), (-1.0, 1.0), (0.0, 0.0)),
    "b1": ((-3.0, 3.0), (-1.0, 1.0), (0.0, 0.0)),
    "b": ((-1.0, 1.0), (0.0, 0.0), (-4.0, 2.0)),
    "b2": ((-1.5, -1.5), (-2.0, -1.0), (-1.5, -1.5)),
    "a": ((0.0, 0.0), (0.0, 0.0), (-3.0, 3.0)),
    "d": ((0.55, 0.55), (0.55, 0.55), (0.3, 0.8)),
    "gamma": ((1.0, 1.0), (1.0, 1.0), (0.5, 1.5)),
}

Constants = dict[str, jax.Array]
Points = np.ndarray | jax.Array


def sampler(grid: Grid, family: int | None) -> Callable[[jax.Array], Inputs]:
    """key -> inputs of one member of a family.

    Args:
        grid: the nodes of x and t.
        family: index into `FAMILIES`; None draws it too.
    """
    x, t = grid.coordinates
    left, right = np.full_like(t, x[0]), np.full_like(t, x[-1])
    # The three edges as one line of points: one evaluation of u to compile, not three.
    edges = np.concatenate([x, left, right]), np.concatenate([0.0 * x, t, t])

    def sample(key: jax.Array) -> Inputs:
        family_key, constants_key = jax.random.split(key)
        which = family
        if which is None:
            which = jax.random.randint(family_key, (), 0, len(FAMILIES), jnp.int32)
        constants = draw(constants_key, which)
        u, f = solution(which, constants), forcing(which, constants)
        u0, u_left, u_right = jnp.split(u(*edges), [len(x), len(x) + len(t)])
        return {
            "f_x": derivative_in_x(f)(x[:, None], t[None, :]),
            "u0": u0,
            "u_left": u_left,
            "u_right": u_right,
            "ux_right": derivative_in_x(u)(right, t),
            "alpha": named(constants)["alpha"],
            "beta": named(constants)["beta"],
            "family": jnp.asarray(which, jnp.int32),
            "constants": constants,
        }

    return sample


def draw(key: jax.Array, family: jax.Array | int) -> Float[Array, " constants"]:
    """The constants of one member of a family, in the order of `RANGES`.

    Args:
        key: of this member.
        family: index into `FAMILIES`; may be traced.
    """
    low, high = np.moveaxis(np.array(list(RANGES.values())), -1, 0)
    uniform = jax.random.uniform(key, (len(RANGES),))
    low, high = jnp.asarray(low.T)[family], jnp.asarray(high.T)[family]
    return low + (high - low) * uniform


def named(constants: jax.Array) -> Constants:
    """Constants in the order of `RANGES` by their names."""
    return dict(zip(RANGES, constants, strict=True))


def solution(family: jax.Array | int, constants: jax.Array) -> Callable:
    """u(x, t) of one member.

    Args:
        family: index into `FAMILIES`; may be traced.
        constants: of this member, in the order of `RANGES`.
    """
    return _member(family, constants, (_u_a, _u_b, _u_c))


def forcing(family: jax.Array | int, constants: jax.Array) -> Callable:
    """f(x, t) of one member.

    Args:
        family: index into `FAMILIES`; may be traced.
        constants: of this member, in the order of `RANGES`.
    """
    return _member(family, constants, (_f_a, _f_b, _f_c))


def derivative_in_x(function: Callable) -> Callable:
    """The exact x-derivative of an elementwise function of (x, t)."""

    def differentiated(x, t):
        direction = (jnp.ones_like(x),)
        return jax.jvp(lambda x: function(x, t), (x,), direction)[1]

    return differentiated


def sech2(z: jax.Array) -> jax.Array:
    """1 / cosh(z)^2 without overflow, in value and in every derivative."""
    return 4.0 * jax.nn.sigmoid(2.0 * z) * jax.nn.sigmoid(-2.0 * z)


def _member(family, constants, branches):
    c = named(constants)
    if isinstance(family, int):
        return functools.partial(branches[family], c)
    return lambda x, t: jax.lax.switch(family, branches, c, x, t)


def _path_a(c: Constants, t: Points) -> tuple[jax.Array, jax.Array]:
    """The phase subtracted from k (x - delta k^2 t), and its rate in time."""
    phase = c["b"] * jnp.arctan(c["A"] * t) + c["b1"] * t + c["b0"]
    rate = c["b"] * c["A"] / (1.0 + (c["A"] * t) ** 2) + c["b1"]
    return phase, rate


def _path_b(c: Constants, t: Points) -> tuple[jax.Array, jax.Array]:
    phase = jnp.exp(c["b2"] * t**2 + c["b1"] * t + c["b0"])
    return phase, (2.0 * c["b2"] * t + c["b1"]) * phase


def _pulse(c: Constants, x: Points, t: Points, phase: jax.Array) -> jax.Array:
    return sech2(c["k"] * (x - c["delta"] * c["k"] ** 2 * t) - phase)


def _u_a(c, x, t):
    return 12.0 * c["beta"] * c["k"] ** 2 * _pulse(c, x, t, _path_a(c, t)[0])


def _u_b(c, x, t):
    return 12.0 * c["beta"] * c["k"] ** 2 * _pulse(c, x, t, _path_b(c, t)[0])


def _u_c(c, x, t):
    return 12.0 * c["beta"] * c["gamma"] / _bump(c, x, t)


def _f_a(c, x, t):
    return _soliton_forcing(c, x, t, *_path_a(c, t))


def _f_b(c, x, t):
    return _soliton_forcing(c, x, t, *_path_b(c, t))


def _soliton_forcing(c, x, t, phase, rate):
    k, beta = c["k"], c["beta"]
    excess = k**3 * (4.0 * beta - c["delta"]) - rate
    return 12.0 * k * beta / c["alpha"] * excess * _pulse(c, x, t, phase)


def _f_c(c, x, t):
    """The printed f_C with its 0/0 at x = -a cancelled: (t+b)^2 + d is s, F is bump."""
    beta, gamma = c["beta"], c["gamma"]
    x_shifted, t_shifted = x + c["a"], t + c["b"]
    s, bump = t_shifted**2 + c["d"], _bump(c, x, t)
    dispersive = 6.0 * beta * (gamma + 1.0) / bump**2 - 8.0 * beta * s / bump**3
    swelling = t_shifted * x_shifted / (s * bump)
    swelling += t_shifted * s**-1.5 * jnp.arctan(x_shifted / jnp.sqrt(s))
    return 12.0 * beta * gamma / c["alpha"] * (dispersive - swelling)


def _bump(c, x, t):
    return (x + c["a"]) ** 2 + (t + c["b"]) ** 2 + c["d"]
