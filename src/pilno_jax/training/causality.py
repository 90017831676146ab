"""Temporal-causality weights: trust the residual at late times once early ones fit.

A rule maps the node times and the residual at each of them to positive weights of
mean one (paper, Eqs. temporal_causality_weighting and time_weight_forms), so that
switching rules never rescales the loss. A prefactor, as in the paper's 10 exp(-5 t),
therefore cancels.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from pilno_jax.checks import require, require_choice, require_positive

Times = Float[Array, " times"]
# (node times, mean-square residual at each of them) -> weights of mean one
Rule = Callable[[Times, Times], Times]


def uniform() -> Rule:
    """No weighting: all times count alike."""
    return lambda times, residuals: jnp.ones_like(times)


def exponential(rate: float) -> Rule:
    """(Exp): w(t) = exp(-rate t).

    Args:
        rate: in units of 1 / time; the paper's is 5 on t in [0, 1].
    """
    require_positive(rate=rate)
    return lambda times, residuals: _mean_one(jnp.exp(-rate * times))


def inverse(rate: float) -> Rule:
    """(Inv): w(t) = 1 / (1 + rate t).

    Args:
        rate: in units of 1 / time; 1 / rate is when half of the weight is left.
    """
    require_positive(rate=rate)
    return lambda times, residuals: _mean_one(1.0 / (1.0 + rate * times))


def piecewise(cutoff: float, ratio: float) -> Rule:
    """(Piecewise): w_max up to the cutoff, w_min after.

    Args:
        cutoff: the time up to which residuals count more, say half of the interval.
        ratio: w_max / w_min, above 1; 10 is a moderate one.
    """
    require_positive(cutoff=cutoff)
    require(ratio > 1, "ratio", ratio, "a number above 1")
    return lambda times, residuals: _mean_one(
        jnp.where(times <= cutoff, ratio, jnp.ones_like(times))
    )


def adaptive(epsilon: float) -> Rule:
    """Wang et al. 2022: w_k = exp(-epsilon sum_{j<k} L_j), no gradient through w.

    L_j is the mean-square residual at time j; late times gain weight by themselves
    as the residual before them falls.

    Args:
        epsilon: how strictly a time waits for those before it. It multiplies squared
            residuals in physical units, so good values depend on the problem: 1 / (sum
            of L_j early in the training) is a start.
    """
    require_positive(epsilon=epsilon)

    def rule(times: Times, residuals: Times) -> Times:
        before = jnp.cumsum(residuals) - residuals
        return _mean_one(jax.lax.stop_gradient(jnp.exp(-epsilon * before)))

    return rule


RULES: dict[str, Callable[..., Rule]] = {
    "uniform": uniform,
    "exponential": exponential,
    "inverse": inverse,
    "piecewise": piecewise,
    "adaptive": adaptive,
}


def make(name: str, **options: Any) -> Rule:
    """The rule of that name: `make("exponential", rate=5.0)`.

    Args:
        name: one of RULES.
        options: the arguments of that rule.
    """
    require_choice("causality name", name, sorted(RULES))
    return RULES[name](**options)


def _mean_one(weights: Times) -> Times:
    return weights / jnp.mean(weights)
