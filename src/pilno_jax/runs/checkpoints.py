"""Orbax behind one small class: whole training states, latest and best kept.

Writes are asynchronous and atomic: a checkpoint that was cut off is never seen. The
two latest and the best by validation error stay; keeping "best" by a policy beside
"latest" matters, because Orbax's `best_fn` alone may delete the newest.
"""

import math
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import orbax.checkpoint as ocp
from orbax.checkpoint import checkpoint_managers

from pilno_jax.training.loop import State

Notes = dict[str, Any]


def _score(metrics: dict[str, float]) -> float:
    return float(metrics.get("validation", math.inf))


# Without it Orbax forgets the metrics when the process ends.
_LOWEST_SCORE: dict[str, Any] = {"best_fn": _score, "best_mode": "min"}


class Checkpoints:
    """`with Checkpoints(folder) as checkpoints:` saves and restores `State`s."""

    def __init__(self, folder: Path):
        keep = checkpoint_managers.AnyPreservationPolicy(
            [
                checkpoint_managers.LatestN(2),
                checkpoint_managers.BestN(get_metric_fn=_score, n=1, reverse=True),
            ]
        )
        self._manager = ocp.CheckpointManager(
            # A relative path would only fail at the first save.
            Path(folder).absolute(),
            options=ocp.CheckpointManagerOptions(
                preservation_policy=keep,
                cleanup_tmp_directories=True,
                **_LOWEST_SCORE,
            ),
        )

    def __enter__(self) -> "Checkpoints":
        return self

    def __exit__(self, *error: object) -> None:
        self._manager.wait_until_finished()
        self._manager.close()

    @property
    def latest(self) -> int | None:
        return self._manager.latest_step()

    @property
    def best(self) -> int | None:
        """The step of the lowest validation error among those kept."""
        return self._manager.best_step()

    def wait(self) -> None:
        """Until everything queued is on disk."""
        self._manager.wait_until_finished()

    def save(self, step: int, state: State, validation: float, notes: Notes) -> None:
        """Queue `state`; `notes` (plain JSON) travel with it."""
        if step in self._manager.all_steps():
            return
        # A copy, because the training step donates the original while we still write.
        copied = jax.tree.map(jnp.copy, _storable(state))
        self._manager.save(
            step,
            args=ocp.args.Composite(
                state=ocp.args.StandardSave(copied), notes=ocp.args.JsonSave(notes)
            ),
            # NaN compares false with everything and would displace the best.
            metrics={
                "validation": validation if math.isfinite(validation) else math.inf
            },
        )

    def restore(self, step: int, like: State) -> tuple[State, Notes]:
        """The state saved at `step`, in the shapes, dtypes and shardings of `like`."""
        abstract = jax.tree.map(
            lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=x.sharding),
            _storable(like),
        )
        restored = self._manager.restore(
            step,
            args=ocp.args.Composite(
                state=ocp.args.StandardRestore(abstract), notes=ocp.args.JsonRestore()
            ),
        )
        state = State(**restored["state"])
        key = jax.random.wrap_key_data(state.key, impl=jax.random.key_impl(like.key))
        return state._replace(key=key), restored["notes"]


def best_parameters(folder: Path, like: Any) -> tuple[int, Any]:
    """The step of the lowest validation error, and its averaged parameters.

    Read only, so that looking at a run that is still going leaves its half-written
    checkpoints alone; and only the parameters, so that no optimiser is needed.

    Args:
        folder: The folder that `Checkpoints` saves into.
        like: The tree of the parameters' shapes and dtypes.

    Raises:
        FileNotFoundError: Nothing has been saved yet.
    """
    nothing = f"the run in {folder.parent} has no checkpoint yet"
    if not folder.is_dir():
        raise FileNotFoundError(nothing)
    # Placed here, because the run may have used devices that this machine lacks.
    here = jax.sharding.SingleDeviceSharding(jax.devices()[0])
    wanted = jax.tree.map(
        lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=here),
        {"averaged": like},
    )
    options = ocp.CheckpointManagerOptions(
        read_only=True, create=False, save_interval_steps=0, **_LOWEST_SCORE
    )
    with ocp.CheckpointManager(folder, options=options) as manager:
        step = manager.best_step()
        if step is None:
            raise FileNotFoundError(nothing)
        arguments = ocp.args.PyTreeRestore(
            item=wanted,
            restore_args=ocp.checkpoint_utils.construct_restore_args(wanted),
            partial_restore=True,
        )
        restored = manager.restore(step, args=ocp.args.Composite(state=arguments))
    return step, restored.state["averaged"]


def _storable(state: State) -> dict[str, Any]:
    """Plain arrays only: a typed key as its data."""
    return state._replace(key=jax.random.key_data(state.key))._asdict()
