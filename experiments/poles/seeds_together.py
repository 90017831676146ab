"""All seeds of a config trained as one compiled program, without run folders.

Seeds are an axis of arrays: one compilation and one dispatch serve all of them. Each
has its own training set, initial parameters and batches, as it would have in a run of
its own; validation and test sets are the same for all.
"""

import dataclasses
import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from experiments.config.build import BuiltRun, build_stages
from experiments.config.schema import RunConfig
from experiments.run.data_sets import labelled_set
from pilno_jax import data, operators, training
from pilno_jax.numerics.norms import relative_l2
from pilno_jax.problems.base import Inputs
from pilno_jax.training.batches import with_fields

Params = operators.Params


@dataclasses.dataclass(frozen=True)
class TrainedSeeds:
    """What training leaves; arrays of parameters have the seeds in front.

    predict: (params of one seed, inputs) -> u.
    validation: the lowest validation error of each seed, at which its params were kept.
    """

    params: Params
    predict: operators.Predict
    validation: np.ndarray
    problem: Any

    def fields(self, inputs: Inputs) -> np.ndarray:
        """What every seed predicts for every sample."""
        predict = jax.jit(jax.vmap(self.predict, in_axes=(0, None)))
        return np.asarray(predict(self.params, inputs))

    def errors(self, labelled: data.Data) -> np.ndarray:
        """Of every seed and sample the relative L2 error."""
        return np.asarray(_errors(self.predict)(self.params, labelled))


def train(
    config: RunConfig,
    seeds: int,
    cache: Path,
    validation_law: Mapping[str, Any],
    poll: Callable[[], None] = lambda: None,
) -> TrainedSeeds:
    """The stages of a config, one after the other, for seeds 0, 1, ... at once.

    Args:
        config: of every run; its seed is replaced.
        seeds: how many.
        cache: of labelled sets.
        validation_law: options of the problem that differ in the validation set, which
            chooses the parameters that are kept.
        poll: called between compiled calls; what it raises ends the training.
    """
    samples = training_sets(config, seeds, cache)
    validation = labelled_set(config, "validation", cache, **validation_law)
    frozen: tuple[Params, ...] = ()
    for built in build_stages(config):
        labels = built.problem.restrict(samples["labels"])
        labelled = {**samples, "labels": labels, "frozen": frozen}
        params = best_parameters(built, seeds, labelled, validation, poll)
        frozen = (*frozen, params)
        kept = frozen if built.stage > 1 else params
    lowest = _errors(built.predict)(kept, validation).mean(1)
    return TrainedSeeds(kept, built.predict, np.asarray(lowest), built.problem)


def training_sets(config: RunConfig, seeds: int, cache: Path) -> data.Data:
    """The training set of each seed, stacked."""
    each = [
        labelled_set(config.changed({"seed": seed}), "train", cache)
        for seed in range(seeds)
    ]
    return jax.tree.map(lambda *arrays: jnp.stack(arrays), *each)


def best_parameters(
    built: BuiltRun,
    seeds: int,
    labelled: data.Data,
    validation: data.Data,
    poll: Callable[[], None],
) -> Params:
    """Of every seed those with the lowest validation error, measured now and then."""
    train = built.config.train
    batches = built.batches
    if built.predict_before is not None:
        batches = with_fields(batches, built.predict_before)
    step = training.training_step(built.loss, batches, built.optimizer, train.averaging)
    together = over_seeds(step)
    state = first_states(built, seeds)
    errors = _errors(built.predict)
    # Copies: a compiled call takes over the buffers of the state that it is given.
    best, lowest = jax.tree.map(jnp.copy, state.averaged), jnp.full(seeds, jnp.inf)
    steps = min(train.checkpoint_every, train.steps)
    many_steps = training.many_steps(together, steps)
    for _ in range(train.steps // steps):
        state, _ = many_steps(state, labelled)
        now = state.averaged
        whole = (*labelled["frozen"], now) if built.stage > 1 else now
        error = errors(whole, validation).mean(1)
        better = error < lowest  # and so not one that is not finite
        lowest = jnp.where(better, error, lowest)
        best = jax.tree.map(functools.partial(_of_seeds, better), now, best)
        poll()
    return best


def over_seeds(
    step: Callable[..., Any], platform: str | None = None
) -> Callable[..., Any]:
    """A step of every seed.

    A CPU takes one after the other: what one step of one seed works on fits its cache,
    of five it does not. Other devices take them side by side.

    Args:
        step: of one seed.
        platform: of JAX. Default: the one that is used.
    """
    if (platform or jax.default_backend()) != "cpu":
        return jax.vmap(step)
    return lambda states, data: jax.lax.map(lambda one: step(*one), (states, data))


def first_states(built: BuiltRun, seeds: int) -> training.State:
    """As a run of each seed begins, for every stage with keys of its own."""

    def of_seed(seed: jax.Array) -> training.State:
        key = jax.random.key(seed)
        key = jax.random.fold_in(key, built.stage) if built.stage > 1 else key
        init_key, train_key = jax.random.split(key)
        params = operators.initial_parameters(
            built.problem, built.model, init_key, built.stage
        )
        return training.initial_state(params, built.optimizer, train_key)

    # Run once: it is not worth the time of a careful compilation.
    hasty = {"xla_backend_optimization_level": 0}
    every = jax.jit(jax.vmap(of_seed), compiler_options=hasty)
    return every(jnp.arange(seeds))


def _errors(predict: operators.Predict) -> Callable[[Params, data.Data], jax.Array]:
    """(params of all seeds, labelled set) -> errors (seeds, samples)."""

    def of_one_seed(params: Params, labelled: data.Data) -> jax.Array:
        fields = predict(params, labelled["inputs"])
        return jax.vmap(relative_l2)(fields, jnp.asarray(labelled["labels"]))

    return jax.jit(jax.vmap(of_one_seed, in_axes=(0, None)))


def _of_seeds(chosen: jax.Array, new: jax.Array, old: jax.Array) -> jax.Array:
    """new where a seed is chosen, old elsewhere."""
    return jnp.where(chosen.reshape(-1, *[1] * (new.ndim - 1)), new, old)
