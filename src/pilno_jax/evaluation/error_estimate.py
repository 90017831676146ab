"""The residual of a prediction as an estimate of its error, where no truth is known.

    found = residuals(problem)(u, inputs)    # a number per prediction; no solver
    law = calibrate(found_on_labelled_samples, their_errors)
    expected_error = law(found)

The residual tells how far u is from the equation, not from the solution. What the one
says of the other depends on the PDE, hence the calibration on a few labelled samples.
"""

import dataclasses
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

from pilno_jax.checks import require
from pilno_jax.problems.base import Inputs, Problem
from pilno_jax.training import causality, objective

Residuals = Callable[[jax.Array, Inputs], jax.Array]


def residuals(problem: Problem, weights: objective.Weights | None = None) -> Residuals:
    """(u, inputs) -> the root of each sample's weighted physics loss, per size of u.

    Relative, as errors are: on Burgers at length scale 2 the rank correlation with the
    relative error is 0.93, and 0.37 with the residual as it is.
    """
    weights = weights or objective.Weights()
    terms = objective.physics(problem, causality.uniform())

    def residual(u: jax.Array, inputs: Inputs) -> jax.Array:
        found = terms(u, inputs)
        square = sum(getattr(weights, name) * found[name] for name in found)
        size = jnp.sqrt(jnp.mean(u**2))
        return jnp.sqrt(jnp.asarray(square)) / jnp.maximum(size, 1e-12)

    return jax.vmap(residual)


def rank_correlation(first: np.ndarray, second: np.ndarray) -> float:
    """Spearman's: the correlation of the ranks, 1 if one orders as the other does."""
    one, two = np.argsort(np.argsort(np.stack([first, second])))
    return float(np.corrcoef(one, two)[0, 1])


@dataclasses.dataclass(frozen=True)
class Law:
    """error = factor residual^exponent, right within a factor `spread` (one sigma)."""

    factor: float
    exponent: float
    spread: float

    def __call__(self, residuals: np.ndarray) -> np.ndarray:
        return self.factor * np.asarray(residuals) ** self.exponent


def calibrate(residuals: np.ndarray, errors: np.ndarray) -> Law:
    """The straight line through (log residual, log error) of labelled samples."""
    residuals, errors = np.asarray(residuals, float), np.asarray(errors, float)
    same = residuals.ndim == 1 and residuals.shape == errors.shape
    found = (residuals.shape, errors.shape)
    require(same, "shapes of residuals and errors", found, "one and the same (n,)")
    require(len(errors) >= 3, "number of samples", len(errors), "at least 3")
    lowest = float(min(residuals.min(), errors.min()))
    require(lowest > 0, "smallest residual or error", lowest, "a positive number")
    x, y = np.log(residuals), np.log(errors)
    exponent, offset = np.polyfit(x, y, 1)
    spread = np.exp(np.std(y - exponent * x - offset))
    return Law(float(np.exp(offset)), float(exponent), float(spread))
