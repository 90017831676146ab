"""Coefficients of an equation: a number, or a law that gives every sample its own.

A factory's scalar parameter may be a pair, `viscosity=(0.003, 0.1)`. Each sample then
draws its own value, which is an input like any other: residual and solver read it, the
network sees it as one more channel, figures and the demo show it. A plain number is a
constant of the programs and no input at all.

Where the equation allows, a third number makes it a function of x: of the samples of
`diffusivity=(0.003, 0.1, 0.5)` each has a field of its own, of length scale 0.5, whose
value at any one place has the law of the pair. The longer the scale, the more nearly
the field is a number.
"""

import dataclasses
import math
import zlib
from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import ndtr
from jaxtyping import Array, Float

from pilno_jax.checks import is_number, require, require_fields
from pilno_jax.numerics.grids import Axis
from pilno_jax.numerics.random_fields import SHORTEST_LENGTH_SCALE, exp_sine
from pilno_jax.problems.base import (
    ErrorOf,
    InputField,
    Inputs,
    Problem,
    response_error,
)

Law = float | tuple[float, float]  # a number, or (lowest, highest)
FieldLaw = float | tuple[float, ...]  # or (lowest, highest, length scale) of a field
Value = Float[Array, "*x"]  # a number or, of a field, one at every node of x


@dataclasses.dataclass(frozen=True)
class Coefficient:
    """A number of the equation; `coefficient` makes one from what a user gave.

    Args:
        name: the factory's argument and, of a law, the key in `inputs`.
        lowest: value of the law; of a number, the number.
        highest: value of the law, at least the lowest.
        is_input: whether every sample has its own.
        symbol: its name in figures, LaTeX between dollars.
        length_scale: of a field along x; None for numbers.
    """

    name: str
    lowest: float
    highest: float
    is_input: bool
    symbol: str
    length_scale: float | None = None

    @property
    def is_field(self) -> bool:
        return self.length_scale is not None

    def of(self, inputs: Inputs) -> float | Value:
        """The value for one sample: the number itself, or what the sample drew."""
        return inputs[self.name] if self.is_input else self.lowest

    def draw(self, key: jax.Array, x: Float[np.ndarray | Array, " x"]) -> Value:
        """A value of the law: log-uniform where all are positive, else uniform.

        A field is so at every place: the values that a Gaussian field of deviation 1
        takes have a known distribution, which is made even.

        Args:
            key: of the whole sample. Coefficients fold their name in, and leave the
                fields of the sample what they are without a law.
            x: the nodes that a field is drawn at.
        """
        own_key = jax.random.fold_in(key, zlib.crc32(self.name.encode()))
        if self.length_scale is None:
            spread = jax.random.uniform(own_key)
        else:
            spread = ndtr(exp_sine(own_key, x, self.length_scale, sigma=1.0))
        if self.lowest > 0:
            return self.lowest * (self.highest / self.lowest) ** spread
        return self.lowest + (self.highest - self.lowest) * spread

    def feature(self, value: Value) -> Value:
        """What the network sees: -1 at the lowest value, 1 at the highest.

        Logarithmic where all values are positive. A law of one value shows 0.
        """
        if self.lowest == self.highest:
            return jnp.zeros_like(value)
        if self.lowest > 0:
            decades = math.log(self.highest / self.lowest)
            return 2.0 * jnp.log(value / self.lowest) / decades - 1.0
        return 2.0 * (value - self.lowest) / (self.highest - self.lowest) - 1.0

    def stated(self) -> str:
        """Its value, or its range, in LaTeX."""
        symbol = self.symbol.strip("$") + ("(x)" if self.is_field else "")
        if self.is_input:
            return rf"{symbol} \in [{self.lowest:g}, {self.highest:g}]"
        return f"{symbol} = {self.lowest:g}"

    def response_error(self, matrix: np.ndarray, times: Axis) -> ErrorOf:
        """`base.response_error` where the linear part is this coefficient times A.

        Of a diffusivity that varies, its harmonic mean, which acts like it on whatever
        is longer than its own waves.

        Args:
            matrix: A.
            times: the axis of time.
        """
        if self.is_field:
            return response_error(matrix, times, self._harmonic_mean)
        if self.is_input:
            return response_error(matrix, times, self.of)
        return response_error(self.lowest * matrix, times)

    def _harmonic_mean(self, inputs: Inputs) -> Value:
        return 1.0 / jnp.mean(1.0 / inputs[self.name])


