"""Values of u at both ends as inputs of Task "forcing", hard by a lifting.

    u(0, t) = u_left,  u(1, t) = u_right,  u(x, 0) = l(x) = (1 - x) u_left + x u_right.

The line l between the values is where u starts: diffusion leaves it alone, and what f
and the reaction make of it is zero at the start and at both ends, as without it. So the
network's part keeps its form, and l is added.
"""

import dataclasses
from collections.abc import Callable
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from pilno_jax.checks import require, require_fields
from pilno_jax.numerics.grids import Axis, Grid
from pilno_jax.problems.base import ErrorOf, InputField, Inputs, Problem
from pilno_jax.problems.boundary_data import with_boundary_data
from pilno_jax.problems.coefficients import Coefficient
from pilno_jax.problems.reaction_diffusion.mollifiers import mollifier_of

FreePart = Callable[[jax.Array, Inputs], Any]


@dataclasses.dataclass(frozen=True)
class BoundaryValues:
    """What u is at both ends, and the law of these two numbers.

    Args:
        sigma: their standard deviation; they are independent, of mean zero. 0: both are
            zero, and no inputs.
        unit: the number that the network sees as 1, whatever the law.
    """

    sigma: float
    unit: float
    names: ClassVar[tuple[str, str]] = ("u_left", "u_right")
    symbols: ClassVar[tuple[str, str]] = ("$u(0)$", "$u(1)$")
    zero: ClassVar[str] = r"u = 0 \text{ at the start and at both ends}"
    given: ClassVar[str] = r"u \text{ starts from the line between its ends}"

    def __post_init__(self):
        fits = 0 <= self.sigma < float("inf")
        require(fits, "boundary_sigma", self.sigma, "a number >= 0")

    @property
    def stated(self) -> str:
        """The conditions in LaTeX."""
        return self.given if self.sigma else self.zero

    def start(self, inputs: Inputs, x: Axis) -> jax.Array:
        """The lifting, from which u starts, on the nodes of x."""
        if not self.sigma:
            return jnp.zeros(x.num_points)
        require_fields(inputs, dict.fromkeys(self.names, ()))
        left, right = (jnp.asarray(inputs[name]) for name in self.names)
        return self.lifting(left, right, x.scaled.astype(left.dtype))

    def lifting(self, left: jax.Array, right: jax.Array, x: np.ndarray) -> jax.Array:
        """A function of x in [0, 1] with these data at the ends."""
        return left * (1 - x) + right * x

    def held(self, x: Axis) -> Callable[[jax.Array], jax.Array]:
        """Rates of change on the nodes of x -> those that leave the data as they are.

        Args:
            x: of the reference solver.
        """
        free = np.ones(x.num_points, jnp.result_type(float))
        free[[0, -1]] = 0.0
        return lambda rates: rates * free

    def penalty(self, x: Axis) -> Callable[[jax.Array, Inputs], jax.Array]:
        """(u, inputs) -> how far u is from data that are zero."""
        del x
        return lambda u, inputs: jnp.stack([u[0], u[-1]])

    def free_part(self, grid: Grid, mollifier: str, d: Coefficient) -> FreePart:
        """(raw, inputs) -> a field that is zero at the start and has zero data.

        Args:
            grid: of the problem.
            mollifier: one of `MOLLIFIERS`.
            d: the diffusivity.
        """
        factor = mollifier_of(mollifier, grid, d)

        def free(raw: jax.Array, inputs: Inputs) -> jax.Array:
            # JAX remembers a NumPy constant in the precision it first met it in, and
            # Newton's method asks in double precision for what networks do in single.
            return jnp.asarray(factor(inputs), raw.dtype) * raw

        return free

    def error_of(self, d: Coefficient, d_xx: np.ndarray, grid: Grid) -> ErrorOf:
        """What diffusion with zero data answers to a residual of the inner nodes.

        Args:
            d: the diffusivity.
            d_xx: on all nodes of x.
            grid: of the problem.
        """
        return d.response_error(-d_xx[1:-1, 1:-1], grid.axes[1])

    def draw(self, key: jax.Array) -> Inputs:
        # 2^31 - 1 is no number of a split: the forcing keeps the keys it has without.
        values = jax.random.normal(jax.random.fold_in(key, 2**31 - 1), (2,))
        return dict(zip(self.names, self.sigma * values, strict=True))

    def imposed_on(self, problem: Problem) -> Problem:
        """The problem with zero data at its ends, with these instead.

        Args:
            problem: its `solve` begins with `start` already.
        """
        if not self.sigma:
            return problem
        x, names = problem.grid.axes[0], self.names

        def channels(inputs: Inputs) -> jax.Array:
            require_fields(inputs, dict.fromkeys(names, ()))
            numbers = jnp.stack([inputs[name] / self.unit for name in names])
            return jnp.broadcast_to(numbers, (*problem.grid.shape, len(names)))

        return with_boundary_data(
            problem,
            draw=self.draw,
            lifting=lambda inputs: self.start(inputs, x)[:, None],
            channels=channels,
            declared={
                name: InputField((), symbol, editable=True)
                for name, symbol in zip(names, self.symbols, strict=True)
            },
        )
