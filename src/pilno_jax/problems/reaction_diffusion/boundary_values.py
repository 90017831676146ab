"""Values of u at both ends as inputs of Task "forcing", hard by a lifting.

    u(0, t) = u_left,  u(1, t) = u_right,  u(x, 0) = l(x) = (1 - x) u_left + x u_right.

The line l between the values is where u starts: diffusion leaves it alone, and what f
and the reaction make of it is zero at the start and at both ends, as without it. So the
network's part keeps its form, and l is added.
"""

import dataclasses
from collections.abc import Callable

import jax
import jax.numpy as jnp

from pilno_jax.checks import require, require_fields
from pilno_jax.numerics.grids import Axis
from pilno_jax.problems.base import InputField, Inputs, Problem

NAMES = ("u_left", "u_right")
SHAPES: dict[str, tuple[int, ...]] = dict.fromkeys(NAMES, ())


@dataclasses.dataclass(frozen=True)
class BoundaryValues:
    """The law of the two values.

    Args:
        sigma: their standard deviation; they are independent, of mean zero. 0: both are
            zero, and no inputs.
        unit: the value that the network sees as 1, whatever the law.
    """

    sigma: float
    unit: float

    def __post_init__(self):
        fits = 0 <= self.sigma < float("inf")
        require(fits, "boundary_sigma", self.sigma, "a number >= 0")

    def start(self, inputs: Inputs, x: Axis) -> jax.Array:
        """The line between the values, on the nodes of x."""
        if not self.sigma:
            return jnp.zeros(x.num_points)
        require_fields(inputs, SHAPES)
        left, right = (jnp.asarray(inputs[name]) for name in NAMES)
        part = x.scaled.astype(left.dtype)
        return left * (1 - part) + right * part

    def draw(self, key: jax.Array) -> Inputs:
        # 2^31 - 1 is no number of a split: the forcing keeps the keys it has without.
        values = jax.random.normal(jax.random.fold_in(key, 2**31 - 1), (2,))
        return dict(zip(NAMES, self.sigma * values, strict=True))

    def imposed_on(self, problem: Problem) -> Problem:
        """The problem with zero boundary values, with these instead.

        Args:
            problem: its `solve` begins with `start` already.
        """
        if not self.sigma:
            return problem
        x = problem.grid.axes[0]

        def with_values(
            sample: Callable[[jax.Array], Inputs],
        ) -> Callable[[jax.Array], Inputs]:
            return lambda key: sample(key) | self.draw(key)

        def features(inputs: Inputs) -> jax.Array:
            require_fields(inputs, SHAPES)
            fields = problem.features(inputs)
            numbers = jnp.stack([inputs[name] / self.unit for name in NAMES])
            shape = (*problem.grid.shape, len(NAMES))
            return jnp.concatenate([fields, jnp.broadcast_to(numbers, shape)], -1)

        def constrain(raw: jax.Array, inputs: Inputs) -> jax.Array:
            return self.start(inputs, x)[:, None] + problem.constrain(raw, inputs)

        def off(penalty: Callable) -> Callable:
            return lambda u, inputs: penalty(u - self.start(inputs, x)[:, None], inputs)

        declared = {
            name: InputField((), symbol, editable=True)
            for name, symbol in zip(NAMES, ("$u(0)$", "$u(1)$"), strict=True)
        }
        return dataclasses.replace(
            problem,
            sample=with_values(problem.sample),
            sample_virtual=with_values(problem.sample_virtual),
            features=features,
            constrain=constrain,
            constraints={k: off(one) for k, one in problem.constraints.items()},
            inputs={**problem.inputs, **declared},
        )
