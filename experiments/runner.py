"""One run: data, training, evaluation, report; resumable at any moment."""

import resource
import time
from pathlib import Path
from typing import Any

import jax
import numpy as np
from flax.core import unfreeze

from experiments.building import Run, build
from experiments.interruption import Interrupted, Interruption
from experiments.progress import Console, Pace, clock
from pilno_jax import data, devices, evaluation, reporting, training
from pilno_jax.checkpoints import Checkpoints
from pilno_jax.problems import make


class Diverged(Exception):
    """Too many steps in a row were not finite."""


def run(config: Any, workdir: Path, cache: Path, console: Console) -> dict[str, Any]:
    """Train, evaluate and report; the result that is also in result.json."""
    built = build(config)
    claim(workdir, config)
    finished = workdir / "result.json"
    if finished.exists():
        console.line(f"{workdir} holds a finished run; its result is in {finished}")
        return reporting.read_json(finished)

    with Interruption() as stop, Checkpoints(workdir / "checkpoints") as checkpoints:
        started = time.monotonic()
        sets = {
            split: labelled_set(config, split, cache, console, stop)
            for split in ("train", "validation", "test")
        }
        trainer = Trainer(built, sets, checkpoints, workdir, console, stop)
        trainer.fit(started)
        return finish(trainer, sets, cache, console, stop)


def claim(workdir: Path, config: Any) -> None:
    """The workdir is this config's, or a ValueError says what differs."""
    workdir.mkdir(parents=True, exist_ok=True)
    path = workdir / "config.json"
    wanted = flatten(config.to_dict())
    if not path.exists():
        reporting.write_json(path, config.to_dict())
        return
    found = flatten(reporting.read_json(path))
    differing = [
        f"{field}: {found.get(field)!r} there, {wanted.get(field)!r} asked for"
        for field in sorted(found.keys() | wanted.keys())
        if found.get(field) != wanted.get(field)
    ]
    if differing:
        raise ValueError(f"{workdir} belongs to another config ({'; '.join(differing)})")


