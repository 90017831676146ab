"""The training objective: where problems and networks meet (paper, Algorithm 1).

    total = w_data data + sum_c w_c (c + w_virtual c_virtual),

where c is "pde" or one of the problem's soft constraints ("ic", "bc", ...).
`loss(params, batch) -> (total, terms)` is pure: jit it, vmap it over seeds, or call
it in any other training loop. A batch is a dict of batched arrays:

    inputs   labelled inputs
    labels   their solutions on the problem's label nodes
    virtual  inputs without a solution

of which the first two, or the last, may be left out. Where samples do not count alike
it also has labelled_shares and virtual_shares: numbers of mean 1, see
`batches.divisible`.
"""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from pilno_jax.checks import require, require_choice
from pilno_jax.numerics.norms import relative_l2, squared_l2
from pilno_jax.numerics.precision import in_precision
from pilno_jax.operators import Apply, Params, predictor
from pilno_jax.problems.base import Inputs, Problem
from pilno_jax.training import causality

Scalar = Float[Array, ""]
Batch = Mapping[str, Any]
Terms = dict[str, Scalar]
Loss = Callable[[Params, Batch], tuple[Scalar, Terms]]
DataLoss = Callable[[jax.Array, jax.Array], jax.Array]  # (u, truth) of one sample
PhysicsLoss = Callable[[jax.Array], jax.Array]  # of a sample's squared norm

_VIRTUAL = "_virtual"  # ends the names of the terms of the virtual inputs
# What else a row of metrics has: a soft constraint of that name would overwrite it.
RESERVED = frozenset(
    {
        *("data", "pde", "virtual", "loss", "gradient_norm"),
        *("step", "stage", "skipped", "step_ms", "validation", "elapsed"),
    }
)


@dataclasses.dataclass(frozen=True)
class Weights:
    """How much each term of the objective counts: the paper's lambdas.

    With pde, ic, bc and all that `constraints` lists at 0 there is no physics: the run
    learns from labels alone, and constraints that are not listed are left out too.

    Args:
        data: of the labels. With a handful of them, less than the physics (the shipped
            recipes have 0.2); 0 trains on the equation alone.
        pde: of the residual.
        ic: of the soft constraint "ic", the initial values. Large, since all later
            times depend on them.
        bc: of the soft constraint "bc", the boundary values.
        virtual: scales every physics term of the virtual inputs. Above 1 (recipes: 3)
            where there are many more of them than labelled inputs.
        constraints: of a problem's soft constraints with other names; those that are
            not listed weigh 1.
    """

    data: float = 1.0
    pde: float = 1.0
    ic: float = 10.0
    bc: float = 1.0
    virtual: float = 1.0
    constraints: Mapping[str, float] = dataclasses.field(default_factory=dict)

    def __post_init__(self):
        own = {name: getattr(self, name) for name in ("data", "pde", "ic", "bc")}
        every = {**own, "virtual": self.virtual}
        listed = {f"constraints[{k!r}]": v for k, v in self.constraints.items()}
        for name, value in {**every, **listed}.items():
            require(value >= 0, f"weights.{name}", value, "a number >= 0")
        reserved = sorted(self.constraints.keys() & every.keys())
        allowed = f"other names than {sorted(every)}, which have fields"
        require(not reserved, "weights.constraints", reserved, allowed)
        allowed = "a number above 0 where all weights of the physics are 0"
        require(self.data > 0 or self.physics, "weights.data", self.data, allowed)

    @property
    def physics(self) -> bool:
        """Whether any physics counts."""
        own = self.pde > 0 or self.ic > 0 or self.bc > 0
        return own or any(value > 0 for value in self.constraints.values())

    def of(self, term: str) -> float:
        """The weight of a term of that name: "data", "pde", "ic_virtual", ..."""
        if is_virtual(term):
            return self.of(term.removesuffix(_VIRTUAL)) * self.virtual
        if term in ("data", "pde", "ic", "bc"):
            return getattr(self, term)
        return self.constraints.get(term, 1.0)


def weighted_sum(terms: Mapping[str, jax.Array], weights: Weights) -> jax.Array:
    """The sum over terms, in their order, of each times its weight.

    Args:
        terms: by name, each of the same shape.
        weights: see `Weights.of`.
    """
    first, *others = (weights.of(name) * value for name, value in terms.items())
    return sum(others, first)


DATA_LOSSES: dict[str, DataLoss] = {"relative": relative_l2, "squared": squared_l2}

# The squared norm is the paper's. Its root, like the relative data loss, keeps
# pulling as the residual shrinks and weighs hard and easy inputs more evenly; the
# offset keeps its slope finite at zero.
PHYSICS_LOSSES: dict[str, PhysicsLoss] = {
    "squared": lambda square: square,
    "root": lambda square: jnp.sqrt(square + 1e-12),
}


def physics(
    problem: Problem,
    rule: causality.Rule,
    physics_loss: str | PhysicsLoss = "squared",
) -> Callable[[jax.Array, Inputs], Terms]:
    """(u, inputs) -> the unweighted physics terms of one sample, by name.

    In float32 on every back end: derivatives magnify rounding.

    Args:
        problem: its residual, the measure of it and its soft constraints.
        rule: weights in time of the residual; `causality.uniform()` for none. A problem
            without a time axis ignores it.
        physics_loss: what becomes of the squared norm of each term: "squared" leaves it
            (the paper), "root" takes its root (the fast recipes), or a function.
    """
    of_square = _chosen("physics_loss", physics_loss, PHYSICS_LOSSES)
    for name in problem.constraints:
        free = name not in RESERVED and not is_virtual(name)
        allowed = f"any name but {sorted(RESERVED)}, and none that ends in {_VIRTUAL}"
        require(free, "name of a soft constraint", name, allowed)

    def physics_terms(u: Float[Array, "*grid"], inputs: Inputs) -> Terms:
        residual = problem.residual(u, inputs)
        if problem.time_axis is not None:
            residual = _causal(residual, problem, rule)
        squares = {"pde": problem.measure(residual, u, inputs)}
        for name, constraint in problem.constraints.items():
            squares[name] = jnp.mean(constraint(u, inputs) ** 2)
        return jax.tree.map(of_square, squares)

    return in_precision(physics_terms, "float32")


