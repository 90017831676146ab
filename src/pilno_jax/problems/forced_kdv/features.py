"""What a network sees of forcing, initial and boundary values, as channels on nodes."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from pilno_jax.numerics.derivatives import along, running_integral
from pilno_jax.numerics.grids import Grid
from pilno_jax.problems.base import Inputs
from pilno_jax.problems.forced_kdv.lifting import lifting

# Root mean squares of the inputs over the law, for the plain features.
PAPER_SCALES = {
    "f_x": 2.0,
    "u0": 1.0,
    "u_left": 1.0,
    "u_right": 1.0,
    "ux_right": 1.0,
    "alpha": 2.0,
    "beta": 0.25,
}
EDGE_DATA = ("u0", "u_left", "u_right", "ux_right")
TYPICAL_HEIGHT = 3.0


def paper_features(grid: Grid) -> Callable[[Inputs], jax.Array]:
    """The paper's seven inputs over constants, then the scaled coordinates x, t."""

    def features(inputs: Inputs) -> jax.Array:
        fields = _on_grid(grid, inputs)
        channels = [fields[name] / scale for name, scale in PAPER_SCALES.items()]
        return jnp.stack([*channels, *_scaled_coordinates(grid)], -1)

    return features


def rich_features(grid: Grid) -> Callable[[Inputs], jax.Array]:
    """Eleven channels, in the units of v = u / (12 beta), g standing for alpha f_x:

    0 g, 1 its integral in x, 2 u0 plus its integral in time (Picard's first
    iterate), 3 the lifting of the initial and boundary values, 4 ... 7 these values
    themselves, 8 beta, then the scaled x and t. Integrals are what a solution is made
    of, and what a few global modes see worst in a sharp pulse. Forcing is heavy-tailed
    (its peaks are tens of times its root mean square), hence asinh in 0, 1 and 2.
    """
    x_axis, t_axis = grid.axes
    sum_x, sum_t = running_integral(x_axis), running_integral(t_axis)
    lift = lifting(grid)

    def features(inputs: Inputs) -> jax.Array:
        height = 12.0 * inputs["beta"]
        fields = _on_grid(grid, inputs)
        g = inputs["alpha"] * inputs["f_x"] / height
        channels = [
            jnp.arcsinh(g),
            jnp.arcsinh(along(sum_x, g, 0)),
            jnp.arcsinh(fields["u0"] / height + along(sum_t, g, 1)),
            lift(inputs) / height,
            *(fields[name] / height for name in EDGE_DATA),
            fields["beta"] / PAPER_SCALES["beta"],
        ]
        return jnp.stack([*channels, *_scaled_coordinates(grid)], -1)

    return features


def own_height(inputs: Inputs) -> Any:
    """The unit of u in the "rich" features: u of a network output of 1."""
    return 12.0 * inputs["beta"]


def typical_height(inputs: Inputs) -> float:
    """The paper's features do not divide by beta, so its output must not multiply."""
    del inputs
    return TYPICAL_HEIGHT


# Each choice of features and the unit of u that belongs to it.
FEATURES = {
    "rich": (rich_features, own_height),
    "paper": (paper_features, typical_height),
}


def _on_grid(grid: Grid, inputs: Inputs) -> dict[str, Any]:
    """Every physical input as a field."""
    lines = {
        name: grid.broadcast(inputs[name], 0 if name == "u0" else 1)
        for name in EDGE_DATA
    }
    numbers = {
        name: jnp.broadcast_to(inputs[name], grid.shape) for name in ("alpha", "beta")
    }
    return {"f_x": inputs["f_x"], **lines, **numbers}


def _scaled_coordinates(grid: Grid) -> list[Any]:
    return [grid.broadcast(scaled, axis) for axis, scaled in enumerate(grid.scaled)]
