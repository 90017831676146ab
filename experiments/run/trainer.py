"""Training as a run does it: from the latest checkpoint, watched, logged and saved."""

import contextlib
import dataclasses
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax.core import unfreeze

from experiments.config.build import Run
from experiments.run.interruption import Interrupted, Interruption
from experiments.run.terminal import Console, Pace, about
from pilno_jax import data, evaluation, training
from pilno_jax.runs import metrics_log
from pilno_jax.runs.checkpoints import Checkpoints
from pilno_jax.training import accumulation, batches, devices, objective, optimizers

# The polishing batch is fixed, so it had better be large: L-BFGS fits what it sees.
POLISH_PHYSICS_FACTOR = 4


class Diverged(Exception):
    """Too many steps in a row were not finite."""


@dataclasses.dataclass(frozen=True)
class Phase:
    """Steps `first` to `last` of a run, with one optimiser and one law of batches."""

    first: int
    last: int
    optimizer: optax.GradientTransformationExtraArgs
    batches: batches.BatchFunction
    averaging: float


def phases(run: Run) -> list[Phase]:
    """The training proper, then, if asked for, L-BFGS on one large fixed batch."""
    train = run.config.train
    found = [Phase(0, train.steps, run.optimizer, run.batches, train.averaging)]
    if train.polish_steps:
        physics = objective.Weights(**run.config.weights).physics
        drawn = batches.batches(
            run.problem,
            num_train=train.num_train,
            batch_data=train.num_train,
            batch_physics=POLISH_PHYSICS_FACTOR * train.batch_physics,
            num_virtual=train.num_virtual if physics else 0,
        )
        last = train.steps + train.polish_steps
        polish = optimizers.optimizer("lbfgs", optax.constant_schedule(1.0))
        frozen = _frozen(drawn, train.steps)
        found.append(Phase(train.steps, last, polish, frozen, averaging=0.0))
    return found


def _frozen(drawn: batches.BatchFunction, step: int) -> batches.BatchFunction:
    return lambda labelled, key, _: drawn(labelled, key, jnp.int32(step))


