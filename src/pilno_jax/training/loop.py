"""The training loop: it knows no PDE and does no IO.

One dispatch runs many steps under `lax.scan`. The host does not wait between
dispatches, only when callbacks are due: they get the metrics of all steps since their
last call, as numbers. Everything that makes a run is in `State`, and a batch is a
function of (state.key, state.step), so a state that was saved and restored continues
bit for bit.
"""

import dataclasses
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax

from pilno_jax.operators import Params
from pilno_jax.training.batches import BatchFunction
from pilno_jax.training.objective import Loss


class State(NamedTuple):
    """A training run at one moment."""

    step: jax.Array
    params: Params
    opt_state: Any
    averaged: Params  # exponential moving average of params, for evaluation
    key: jax.Array
    skipped: jax.Array  # steps thrown away because something was not finite
    in_a_row: jax.Array  # length of the current run of skipped steps


def initial_state(
    params: Params, optimizer: optax.GradientTransformation, key: jax.Array
) -> State:
    """The state before the first step.

    Args:
        params: initial parameters, see `operators.initial_parameters`.
        optimizer: the one the training step is made with.
        key: decides every batch of the run.
    """
    state = State(
        step=jnp.int32(0),
        params=params,
        opt_state=optimizer.init(params),
        averaged=params,
        key=key,
        skipped=jnp.int32(0),
        in_a_row=jnp.int32(0),
    )
    # Every leaf a buffer of its own: the step donates them, and the caller's stay.
    return jax.tree.map(jnp.copy, state)


def training_step(
    loss: Loss,
    batches: BatchFunction,
    optimizer: optax.GradientTransformationExtraArgs,
    averaging: float = 0.0,
) -> Callable[[State, Any], tuple[State, dict[str, jax.Array]]]:
    """(state, data) -> (state, metrics): one update, thrown away if not finite.

    Args:
        loss: (params, batch) -> (total, terms), see `objective.objective`.
        batches: (data, key, step) -> batch, see `batches.batches`.
        optimizer: see `optimizers.optimizer`, or one of optax; those that search along
            a line, as L-BFGS does, get the loss as `value_fn`; `levenberg_marquardt`
            gets the batch.
        averaging: decay of the moving average of the parameters, which evaluation
            uses; 0 follows the parameters, 0.99 averages over about 100 steps.
    """

    def step(state: State, data: Any) -> tuple[State, dict[str, jax.Array]]:
        batch = batches(data, state.key, state.step)
        (value, terms), gradient = jax.value_and_grad(
            lambda params: loss(params, batch), has_aux=True
        )(state.params)
        updates, opt_state = optimizer.update(
            gradient,
            state.opt_state,
            state.params,
            value=value,
            grad=gradient,
            value_fn=lambda params: loss(params, batch)[0],
            batch=batch,
        )
        params = optax.apply_updates(state.params, updates)
        # Early on, the average spans the steps there are: no pull towards the start.
        decay = jnp.minimum(averaging, (1.0 + state.step) / (10.0 + state.step))
        decay = decay if averaging else 0.0
        averaged = optax.incremental_update(params, state.averaged, 1.0 - decay)

        norm = optax.tree.norm(gradient)
        good = jnp.isfinite(value) & jnp.isfinite(norm)
        params, opt_state, averaged = jax.tree.map(
            lambda new, old: jnp.where(good, new, old),
            (params, opt_state, averaged),
            (state.params, state.opt_state, state.averaged),
        )
        bad = 1 - good.astype(jnp.int32)
        advanced = state._replace(
            step=state.step + 1,
            params=params,
            opt_state=opt_state,
            averaged=averaged,
            skipped=state.skipped + bad,
            in_a_row=bad * (state.in_a_row + 1),
        )
        return advanced, {"loss": value, "gradient_norm": norm, **terms}

    return step


def many_steps(step: Callable[[State, Any], Any], count: int) -> Callable[..., Any]:
    """`count` steps in one compiled call, run(state, data); metrics come back stacked.

    The buffers of the state that is passed in are donated.
    """

    def run(state: State, data: Any):
        return jax.lax.scan(lambda state, _: step(state, data), state, length=count)

    return jax.jit(run, donate_argnums=0)


@dataclasses.dataclass(frozen=True)
class Progress:
    """What callbacks see after a dispatch: host numbers, and the state they belong to.

    Args:
        step: how many steps the run has behind it.
        metrics: means over the steps since the last call.
        state: only valid during the callback: its buffers are donated afterwards.
        skipped: steps of the run that were thrown away.
        in_a_row: how many of them in a row up to now.
        is_finite: whether all parameters are. Loss and gradient of a step may be finite
            and its update not, if the learning rate is too large.
    """

    step: int
    metrics: dict[str, float]
    state: State
    skipped: int
    in_a_row: int
    is_finite: bool = True


Callback = Callable[[Progress], bool | None]


def fit(
    step: Callable[[State, Any], Any],
    state: State,
    data: Any,
    *,
    num_steps: int,
    steps_per_call: int,
    callbacks: tuple[Callback, ...] = (),
    callback_every: int | None = None,
) -> State:
    """Train up to step `num_steps` and return the last state.

    Steps are counted from the beginning of the run, so a resumed one calls back after
    the same steps as one that was never interrupted.

    Args:
        step: (state, data) -> (state, metrics), see `training_step`.
        state: where to start, see `initial_state`; its buffers are donated.
        data: what `step` takes; the labelled set where `batches.batches` draws from it.
        num_steps: of the whole run, those that `state` has behind it included.
        steps_per_call: steps in one dispatch. 10 to 100 hide the dispatch; the loop
            cannot stop within one.
        callbacks: called with a `Progress`; one that returns True ends the run.
        callback_every: steps between callbacks, a multiple of steps_per_call; None:
            after every dispatch. They are also called after the last step.
    """
    callback_every = callback_every or steps_per_call
    run = many_steps(step, steps_per_call)
    done = int(state.step)
    pending: list[dict[str, jax.Array]] = []
    while done < num_steps:
        count = min(steps_per_call - done % steps_per_call, num_steps - done)
        if count == steps_per_call:
            state, metrics = run(state, data)
        else:
            state, metrics = many_steps(step, count)(state, data)
        pending.append(metrics)
        done += count
        if done % callback_every == 0 or done == num_steps:
            progress = _progress(done, state, pending)
            pending = []
            if any([callback(progress) for callback in callbacks]):
                break
    return state


def _progress(step: int, state: State, pending: list[dict[str, jax.Array]]) -> Progress:
    """Means over the steps since the last call, ignoring those that were skipped."""
    stacked = {
        name: np.concatenate([np.asarray(part[name]) for part in pending])
        for name in pending[0]
    }
    finite = np.isfinite(stacked["loss"])
    return Progress(
        step=step,
        metrics={
            name: float(values[finite].mean()) if finite.any() else float("nan")
            for name, values in stacked.items()
        },
        state=state,
        skipped=int(state.skipped),
        in_a_row=int(state.in_a_row),
        is_finite=bool(_all_finite(state.params)),
    )


@jax.jit
def _all_finite(params: Params) -> jax.Array:
    """Whether no parameter is NaN or infinite.

    A program of its own: inside that of the step it would change how XLA fuses, and
    rounds, the update.
    """
    of_leaves = [jnp.all(jnp.isfinite(leaf)) for leaf in jax.tree.leaves(params)]
    return jnp.all(jnp.stack(of_leaves))
