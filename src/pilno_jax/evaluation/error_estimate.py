"""The residual of a prediction as an estimate of its error, where no truth is known.

    estimates = residuals(problem)(u, inputs)    # a number per prediction; no solver
    law = calibrate(estimates_of_labelled_samples, their_errors)
    expected_errors = law(estimates)

The residual tells how far u is from the equation, not from the solution. What the one
says of the other depends on the PDE, hence the calibration on a few labelled samples.
"""

import dataclasses
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float
from numpy.typing import ArrayLike

from pilno_jax.checks import require
from pilno_jax.problems.base import Inputs, Problem
from pilno_jax.training import causality, objective

Residuals = Callable[[Float[Array, " samples *grid"], Inputs], Float[Array, " samples"]]


def residuals(problem: Problem, weights: objective.Weights | None = None) -> Residuals:
    """(u, inputs) -> the root of each sample's weighted physics loss, per size of u.

    Divided by the size of u because errors are relative too: small solutions have small
    residuals, however wrong they are.

    Args:
        problem: its residual, measure and soft constraints.
        weights: of the physics terms; None takes the defaults of `objective.Weights`.
            `data` and `virtual` do not matter here.
    """
    weights = weights or objective.Weights()
    physics_terms = objective.physics(problem, causality.uniform())

    def residual(u: Float[Array, "*grid"], inputs: Inputs) -> Float[Array, ""]:
        square = objective.weighted_sum(physics_terms(u, inputs), weights)
        size = jnp.sqrt(jnp.mean(u**2))
        return jnp.sqrt(square) / jnp.maximum(size, 1e-12)

    return jax.vmap(residual)


def rank_correlation(
    first: Float[np.ndarray, " samples"], second: Float[np.ndarray, " samples"]
) -> float:
    """Spearman's: the correlation of the ranks, 1 if one orders as the other does."""
    ranks = np.argsort(np.argsort(np.stack([first, second])))
    return float(np.corrcoef(*ranks)[0, 1])


@dataclasses.dataclass(frozen=True)
class PowerLaw:
    """error = factor residual^exponent, right within a factor `spread` (one sigma)."""

    factor: float
    exponent: float
    spread: float

    def __call__(self, residuals: np.ndarray) -> np.ndarray:
        return self.factor * np.asarray(residuals) ** self.exponent


def calibrate(residuals: ArrayLike, errors: ArrayLike) -> PowerLaw:
    """The straight line through (log residual, log error) of labelled samples.

    Args:
        residuals: of predictions whose error is known, from `residuals`; (n,).
        errors: of the same predictions, from `relative_errors`; (n,). 3 at least; 20
            give a `spread` worth the name.
    """
    residuals, errors = np.asarray(residuals, float), np.asarray(errors, float)
    same = residuals.ndim == 1 and residuals.shape == errors.shape
    shapes = (residuals.shape, errors.shape)
    require(same, "shapes of residuals and errors", shapes, "one and the same (n,)")
    require(len(errors) >= 3, "number of samples", len(errors), "at least 3")
    lowest = float(min(residuals.min(), errors.min()))
    require(lowest > 0, "smallest residual or error", lowest, "a positive number")
    x, y = np.log(residuals), np.log(errors)
    exponent, offset = np.polyfit(x, y, 1)
    spread = np.exp(np.std(y - exponent * x - offset))
    return PowerLaw(float(np.exp(offset)), float(exponent), float(spread))