class Trainer:
    """The state of a run between its callbacks: clock, logs, best error so far."""

    def __init__(
        self,
        run: Run,
        sets: dict[str, data.Data],
        checkpoints: Checkpoints,
        workdir: Path,
        console: Console,
        stop: Interruption,
    ):
        self.run, self.checkpoints, self.workdir = run, checkpoints, workdir
        self.console, self.stop, self.sets = console, stop, sets
        self.predict = jax.jit(run.predict)
        self.mesh = devices.device_mesh(run.config.devices, run.config.weight_shards)
        self.phases = phases(run)
        self.last = self.phases[-1].last
        self.best = {"validation": float("inf"), "step": 0}
        self.validation = float("nan")
        self.finite_terms: dict[str, float] = {}
        self.elapsed_before = 0.0
        self.started = time.monotonic()

    def fit(self) -> int:
        """Train from the beginning or from the latest checkpoint; the last step."""
        labels = self.run.problem.restrict(self.sets["train"]["labels"])
        self.labelled = devices.replicate(
            {"inputs": self.sets["train"]["inputs"], "labels": labels}, self.mesh
        )
        state = self.restored_state()
        step = int(state.step)
        require_space(self.workdir, state)
        if devices.leads():
            self.log = metrics_log.MetricsLog(self.workdir / "metrics.jsonl", step)
        self.pace = Pace(self.last)
        self.announce(state)
        for phase in self.phases:
            if step < phase.last and not self.tired(step):
                state = self.fit_phase(phase, state)
                step = int(state.step)
        if devices.anywhere(bool(self.stop.requested)):
            self.interrupt()
        return step

    def fit_phase(self, phase: Phase, state: training.State) -> training.State:
        train = self.run.config.train
        if int(state.step) == phase.first > 0:
            # Copies, because the step donates them; strongly typed, as the step
            # returns them, because weak types would compile it twice.
            fresh = jax.tree.map(
                lambda x: jnp.array(x, x.dtype), phase.optimizer.init(state.params)
            )
            state = devices.place(state._replace(opt_state=fresh), self.mesh)
        self.phase, self.looked = phase, None
        step = training.training_step(
            devices.over_devices(
                accumulation.accumulated(self.run.loss, train.accumulate), self.mesh
            ),
            batches.divisible(phase.batches, train.accumulate * self.mesh.size),
            phase.optimizer,
            phase.averaging,
        )
        return training.fit(
            step,
            state,
            self.labelled,
            num_steps=phase.last,
            steps_per_call=train.steps_per_call,
            look_every=train.log_every,
            callbacks=(self.look,),
        )

    def fresh_state(self, phase: Phase) -> training.State:
        """A function of the config and its seed alone."""
        key = jax.random.key(self.run.config.seed)
        init_key, train_key = jax.random.split(key)
        sample = jax.tree.map(lambda x: x[0], self.sets["train"]["inputs"])
        features = self.run.problem.features(sample)
        params = self.run.model.init(init_key, features, self.run.problem.grid.scaled)
        state = training.initial_state(unfreeze(params), phase.optimizer, train_key)
        return devices.place(state, self.mesh)

    def state_at(self, step: int) -> tuple[training.State, dict[str, Any]]:
        """The checkpoint of that step, which tells the phase it is of."""
        phase = next(phase for phase in self.phases if step <= phase.last)
        return self.checkpoints.restore(step, self.fresh_state(phase))

    def restored_state(self) -> training.State:
        latest = self.checkpoints.latest
        if latest is None:
            return self.fresh_state(self.phases[0])
        state, notes = self.state_at(latest)
        self.best, self.elapsed_before = notes["best"], notes["elapsed"]
        return state

    def elapsed(self) -> float:
        return self.elapsed_before + time.monotonic() - self.started

    def tired(self, step: int) -> bool:
        patience = self.run.config.train.patience
        return bool(patience and step - self.best["step"] >= patience)

    def look(self, progress: training.Progress) -> bool:
        """After every log interval: log, evaluate, save, and say whether to stop."""
        train, step = self.run.config.train, progress.step
        row = {"step": step, **progress.metrics, "skipped": progress.skipped}
        if self.looked:
            seconds = time.monotonic() - self.looked[1]
            row["step_ms"] = round(1e3 * seconds / (step - self.looked[0]), 3)
        due = step % train.checkpoint_every == 0 or step == self.phase.last
        if due:
            row["validation"] = self.validate(progress)
        if devices.leads():
            self.log.append(row | {"elapsed": round(self.elapsed(), 3)})
        self.report(progress)

        if progress.in_a_row >= train.max_skipped_in_a_row:
            raise Diverged(self.describe_divergence(progress))
        # A signal may have reached one process only: all stop here, or none.
        stopping = devices.anywhere(bool(self.stop.requested))
        if due or self.tired(step) or stopping:
            self.save(progress, self.validation if due else float("nan"))
        if stopping:
            self.interrupt()
        self.looked = step, time.monotonic()
        return self.tired(step)

    def interrupt(self) -> None:
        raise Interrupted(self.stop.requested or "another process")

    def validate(self, progress: training.Progress) -> float:
        held_out = self.sets["validation"]
        found = evaluation.predict_in_chunks(
            self.predict,
            devices.local(progress.state.averaged, self.mesh),
            held_out["inputs"],
        )
        errors = evaluation.relative_errors(found, held_out["labels"])
        self.validation = float(errors.mean())
        if self.validation < self.best["validation"]:
            self.best = {"validation": self.validation, "step": progress.step}
        return self.validation

    def save(self, progress: training.Progress, validation: float) -> None:
        notes = {"best": self.best, "elapsed": self.elapsed()}
        with disk_errors(self.workdir):
            self.checkpoints.save(progress.step, progress.state, validation, notes)

    def announce(self, state: training.State) -> None:
        step = int(state.step)
        known = step_time(metrics_log.read_metrics(self.workdir / "metrics.jsonl"))
        time_left = about(known * (self.last - step) / 1e3) if known else ""
        expected = time_left or "known after the first steps"
        sizes = {split: len(found["labels"]) for split, found in self.sets.items()}
        self.console.line(
            describe(self.run, state, self.mesh.size, sizes)
            + f"; {self.last} steps, expected time: {expected}"
        )
        self.announced = bool(time_left)
        if step:
            self.console.line(f"resuming at step {step} of {self.last}")

    def report(self, progress: training.Progress) -> None:
        terms = {k: v for k, v in progress.metrics.items() if k != "gradient_norm"}
        if np.isfinite(progress.metrics["loss"]):
            self.finite_terms = terms
        shown = [f"{name} {value:.2e}" for name, value in terms.items()]
        if self.validation > 0:
            shown.append(f"validation {self.validation:.2e}")
        if progress.skipped:
            shown.append(f"skipped {progress.skipped}")
        pace = self.pace.describe(progress.step)
        if self.pace.seconds_left and not self.announced:
            expected = about(self.elapsed() + self.pace.seconds_left)
            self.console.line(f"expected time: {expected} in all")
            self.announced = True
        steps = f"step {progress.step}/{self.last}"
        self.console.update("  ".join([steps, pace, *shown]))

    def describe_divergence(self, progress: training.Progress) -> str:
        state, labelled = devices.local((progress.state, self.labelled), self.mesh)
        batch = self.phase.batches(labelled, state.key, state.step)
        _, terms = self.run.loss(state.params, batch)
        now = {name: float(value) for name, value in terms.items()}
        return (
            f"{progress.in_a_row} steps in a row were not finite, up to step "
            f"{progress.step}; seed {self.run.config.seed}; terms {shown_terms(now)}, "
            f"before that {shown_terms(self.finite_terms)}; the last good checkpoint "
            f"is step {self.checkpoints.latest} in {self.workdir}/checkpoints"
        )


