"""The training objective: where problems and networks meet (paper, Algorithm 1).

    total = w_data data + sum_c w_c (c + w_virtual c_virtual),   c in {pde, ic, bc}

`loss(params, batch) -> (total, terms)` is pure: jit it, vmap it over seeds, or call
it in any other training loop. A batch is a dict of batched arrays:

    inputs   labelled inputs
    labels   their solutions on the problem's label nodes
    virtual  inputs without a solution; may be left out
    labelled_times, virtual_times  where in time residuals count; left out: everywhere

and, where samples do not count alike, labelled_shares and virtual_shares: numbers of
mean 1, see `batches.divisible`.
"""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp

from pilno_jax.checks import require, require_choice
from pilno_jax.numerics.norms import mean_square, relative_l2, squared_l2
from pilno_jax.numerics.precision import in_precision
from pilno_jax.operators import Apply, Params, predictor
from pilno_jax.problems.base import Inputs, Problem
from pilno_jax.training import causality

Batch = Mapping[str, Any]
Terms = dict[str, jax.Array]
Loss = Callable[[Params, Batch], tuple[jax.Array, Terms]]


@dataclasses.dataclass(frozen=True)
class Weights:
    """The lambdas. `virtual` scales every physics term of the virtual inputs."""

    data: float = 1.0
    pde: float = 1.0
    ic: float = 10.0
    bc: float = 1.0
    virtual: float = 1.0

    def __post_init__(self):
        for name, value in dataclasses.asdict(self).items():
            require(value >= 0, f"weights.{name}", value, "a number >= 0")

    @property
    def physics(self) -> bool:
        return self.pde > 0 or self.ic > 0 or self.bc > 0


DATA_LOSSES = {"relative": relative_l2, "squared": squared_l2}

# The squared norm is the paper's. Its root, like the relative data loss, keeps
# pulling as the residual shrinks and weighs hard and easy inputs more evenly; the
# offset keeps its slope finite at zero.
PHYSICS_LOSSES = {
    "squared": lambda square: square,
    "root": lambda square: jnp.sqrt(square + 1e-12),
}


def physics(
    problem: Problem, rule: causality.Rule, physics_loss: str = "squared"
) -> Callable[[jax.Array, Inputs], Terms]:
    """(u, inputs) -> the unweighted pde, ic, bc terms of one sample.

    In float32 on every back end: derivatives magnify rounding. Given `times`, indices
    of the time axis, the pde term is that of these alone: drawn at random, an unbiased
    estimate of the squared L2 norm, of its mean weights in time included.
    """
    require_choice("physics_loss", physics_loss, sorted(PHYSICS_LOSSES))
    shape = PHYSICS_LOSSES[physics_loss]

    def terms(u: jax.Array, inputs: Inputs, times: jax.Array | None = None) -> Terms:
        residual = problem.residual(u, inputs)
        if problem.time_axis is not None:
            residual = _causal(residual, problem, rule)
        if times is not None:
            plain = problem.measure is mean_square and physics_loss == "squared"
            allowed = "unset, or a squared physics_loss and the L2 measure"
            require(plain, "residual_times", times.shape[-1], allowed)
            residual = jnp.take(residual, times, axis=problem.time_axis)
        found = {"pde": problem.measure(residual, u, inputs)}
        for name, constraint in problem.constraints.items():
            found[name] = jnp.mean(constraint(u, inputs) ** 2)
        return jax.tree.map(shape, found)

    return in_precision(terms, "float32")


def _causal(residual: jax.Array, problem: Problem, rule: causality.Rule) -> jax.Array:
    """The residual times sqrt(w(t)): measured in L2 that is Eq. (temporal_causality).

    Weighting the residual rather than its square lets one rule serve every measure.
    """
    axis = problem.time_axis
    assert axis is not None
    others = tuple(i for i in range(residual.ndim) if i != axis)
    times = problem.grid.coordinates[axis]
    weights = rule(times, jnp.mean(residual**2, axis=others))
    return residual * jnp.expand_dims(jnp.sqrt(weights), others)


def term_names(problem: Problem) -> tuple[str, ...]:
    """Every name that a term of `objective` can have for this problem."""
    physics_names = ("pde", *problem.constraints)
    return ("data", *physics_names, *(f"{name}_virtual" for name in physics_names))


def objective(
    problem: Problem,
    apply: Apply,
    weights: Weights | None = None,
    rule: causality.Rule | None = None,
    data_loss: str = "relative",
    physics_loss: str = "squared",
) -> Loss:
    """The pure function (params, batch) -> (total, terms) that training minimises."""
    require_choice("data_loss", data_loss, sorted(DATA_LOSSES))
    weights = weights or Weights()
    predict = predictor(problem, apply)
    physics_terms = jax.vmap(
        physics(problem, rule or causality.uniform(), physics_loss)
    )
    distance = jax.vmap(DATA_LOSSES[data_loss])

    def loss(params: Params, batch: Batch) -> tuple[jax.Array, Terms]:
        inputs, labels, virtual = batch["inputs"], batch["labels"], batch.get("virtual")
        labelled = labels.shape[0]
        if virtual is not None and weights.physics:
            # One pass of the network for both kinds of sample.
            inputs = jax.tree.map(lambda *x: jnp.concatenate(x), inputs, virtual)
        u = predict(params, inputs)

        def mean(values: jax.Array, kind: str) -> jax.Array:
            shares = batch.get(f"{kind}_shares")
            return jnp.mean(values if shares is None else shares * values)

        found = problem.restrict(u[:labelled])
        allowed = f"{found.shape}, values on label nodes alone: see Problem.restrict"
        require(labels.shape == found.shape, "shape of labels", labels.shape, allowed)
        distances = distance(found, labels)
        terms = {"data": mean(distances, "labelled")}
        total = weights.data * terms["data"]
        if not weights.physics:
            return total, terms
        times = [batch[k] for k in ("labelled_times", "virtual_times") if k in batch]
        chosen = [jnp.concatenate(times)] if times else []
        for name, values in physics_terms(u, inputs, *chosen).items():
            weight = getattr(weights, name)
            terms[name] = mean(values[:labelled], "labelled")
            total += weight * terms[name]
            if virtual is not None:
                terms[f"{name}_virtual"] = mean(values[labelled:], "virtual")
                total += weight * weights.virtual * terms[f"{name}_virtual"]
        return total, terms

    return loss
