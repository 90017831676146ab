"""How to read what a residual tells of an error, learned from validation inputs.

`operators.error_sizes` gives a number per prediction that needs no truth. An error bar
says what it means:

    bar = error_bar(sizes, errors, final_sizes, final_errors)   # of validation inputs
    bar.expected(sizes)    the estimate of each error
    bar.upper(sizes)       a bound that 90 % of inputs like those keep
    bar.is_unlike(sizes)   whether an input is unlike anything among them
"""

import dataclasses
import math

import numpy as np
from jaxtyping import Float

from pilno_jax.checks import require
from pilno_jax.evaluation.error_estimate import rank_correlation

Samples = Float[np.ndarray, " samples"]
Final = Float[np.ndarray, " final"]

COVERAGE = 0.9
# An estimate this many times the largest on the validation inputs is of another kind
# of input.
FAR = 2.0
FEWEST_SAMPLES = 10  # fewer have no 90 % quantile


@dataclasses.dataclass(frozen=True)
class ErrorBar:
    """What the validation inputs tell of an estimate.

    The estimate is sqrt((factor size)^2 + floor^2).

    Args:
        factor: what a size is to be multiplied by; near 1 where `Problem.error_of` is
            a good guess at the error.
        floor: what no residual shows: errors of the grid, and of single precision.
        factor_above: errors of 90 % of inputs are below this many times the estimate.
        largest: estimate on the validation inputs.
        samples: how many of them there were.
    """

    factor: float
    floor: float
    factor_above: float
    largest: float
    samples: int

    def expected(self, sizes: Samples) -> Samples:
        """The estimate of each relative error."""
        return np.hypot(self.factor * np.asarray(sizes), self.floor)

    def upper(self, sizes: Samples) -> Samples:
        """A bound of each relative error that holds for 90 % of inputs."""
        return self.factor_above * self.expected(sizes)

    def size_of(self, error: float) -> float:
        """The size whose estimate is that error; below the floor there is none: 0."""
        return math.sqrt(max(error**2 - self.floor**2, 0.0)) / self.factor

    def is_unlike(self, sizes: Samples) -> np.ndarray:
        """Whether inputs are unlike all that the operator was judged on."""
        return self.expected(sizes) > FAR * self.largest

    def to_dict(self) -> dict[str, float]:
        return dataclasses.asdict(self)


def error_bar(
    sizes: Samples, errors: Samples, final_sizes: Final, final_errors: Final
) -> ErrorBar:
    """The error bar that labelled inputs suggest.

    Its bound is conformal: for a new input like these it holds with a probability of
    90 % or more, whatever the distribution.

    Args:
        sizes: of predictions by `operators.error_sizes`. Those of fields after every
            stage, good and bad, tell factor and floor apart.
        errors: relative L2 error of each.
        final_sizes: of what the operator answers in the end; at least 10 of them.
        final_errors: relative L2 error of each.
    """
    count, allowed = len(final_errors), f"at least {FEWEST_SAMPLES}"
    require(count >= FEWEST_SAMPLES, "number of samples", count, allowed)
    factor, floor = _fit(np.asarray(sizes, float), np.asarray(errors, float))
    unbounded = ErrorBar(factor, floor, 1.0, 0.0, count)
    estimates = unbounded.expected(final_sizes)
    ratios = np.sort(final_errors / estimates)
    rank = min(math.ceil((count + 1) * COVERAGE), count)
    above, largest = float(ratios[rank - 1]), float(estimates.max())
    return dataclasses.replace(unbounded, factor_above=above, largest=largest)


def bar_of_stages(
    sizes: Float[np.ndarray, "stages samples"],
    errors: Float[np.ndarray, "stages samples"],
) -> ErrorBar | None:
    """The error bar of an operator in stages; None for too few samples.

    Fields after every stage go into it: large errors and small ones.

    Args:
        sizes: of fields after each stage, by `operators.error_sizes`.
        errors: relative L2 error of each.
    """
    usable = np.all(np.isfinite(errors + sizes) & (errors > 0) & (sizes > 0), axis=0)
    if usable.sum() < FEWEST_SAMPLES:
        return None
    sizes, errors = sizes[:, usable], errors[:, usable]
    return error_bar(sizes.ravel(), errors.ravel(), sizes[-1], errors[-1])


def _fit(sizes: np.ndarray, errors: np.ndarray) -> tuple[float, float]:
    """(factor, floor) with the least mean square deviation of logarithms.

    Two numbers on a grid: no optimiser can fail here.
    """
    ratio = float(np.median(errors / sizes))
    factors = ratio * np.geomspace(0.1, 10.0, 61)[:, None, None]
    levels = np.geomspace(0.01 * errors.min(), errors.max(), 80)
    floors = np.concatenate([[0.0], levels])[None, :, None]
    estimates = np.hypot(factors * sizes, floors)
    deviations = np.mean(np.log(estimates / errors) ** 2, axis=-1)
    best = np.unravel_index(np.argmin(deviations), deviations.shape)
    return float(factors[best[0], 0, 0]), float(floors[0, best[1], 0])


def judged(bar: ErrorBar, sizes: Samples, errors: Samples) -> dict[str, float]:
    """How good an error bar is on inputs it was not made from.

    Args:
        bar: the error bar.
        sizes: of predictions by `operators.error_sizes`.
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