def coefficient(
    name: str,
    law: FieldLaw,
    symbol: str = "",
    may_be_zero: bool = False,
    may_vary: bool = False,
) -> Coefficient:
    """The coefficient that a factory's argument asks for.

    Args:
        name: of the argument.
        law: a number, or (lowest, highest) of the values that samples draw, or
            (lowest, highest, length scale) of fields along x. One decade is learnt as
            well as a single value in about the same time; (v, v) shows the network an
            input that is always v.
        symbol: its name in figures. Default: the argument's.
        may_be_zero: whether 0 is allowed. Default: the coefficient is positive.
        may_vary: whether it may be a field, periodic along the grid's first axis.
            Default: no, the equation is written for numbers.
    """
    kind = "number >= 0" if may_be_zero else "positive number"
    allowed = f"a {kind}, or a pair (lowest, highest) of such numbers"
    if may_vary:
        allowed += f", or those and a length scale >= {SHORTEST_LENGTH_SCALE}"
    is_input = isinstance(law, tuple | list)
    most = 3 if may_vary else 2
    require(not is_input or 2 <= len(law) <= most, name, law, allowed)
    values = tuple(law) if is_input else (law, law)
    require(all(map(is_number, values)), name, law, allowed)
    lowest, highest, *scale = values
    fits = lowest >= 0 if may_be_zero else lowest > 0
    fits = fits and lowest <= highest and math.isfinite(highest)
    fits = fits and all(SHORTEST_LENGTH_SCALE <= one < math.inf for one in scale)
    require(fits, name, law, allowed)
    return Coefficient(name, lowest, highest, is_input, symbol or name, *scale)


def with_coefficients(problem: Problem, *coefficients: Coefficient) -> Problem:
    """The problem whose samples draw the coefficients that are laws.

    Args:
        problem: residual, solver and hard constraints read coefficients by
            `Coefficient.of`.
        coefficients: those of its equation; numbers among them change nothing.
    """
    drawn = [one for one in coefficients if one.is_input]
    statement = problem.statement.with_constants(
        [one.stated() for one in coefficients],
        [one.symbol.strip("$") for one in drawn],
    )
    problem = dataclasses.replace(problem, statement=statement)
    if not drawn:
        return problem
    grid = problem.grid
    x = grid.axes[0]
    shapes: dict[str, tuple[int, ...]] = {
        one.name: (x.num_points,) if one.is_field else () for one in drawn
    }

    def with_draws(
        sample: Callable[[jax.Array], Inputs],
    ) -> Callable[[jax.Array], Inputs]:
        return lambda key: (
            sample(key) | {one.name: one.draw(key, x.coordinates) for one in drawn}
        )

    def solve(inputs: Inputs) -> jax.Array:
        require_fields(inputs, shapes)
        return problem.solver()(inputs)

    def features(inputs: Inputs) -> jax.Array:
        require_fields(inputs, shapes)
        fields = problem.features(inputs)
        seen = {one.name: one.feature(inputs[one.name]) for one in drawn}
        channels = [
            grid.broadcast(seen[one.name], 0)
            if one.is_field
            else jnp.broadcast_to(seen[one.name], grid.shape)
            for one in drawn
        ]
        return jnp.concatenate(
            [fields, jnp.stack(channels, -1, dtype=fields.dtype)], -1
        )

    declared = {
        one.name: InputField(
            (x.name,) if one.is_field else (), one.symbol, editable=True
        )
        for one in drawn
    }
    return dataclasses.replace(
        problem,
        sample=with_draws(problem.sample),
        sample_virtual=with_draws(problem.sample_virtual),
        strata=tuple(with_draws(sample) for sample in problem.strata),
        solve=solve if problem.solve else None,
        features=features,
        # A problem that declares no inputs has them derived from a draw.
        inputs={**problem.inputs, **declared} if problem.inputs else {},
    )


def under_other_law(
    options: Mapping[str, Any], changes: Mapping[str, Any]
) -> dict[str, Any]:
    """Options of `problems.make` for test inputs of another law.

    An operator that takes a coefficient as an input is asked at one value of it by
    inputs that all have this value: a number in place of a law becomes the law of that
    number alone, of fields as of numbers.

    Args:
        options: those the operator was trained with.
        changes: options that differ, such as {"viscosity": 0.01}.
    """
    laws = {name for name in changes if isinstance(options.get(name), tuple | list)}
    points = {
        name: (value, value, *options[name][2:])
        for name, value in changes.items()
        if name in laws and isinstance(value, int | float)
    }
    return {**options, **changes, **points}
