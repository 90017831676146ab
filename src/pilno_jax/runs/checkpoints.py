"""Orbax behind one small class: whole training states, latest and best kept.

Writes are asynchronous and atomic: a checkpoint that was cut off is never seen. The
two latest and the best by validation error stay; keeping "best" by a policy beside
"latest" matters, because Orbax's `best_fn` alone may delete the newest.
"""

import itertools
import logging
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import orbax.checkpoint as ocp
from orbax.checkpoint import checkpoint_managers

from pilno_jax.runs.damage import (
    DamagedCheckpoint,
    damage_told,
    digest,
    orbax_quiet,
    require_digest,
)
from pilno_jax.training.loop import State

Notes = dict[str, Any]
log = logging.getLogger(__name__)
DIGESTS = "sha256"  # where the notes of a checkpoint keep those of its arrays


class Restored(NamedTuple):
    """A state that was saved.

    Attributes:
        step: of the checkpoint.
        state: as it was.
        notes: that travelled with it.
        validation: the validation error it was saved with; infinite if none was.
        damage: a line for every checkpoint that would have been taken were it intact.
    """

    step: int
    state: State
    notes: Notes
    validation: float
    damage: tuple[str, ...]


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

    def wait(self) -> None:
        """Until everything queued is on disk."""
        self._manager.wait_until_finished()

    def save(self, step: int, state: State, validation: float, notes: Notes) -> None:
        """Queue `state`; `notes` (plain JSON) travel with it."""
        if step in self._manager.all_steps():
            return
        # A copy, because the training step donates the original while we still write.
        copied = jax.tree.map(jnp.copy, _storable(state))
        digests = {"state": digest(copied), "averaged": digest(copied["averaged"])}
        self._manager.save(
            step,
            args=ocp.args.Composite(
                state=ocp.args.StandardSave(copied),
                notes=ocp.args.JsonSave({**notes, DIGESTS: digests}),
            ),
            # NaN compares false with everything and would displace the best.
            metrics={
                "validation": validation if math.isfinite(validation) else math.inf
            },
        )

    def restore(self, step: int, like: State) -> tuple[State, Notes]:
        """The state saved at `step`, in the shapes, dtypes and shardings of `like`.

        Raises:
            DamagedCheckpoint: It cannot be read, or is not what was saved.
        """
        abstract = jax.tree.map(
            lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=x.sharding),
            _storable(like),
        )
        arguments = ocp.args.Composite(
            state=ocp.args.StandardRestore(abstract), notes=ocp.args.JsonRestore()
        )
        with damage_told(step):
            restored = self._manager.restore(step, args=arguments)
            notes = restored["notes"]
            digests = notes.pop(DIGESTS, {})  # none in those of older versions
            require_digest(restored["state"], digests.get("state"))
        state = State(**restored["state"])
        key = jax.random.wrap_key_data(state.key, impl=jax.random.key_impl(like.key))
        return state._replace(key=key), notes

    def restore_newest(self, like: State) -> Restored | None:
        """The newest state that can be used, or None where none was ever saved."""
        newest_first = sorted(self._manager.all_steps(), reverse=True)
        return self._first_intact(newest_first, like)

    def restore_best(self, like: State) -> Restored:
        """The intact state of the lowest validation error among those kept."""
        restored = self._first_intact(_best_first(self._manager), like)
        assert restored is not None  # the last step of a training is always saved
        return restored

    def _first_intact(self, steps: Sequence[int], like: State) -> Restored | None:
        damage: list[str] = []
        for step in steps:
            try:
                state, notes = self.restore(step, like)
                score = _score_of(self._manager, step)
                return Restored(step, state, notes, score, tuple(damage))
            except DamagedCheckpoint as error:
                damage.append(str(error))
        if damage:
            raise OSError("; ".join(damage))
        return None

    def set_aside(self, after: int) -> None:
        """Move the checkpoints behind a step out of the way, into `damaged/` beside.

        A resumed run will save these steps again; nothing is deleted.
        """
        newer = [step for step in self._manager.all_steps() if step > after]
        folder = Path(self._manager.directory)
        for step in newer if jax.process_index() == 0 else ():
            aside = _unused(folder.parent / "damaged" / f"{folder.name}-{step}")
            aside.parent.mkdir(exist_ok=True)
            (folder / str(step)).rename(aside)
        if newer:
            self._manager.reload()


def best_parameters(folder: Path, like: Any) -> tuple[int, Any]:
    """The step of the lowest validation error, and its averaged parameters.

    Read only, so that looking at a run that is still going leaves its half-written
    checkpoints alone; and only the parameters, so that no optimiser is needed. If the
    best checkpoint is damaged, the best of the others is taken, and a warning says so.

    Args:
        folder: The folder that `Checkpoints` saves into.
        like: The tree of the parameters' shapes and dtypes.

    Raises:
        FileNotFoundError: Nothing has been saved yet.
        OSError: None of the checkpoints can be used.
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
    damage = []
    with orbax_quiet(), ocp.CheckpointManager(folder, options=options) as manager:
        for step in _best_first(manager):
            try:
                averaged = _averaged(manager, step, wanted)
            except DamagedCheckpoint as error:
                damage.append(str(error))
                continue
            if damage:
                log.warning("%s: %s; taking step %s", folder, "; ".join(damage), step)
            return step, averaged
    if damage:
        raise OSError(f"{folder}: {'; '.join(damage)}")
    raise FileNotFoundError(nothing)


def _averaged(manager: ocp.CheckpointManager, step: int, wanted: Any) -> Any:
    """The averaged parameters of a checkpoint, in the shapes of `wanted`."""
    arguments = ocp.args.PyTreeRestore(
        item=wanted,
        restore_args=ocp.checkpoint_utils.construct_restore_args(wanted),
        partial_restore=True,
    )
    with damage_told(step):
        restored = manager.restore(
            step,
            args=ocp.args.Composite(state=arguments, notes=ocp.args.JsonRestore()),
        )
        expected = restored["notes"].get(DIGESTS, {}).get("averaged")
        require_digest(restored["state"]["averaged"], expected)
    return restored["state"]["averaged"]


def _best_first(manager: ocp.CheckpointManager) -> list[int]:
    """Steps by validation error; of equal ones, the newest first."""
    steps = manager.all_steps()
    return sorted(steps, key=lambda step: (_score_of(manager, step), -step))


def _score_of(manager: ocp.CheckpointManager, step: int) -> float:
    with orbax_quiet():
        try:
            return _score(manager.metrics(step) or {})
        except Exception:  # the file is damaged: the checkpoint ranks last
            return math.inf


def _unused(path: Path) -> Path:
    """The path, or one with a number behind it if something is there."""
    names = (path.with_name(f"{path.name}-{n}") for n in itertools.count(2))
    return next(one for one in itertools.chain([path], names) if not one.exists())


def _storable(state: State) -> dict[str, Any]:
    """Plain arrays only: a typed key as its data."""
    return state._replace(key=jax.random.key_data(state.key))._asdict()