def shown_terms(terms: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.2e}" for name, value in terms.items()) or "none"


def describe(
    run: Run, state: training.State, num_devices: int, sizes: dict[str, int]
) -> str:
    train = run.config.train
    virtual = "fresh" if train.num_virtual is None else train.num_virtual
    made = ", ".join(f"{size} {split}" for split, size in sizes.items())
    return (
        f"{run.problem.name} on {'x'.join(map(str, run.problem.grid.shape))}, "
        f"{run.config.model.name} with {count_params(state.params):,} parameters, "
        f"{num_devices} x {jax.devices()[0].platform} in "
        f"{jax.tree.leaves(state.params)[0].dtype}; samples: {made}, "
        f"{virtual} virtual; batch {train.batch_data}+{train.batch_physics}"
    )


def count_params(params: Any) -> int:
    return sum(leaf.size for leaf in jax.tree.leaves(params))


def step_time(rows: list[dict[str, Any]]) -> float | None:
    """Median milliseconds per step, evaluation and checkpoints not counted."""
    times = [row["step_ms"] for row in rows if "step_ms" in row]
    return float(np.median(times)) if times else None


def require_space(workdir: Path, state: training.State) -> None:
    """The three checkpoints that are kept and the one being written must fit."""
    arrays = jax.tree.leaves(state._replace(key=jax.random.key_data(state.key)))
    needed = 4e-6 * sum(leaf.nbytes for leaf in arrays)
    free = 1e-6 * shutil.disk_usage(workdir).free
    if free < needed:
        text = f"{workdir} has {free:.0f} MB free, checkpoints need {needed:.0f} MB"
        raise OSError(text)


@contextlib.contextmanager
def disk_errors(workdir: Path) -> Iterator[None]:
    """Orbax answers a full disk with errors of many types: make them an OSError."""
    try:
        yield
    except (OSError, Interrupted, Diverged):
        raise
    except Exception as error:
        reason = str(error).strip().splitlines()[:1]
        text = f"checkpoint in {workdir}: {type(error).__name__} {''.join(reason)}"
        raise OSError(text) from error


@contextlib.contextmanager
def opened_checkpoints(workdir: Path) -> Iterator[Checkpoints]:
    """The run's checkpoints, closed whatever happens; a failed write is an OSError."""
    with disk_errors(workdir):
        checkpoints = Checkpoints(workdir / "checkpoints")
    try:
        yield checkpoints
    finally:
        with disk_errors(workdir), checkpoints:
            pass  # leaving it waits for what is being written, and closes
