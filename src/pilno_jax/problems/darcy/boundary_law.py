"""Data on the boundary of Darcy flow: random, one function on both grids; or zero."""

import abc
import dataclasses
from collections.abc import Callable
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from pilno_jax.checks import require, require_fields
from pilno_jax.numerics.random_fields import exp_sine
from pilno_jax.problems.base import Inputs, Problem

# Of the law, whose period is the whole boundary: about as rough as a side is long.
LENGTH_SCALE = 1.0


def constrain_by(
    factor: np.ndarray, output_scale: float, hard: bool
) -> Callable[[jax.Array, Inputs], jax.Array]:
    """(raw, inputs) -> u, zero where the factor is.

    Args:
        factor: on all nodes.
        output_scale: u of a network output of 1 where the factor is 1.
        hard: False leaves the factor out.
    """

    def constrain(raw: jax.Array, inputs: Inputs) -> jax.Array:
        del inputs
        if not hard:
            return output_scale * raw
        return output_scale * jnp.asarray(factor, raw.dtype) * raw

    return constrain


@dataclasses.dataclass(frozen=True)
class BoundaryLaw(abc.ABC):
    """A Gaussian field along the boundary, or a side of it.

    Args:
        sigma: its standard deviation.
        unit: the pressure that the network sees as 1.
        num_points: nodes a side of the problem's grid.
        num_fine: nodes a side of the reference's.
    """

    sigma: float
    unit: float
    num_points: int
    num_fine: int
    name: ClassVar[str]  # of the data among the inputs; with _fine, on the fine grid

    def __post_init__(self):
        fits = 0 <= self.sigma < float("inf")
        require(fits, "boundary_sigma", self.sigma, "a number >= 0")

    @property
    @abc.abstractmethod
    def stated(self) -> str:
        """The boundary condition in LaTeX."""

    @abc.abstractmethod
    def nodes(self, num_points: int) -> int:
        """How many nodes have data, on a grid of `num_points` a side."""

    @abc.abstractmethod
    def imposed_on(self, problem: Problem, source: float) -> Problem:
        """Darcy flow with u = 0 on the boundary, with these data instead.

        Args:
            problem: made by `darcy`.
            source: f.
        """

    def draw(self, key: jax.Array) -> Inputs:
        """The data on both grids."""
        around = 4 * (self.num_fine - 1)
        nodes = self.nodes(self.num_fine)
        # 2^31 - 1 is no number of a split: the medium keeps the key it has without.
        own_key = jax.random.fold_in(key, 2**31 - 1)
        places = jnp.arange(nodes).astype(jnp.result_type(float)) / around
        return self.on_both_grids(exp_sine(own_key, places, LENGTH_SCALE, self.sigma))

    def on_both_grids(self, fine: Any) -> Inputs:
        """The inputs that data on the fine grid make.

        Args:
            fine: on the nodes of the fine grid's boundary.
        """
        name, nodes = f"{self.name}_fine", self.nodes(self.num_fine)
        require_fields({name: fine}, {name: (nodes,)})
        stride = (self.num_fine - 1) // (self.num_points - 1)
        return {self.name: fine[::stride], name: fine}

    def completed(self, edited: Inputs) -> Inputs:
        """The data that a person gave, or none.

        Args:
            edited: inputs, some of them.
        """
        nothing = jnp.zeros(self.nodes(self.num_fine))
        return self.on_both_grids(edited.get(f"{self.name}_fine", nothing))