def flatten(tree: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in tree.items():
        if isinstance(value, dict):
            flat |= flatten(value, f"{prefix}{name}.")
        else:
            flat[prefix + name] = list(value) if isinstance(value, tuple) else value
    return flat


def labelled_set(
    config: Any,
    split: str,
    cache: Path,
    console: Console,
    stop: Interruption,
    **changes: Any,
) -> data.Data:
    """One of the run's labelled sets, from the cache or made now.

    Training sets follow the run's seed, validation and test sets config.data.seed.
    """
    options = {**config.problem.to_dict(), **changes}
    count = {
        "train": config.train.num_train,
        "validation": config.data.num_validation,
        "test": config.data.num_test,
    }[split]
    seed = config.seed if split == "train" else config.data.seed
    salt = {"train": 1, "validation": 2, "test": 3}[split]
    # Only what shapes the data counts: how constraints are imposed does not.
    law = {k: v for k, v in options.items() if k not in ("hard_constraints", "measure")}
    description = {**law, "split": split, "count": count, "seed": seed}

    def generate() -> data.Data:
        def report(done: int, total: int) -> None:
            console.update(f"solving {split} set: {done}/{total} references")
            stop.poll()

        key = jax.random.fold_in(jax.random.key(seed), salt)
        return data.generate(make(**options), key, count, report=report)

    return data.cached(cache, description, generate)


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
        self.mesh = devices.data_mesh(run.config.devices)
        self.best = {"validation": float("inf"), "step": 0}
        self.elapsed_before = 0.0
        self.validation = float("nan")

    def fit(self, started: float) -> None:
        """Train from the beginning or from the latest checkpoint to the end."""
        self.started = started
        train = self.run.config.train
        labels = self.run.problem.restrict(self.sets["train"]["labels"])
        fitted = jax.device_put(
            {"inputs": self.sets["train"]["inputs"], "labels": labels},
            devices.replicated(self.mesh),
        )
        state = self.restore(self.fresh_state())
        first = int(state.step)
        self.console.line(describe(self.run, state, self.mesh.size))
        if first:
            self.console.line(f"resuming at step {first} of {train.steps}")
        self.log = reporting.MetricsLog(self.workdir / "metrics.jsonl", first)
        self.pace = Pace(first, train.steps)

        def batches(*arguments):
            return devices.split_batch(self.mesh, self.run.batches(*arguments))

        step = training.training_step(
            self.run.loss, batches, self.run.optimizer, train.averaging
        )
        state = training.fit(
            step,
            state,
            fitted,
            num_steps=train.steps,
            steps_per_call=train.steps_per_call,
            look_every=train.log_every,
            callbacks=(self.look,),
        )
        self.num_steps = int(state.step)

    def fresh_state(self) -> training.State:
        """A function of the config and its seed alone."""
        key = jax.random.key(self.run.config.seed)
        init_key, train_key = jax.random.split(key)
        sample = jax.tree.map(lambda x: x[0], self.sets["train"]["inputs"])
        features = self.run.problem.features(sample)
        params = self.run.model.init(init_key, features, self.run.problem.grid.scaled)
        state = training.initial_state(unfreeze(params), self.run.optimizer, train_key)
        return jax.device_put(state, devices.replicated(self.mesh))

    def restore(self, state: training.State) -> training.State:
        latest = self.checkpoints.latest
        if latest is None:
            return state
        state, notes = self.checkpoints.restore(latest, state)
        self.best, self.elapsed_before = notes["best"], notes["elapsed"]
        return state

    def elapsed(self) -> float:
        return self.elapsed_before + time.monotonic() - self.started

    def look(self, progress: training.Progress) -> bool:
        """After every log interval: log, evaluate, save, and say whether to stop."""
        train = self.run.config.train
        last = progress.step >= train.steps
        due = progress.step % train.checkpoint_every == 0 or last
        if due:
            self.evaluate(progress)
        row = {"step": progress.step, **progress.metrics}
        row |= {"skipped": progress.skipped, "elapsed": round(self.elapsed(), 3)}
        if due:
            row["validation"] = self.validation
        self.log.append(row)
        self.console.update(self.describe_progress(progress))

        if progress.in_a_row >= train.max_skipped_in_a_row:
            raise Diverged(self.describe_divergence(progress))
        patience = train.patience
        tired = bool(patience and progress.step - self.best["step"] >= patience)
        if due or tired or self.stop.requested:
            self.save(progress, self.validation if due else float("nan"))
        if self.stop.requested and not last:
            raise Interrupted(self.stop.requested)
        return tired

    def evaluate(self, progress: training.Progress) -> None:
        held_out = self.sets["validation"]
        found = evaluation.predict_in_chunks(
            self.predict, progress.state.averaged, held_out["inputs"]
        )
        self.validation = float(
            evaluation.relative_errors(found, held_out["labels"]).mean()
        )
        if self.validation < self.best["validation"]:
            self.best = {"validation": self.validation, "step": progress.step}

    def save(self, progress: training.Progress, validation: float) -> None:
        notes = {"best": self.best, "elapsed": self.elapsed()}
        self.checkpoints.save(progress.step, progress.state, validation, notes)

    def describe_progress(self, progress: training.Progress) -> str:
        terms = {k: v for k, v in progress.metrics.items() if k != "gradient_norm"}
        shown = "  ".join(f"{name} {value:.2e}" for name, value in terms.items())
        error = f"  validation {self.validation:.2e}" if self.validation > 0 else ""
        pace = self.pace.describe(progress.step)
        return f"step {progress.step}/{self.run.config.train.steps}  {shown}{error}  {pace}"

    def describe_divergence(self, progress: training.Progress) -> str:
        return (
            f"{progress.in_a_row} steps in a row were not finite, up to step "
            f"{progress.step} (seed {self.run.config.seed}, last means "
            f"{progress.metrics}); the last good checkpoint is step "
            f"{self.checkpoints.latest} in {self.workdir}/checkpoints"
        )


def describe(run: Run, state: training.State, num_devices: int) -> str:
    config = run.config
    virtual = config.train.num_virtual
    return (
        f"{run.problem.name} on {'x'.join(map(str, run.problem.grid.shape))}, "
        f"{config.model.name} with {count_params(state.params):,} parameters, "
        f"{num_devices} x {jax.devices()[0].platform} in "
        f"{jax.tree.leaves(state.params)[0].dtype}; {config.train.num_train} labels, "
        f"virtual inputs: {'fresh' if virtual is None else virtual}, batch "
        f"{config.train.batch_data}+{config.train.batch_physics}, "
        f"{config.train.steps} steps"
    )


def count_params(params: Any) -> int:
    return sum(leaf.size for leaf in jax.tree.leaves(params))


def finish(
    trainer: Trainer,
    sets: dict[str, data.Data],
    cache: Path,
    console: Console,
    stop: Interruption,
) -> dict[str, Any]:
    """Judge the best parameters by validation on the test sets; write the result."""
    config, run = trainer.run.config, trainer.run
    trained = trainer.elapsed()
    trainer.checkpoints.wait()
    best = trainer.checkpoints.best
    assert best is not None
    state, _ = trainer.checkpoints.restore(best, trainer.fresh_state())

    def judge(labelled: data.Data) -> dict[str, Any]:
        stop.poll()
        found = evaluation.predict_in_chunks(
            trainer.predict, state.averaged, labelled["inputs"]
        )
        return evaluation.summary(found, labelled["labels"])

    by_law = {}
    vary = config.evaluation.vary
    for value in config.evaluation.over if vary else ():
        law = labelled_set(config, "test", cache, console, stop, **{vary: value})
        by_law[f"{vary}={value}"] = judge(law)["relative_l2"]
    rows = reporting.read_metrics(trainer.workdir / "metrics.jsonl")
    result = {
        "problem": run.problem.name,
        "model": config.model.name,
        "recipe": config.recipe,
        "seed": config.seed,
        "num_train": config.train.num_train,
        "steps": trainer.num_steps,
        "best_step": best,
        **judge(sets["test"]),
        "relative_l2_by_law": by_law,
        "validation": trainer.best["validation"],
        "wall_clock_seconds": round(trained, 1),
        "step_ms": round(step_time(rows), 3),
        "peak_memory_mb": round(peak_memory_mb()),
        "skipped_steps": rows[-1]["skipped"] if rows else 0,
        "num_params": count_params(state.params),
        **reporting.environment(),
    }
    reporting.write_json(trainer.workdir / "result.json", result)
    error = result["relative_l2"]
    console.line(
        f"relative L2 on {config.data.num_test} test inputs: mean {error['mean']:.3e}, "
        f"std {error['std']:.1e}, max {error['max']:.3e}; {clock(trained)} in all"
    )
    return result


def step_time(rows: list[dict[str, Any]]) -> float:
    """Median milliseconds per step between rows of the log; evaluation not counted."""
    times = [
        (after["elapsed"] - before["elapsed"]) / (after["step"] - before["step"])
        for before, after in zip(rows[:-1], rows[1:], strict=True)
        if after["step"] > before["step"] and "validation" not in after
    ]
    return 1e3 * float(np.median(times)) if times else float("nan")


def peak_memory_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