def _causal(
    residual: Float[Array, "*grid"], problem: Problem, rule: causality.Rule
) -> Float[Array, "*grid"]:
    """The residual times sqrt(w(t)): measured in L2 that is Eq. (temporal_causality).

    Weighting the residual rather than its square lets one rule serve every measure.
    """
    axis = problem.time_axis
    assert axis is not None
    others = tuple(i for i in range(residual.ndim) if i != axis)
    times = jnp.asarray(problem.grid.coordinates[axis])
    first = (times.size - residual.shape[axis]) // 2  # it may have inner times alone
    times = times[first : first + residual.shape[axis]]
    weights = rule(times, jnp.mean(residual**2, axis=others))
    return residual * jnp.expand_dims(jnp.sqrt(weights), others)


def term_names(problem: Problem) -> tuple[str, ...]:
    """Every name that a term of `objective` can have for this problem."""
    physics_names = ("pde", *problem.constraints)
    return ("data", *physics_names, *(f"{name}_virtual" for name in physics_names))


def is_virtual(term: str) -> bool:
    """Whether a term of that name is one of the virtual inputs."""
    return term.endswith(_VIRTUAL)


def objective(
    problem: Problem,
    apply: Apply,
    weights: Weights | None = None,
    rule: causality.Rule | None = None,
    data_loss: str | DataLoss = "relative",
    physics_loss: str | PhysicsLoss = "squared",
) -> Loss:
    """The pure function (params, batch) -> (total, terms) that training minimises.

    Args:
        problem: the PDE family.
        apply: (params, features, axes) -> the network's output, `model.apply` say.
        weights: of the terms; None takes the defaults of `Weights`.
        rule: weights in time of the residual, see `causality`; None: all times alike.
        data_loss: distance of a prediction from its label: "relative" (L2), "squared"
            (the paper's mean square), or a function (u, truth) of one sample.
        physics_loss: see `physics`; "root" goes with the relative data loss.
    """
    weights = weights or Weights()
    predict = predictor(problem, apply)
    measure = sample_terms(problem, weights, rule, data_loss, physics_loss)

    def loss(params: Params, batch: Batch) -> tuple[Scalar, Terms]:
        inputs = all_inputs(batch, weights)
        terms = means(measure(predict(params, inputs), inputs, batch), batch)
        return weighted_sum(terms, weights), terms

    return loss


def sample_terms(
    problem: Problem,
    weights: Weights,
    rule: causality.Rule | None,
    data_loss: str | DataLoss,
    physics_loss: str | PhysicsLoss,
) -> Callable[[jax.Array, Inputs, Batch], dict[str, jax.Array]]:
    """(u, inputs, batch) -> every term that counts, a number for each of its samples.

    Args: those of `objective`. u and inputs are of all samples, see `all_inputs`.
    """
    physics_terms = jax.vmap(
        physics(problem, rule or causality.uniform(), physics_loss)
    )
    distance = jax.vmap(_chosen("data_loss", data_loss, DATA_LOSSES))

    def measure(u: jax.Array, inputs: Inputs, batch: Batch) -> dict[str, jax.Array]:
        values, labelled = {}, 0
        if "labels" in batch:
            labels, labelled = batch["labels"], batch["labels"].shape[0]
            at_labels = problem.restrict(u[:labelled])
            _require_label_nodes(labels, at_labels)
            values["data"] = distance(at_labels, labels)
        if weights.physics:
            for name, of_samples in physics_terms(u, inputs).items():
                if labelled:
                    values[name] = of_samples[:labelled]
                if "virtual" in batch:
                    values[name + _VIRTUAL] = of_samples[labelled:]
        return values

    return measure


def all_inputs(batch: Batch, weights: Weights) -> Inputs:
    """The labelled inputs of a batch, then the virtual ones if they count.

    One pass of the network for both kinds of sample.
    """
    parts = [batch["inputs"]] if "labels" in batch else []
    if "virtual" in batch and weights.physics:
        parts.append(batch["virtual"])
    if len(parts) == 1:
        return parts[0]
    return jax.tree.map(lambda *x: jnp.concatenate(x), *parts)


def means(values: Mapping[str, jax.Array], batch: Batch) -> Terms:
    """The mean over samples of each term, weighted by the batch's shares if any."""

    def mean(name: str, of_samples: Float[Array, " samples"]) -> Scalar:
        kind = "virtual" if is_virtual(name) else "labelled"
        shares = batch.get(f"{kind}_shares")
        return jnp.mean(of_samples if shares is None else shares * of_samples)

    return {name: mean(name, of_samples) for name, of_samples in values.items()}


def _chosen(name: str, value: Any, choices: Mapping[str, Any]) -> Any:
    """The choice of that name, or the value itself if it is a function."""
    if callable(value):
        return value
    require_choice(name, value, sorted(choices))
    return choices[value]


def _require_label_nodes(labels: Any, at_labels: jax.Array) -> None:
    allowed = f"{at_labels.shape}, values on label nodes alone: see Problem.restrict"
    fits = labels.shape == at_labels.shape
    require(fits, "shape of labels", labels.shape, allowed)
