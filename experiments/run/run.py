"""One run: data, training, evaluation, report; resumable at any moment."""

import tempfile
import time
from pathlib import Path
from typing import Any

import jax

from experiments.config.build import Run, build
from experiments.run.finishing import finish
from experiments.run.interruption import Interruption
from experiments.run.terminal import Console
from experiments.run.trainer import Trainer, opened_checkpoints
from pilno_jax import data
from pilno_jax.checks import require
from pilno_jax.problems import label_options, make
from pilno_jax.runs import files
from pilno_jax.training import devices

# Fields that say where a run is done.
PLACES = {"devices", "weight_shards"}


class WrongConfig(Exception):
    """Something in the config, or its workdir, that no run can start from."""


def run(
    config: Any,
    workdir: Path,
    cache: Path,
    console: Console,
    stop: Interruption,
    origin: dict[str, Any],
) -> dict[str, Any]:
    """Train, evaluate and report; the result, with `origin`, is in result.json too.

    Of several processes only the leading one evaluates; it alone has a result.
    """
    started = time.monotonic()
    try:
        built = build(config)
        rehearse(built)
        require_same_config(workdir, config)
    except (TypeError, ValueError) as error:
        raise WrongConfig(" ".join(str(error).split())) from error

    result = workdir / "result.json"
    if result.exists() and (workdir / "report.html").exists():
        console.line(f"{workdir} holds a finished run; its result is in {result}")
        return files.read_json(result)
    require_writable(workdir, cache)
    if devices.leads() and not (workdir / "config.json").exists():
        files.write_json(workdir / "config.json", config.to_dict())

    def labelled(split: str, **changes: Any) -> data.Data:
        stop.poll()
        return labelled_set(config, split, cache, console, stop, **changes)

    sets = {split: labelled(split) for split in ("train", "validation", "test")}
    with opened_checkpoints(workdir) as checkpoints:
        trainer = Trainer(built, sets, checkpoints, workdir, console, stop)
        trainer.started = started
        return finish(trainer, trainer.fit(), labelled, origin)


def rehearse(run: Run) -> None:
    """What only shows when the parts meet: a trace, without any computation."""
    config, problem = run.config, run.problem
    polish = config.train.polish_steps
    require(polish >= 0, "train.polish_steps", polish, "a number >= 0")
    devices.device_mesh(config.devices, config.weight_shards)

    def first_output(key: jax.Array) -> Any:
        features = problem.features(problem.sample(key))
        return run.model.init_with_output(key, features, problem.grid.scaled)[0]

    jax.eval_shape(first_output, jax.random.key(0))


def require_same_config(workdir: Path, config: Any) -> None:
    """The workdir is new or this config's; if not, the error says what differs.

    Where a run is done is not what it is: it may go on in other places.
    """
    path = workdir / "config.json"
    if not path.is_file():
        return
    found = files.flatten(files.read_json(path))
    wanted = files.flatten(config.to_dict())
    differing = [
        f"{field}: {found.get(field)!r} there, {wanted.get(field)!r} asked for"
        for field in sorted((found.keys() | wanted.keys()) - PLACES)
        if found.get(field) != wanted.get(field)
    ]
    if differing:
        raise ValueError(
            f"{workdir} belongs to another config ({'; '.join(differing)})"
        )


def require_writable(*folders: Path) -> None:
    """An OSError now rather than after the data have been made."""
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(b"\0" * 4096)


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
    # Runs that differ in what only the network sees share their labels.
    law = label_options(options)
    description = {**law, "split": split, "count": count, "seed": seed}

    def generate() -> data.Data:
        def report(done: int, total: int) -> None:
            text = f"solving {split} set: {done}/{total} references"
            console.update(text, plain=done == total)
            stop.poll()

        key = jax.random.fold_in(jax.random.key(seed), salt)
        return data.generate(make(**options), key, count, report=report)

    return data.cached(cache, description, generate)
