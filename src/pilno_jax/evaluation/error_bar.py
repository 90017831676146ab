"""How to read an estimate of an error, learned from the validation inputs of a run.

An estimate is a number per prediction that needs no truth: the size of one more
correction where an operator has stages (`operators.own_error`), a law of the residual
where it has not (`evaluation.error_estimate`). An error bar says how far the truth may
be from it:

    bar = error_bar("correction", sizes, errors)     # of the validation inputs
    bar.expected(sizes)    the estimate
    bar.upper(sizes)       a bound that 90 % of inputs like those keep
    bar.is_unlike(sizes)   whether an input is unlike anything among them
"""

import dataclasses
import math
from collections.abc import Callable, Sequence

import jax
import numpy as np
from jaxtyping import Float

from pilno_jax.checks import require, require_choice
from pilno_jax.evaluation.error_estimate import (
    PowerLaw,
    calibrate,
    rank_correlation,
    residuals,
)
from pilno_jax.operators import Apply, Params, corrector, error_of_fields
from pilno_jax.problems.base import Inputs, Problem

Sizes = Callable[[Params, Inputs, jax.Array], jax.Array]  # (params, inputs, u)
Samples = Float[np.ndarray, " samples"]

QUANTITIES = ("correction", "residual")
COVERAGE = 0.9
# An estimate this many times the largest on the validation inputs is of another kind
# of input.
FAR = 2.0
FEWEST_SAMPLES = 10  # fewer have no 90 % quantile


def quantity_of(applies: Sequence[Apply]) -> str:
    """What tells the errors of an operator with these networks."""
    return "correction" if len(applies) > 1 else "residual"


def sizes_of(problem: Problem, applies: Sequence[Apply]) -> Sizes:
    """(params, inputs, u) -> the quantity that tells the error of each field.

    Args:
        problem: the PDE family.
        applies: the stages' networks. `params` are those of the whole operator.
    """
    if quantity_of(applies) == "residual":
        of_fields = residuals(problem)
        return lambda params, inputs, u: of_fields(u, inputs)
    of_last = error_of_fields(corrector(problem, applies[-1]))
    return lambda params, inputs, u: of_last(params[-1], inputs, u)


@dataclasses.dataclass(frozen=True)
class ErrorBar:
    """What the validation inputs tell of an estimate.

    Args:
        quantity: what is measured, one of `QUANTITIES`.
        law: measured size -> the estimate of the error.
        factor_above: errors of 90 % of inputs are below this many times the estimate.
        largest: estimate on the validation inputs.
        samples: how many of them there were.
    """

    quantity: str
    law: PowerLaw
    factor_above: float
    largest: float
    samples: int

    def expected(self, sizes: Samples) -> Samples:
        """The estimate of each relative error."""
        return self.law(sizes)

    def upper(self, sizes: Samples) -> Samples:
        """A bound of each relative error that holds for 90 % of inputs."""
        return self.factor_above * self.expected(sizes)

    def is_unlike(self, sizes: Samples) -> np.ndarray:
        """Whether inputs are unlike all that the operator was judged on."""
        return self.expected(sizes) > FAR * self.largest

    def to_dict(self) -> dict:
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, content: dict) -> "ErrorBar":
        return cls(**{**content, "law": PowerLaw(**content["law"])})


def error_bar(quantity: str, sizes: Samples, errors: Samples) -> ErrorBar:
    """The error bar that labelled inputs suggest.

    Its bound is conformal: for a new input like these it holds with a probability of
    90 % or more, whatever the distribution.

    Args:
        quantity: "correction" is an error itself and needs no law, "residual" is
            calibrated.
        sizes: what was measured of each prediction.
        errors: relative L2 error of each; at least 10 of them.
    """
    require_choice("quantity", quantity, QUANTITIES)
    allowed = f"at least {FEWEST_SAMPLES}"
    require(len(errors) >= FEWEST_SAMPLES, "number of samples", len(errors), allowed)
    law = PowerLaw(1.0, 1.0, 1.0)
    if quantity == "residual":
        law = calibrate(sizes, errors)
    estimates = law(sizes)
    ratios = np.sort(errors / estimates)
    rank = math.ceil((len(ratios) + 1) * COVERAGE)
    above = float(ratios[min(rank, len(ratios)) - 1])
    return ErrorBar(quantity, law, above, float(estimates.max()), len(ratios))


def judged(bar: ErrorBar, sizes: Samples, errors: Samples) -> dict[str, float]:
    """How good an error bar is on inputs it was not made from.

    Args:
        bar: the error bar.
        sizes: what was measured of each prediction.
        errors: relative L2 error of each.
    """
    ratios = bar.expected(sizes) / errors
    low, middle, high = np.quantile(ratios, [0.05, 0.5, 0.95])

    def within(factor: float) -> float:
        return float(np.mean((ratios < factor) & (ratios > 1 / factor)))

    return {
        "median_ratio": float(middle),
        "low_ratio": float(low),
        "high_ratio": float(high),
        "within_1.5": within(1.5),
        "within_3": within(3.0),
        "coverage": float(np.mean(errors <= bar.upper(sizes))),
        "unlike": float(np.mean(bar.is_unlike(sizes))),
        "rank_correlation": rank_correlation(sizes, errors),
    }
