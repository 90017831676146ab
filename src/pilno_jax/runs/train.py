"""One call from a problem to its operator, for those who want no config.

    operator = pilno_jax.train(problem)
    u = operator.predict(inputs)

The equation alone teaches it, unless there are labels: a first network, then correctors
of what it left. `training.fit` is the loop, as it is that of the commands.
"""

import dataclasses
import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from pilno_jax import data, evaluation, models, operators
from pilno_jax.checks import ArgumentError, require, require_positive
from pilno_jax.evaluation.error_bar import bar_of_stages
from pilno_jax.problems.base import Problem
from pilno_jax.runs import files
from pilno_jax.runs.format import (
    FORMAT_VERSION,
    TRAINED_BY_CALL,
    all_differences,
    correct_config,
    differing_fields,
    read_config,
    upgrade,
    write_config,
)
from pilno_jax.runs.run_folder import RunFolder
from pilno_jax.runs.train_stage import Say, Setting, fit_stage
from pilno_jax.runs.trained_run import TrainedRun

LAST_APPLIED = 3  # how often the last corrector is; corrections go on to shrink


def train(
    problem: Problem,
    labelled: data.Data | None = None,
    *,
    network: Any = None,
    steps: int = 2000,
    corrector_steps: Sequence[int] = (1000,),
    batch: int = 12,
    learning_rate: float = 1e-2,
    validation: data.Data | int = 20,
    seed: int = 0,
    workdir: str | Path | None = None,
    say: Say = print,
) -> TrainedRun:
    """Train the operator of a problem.

    Args:
        problem: the PDE family. `pilno_jax.check(problem)` tells first what is wrong.
        labelled: {"inputs": ..., "labels": ...} to learn from beside the equation, as
            `own_data.labelled(...).data` or `data.generate` give it. Default: none.
        network: an ALNO, say. Default: `network_for(problem)`.
        steps: of the first network. Default 2000: minutes on two cores.
        corrector_steps: of each corrector, whose network is a copy. Default: one of
            1000 steps, which takes most of the error; () trains the network alone.
        batch: inputs without a label in every step, drawn afresh. Default 12.
        learning_rate: of Adam, the highest of a cosine schedule. Default 1e-2; less if
            the loss jumps.
        validation: inputs whose solutions tell what residuals mean, so that predictions
            come with errors: their number, solved by `problem.solve` or from the
            residual, or a labelled set. Default 20; 0 goes without.
        seed: of parameters and batches. Default 0.
        workdir: a folder for checkpoints; the same call goes on from the last one.
            Default: none, nothing is written.
        say: takes lines that tell how far it is. Default `print`.

    Returns:
        The operator. Of its parameters the ones with the smallest residuals are taken.

    Raises:
        ArgumentError: An argument is not allowed, or the workdir is another training's.
    """
    _require_sensible(problem, labelled, steps, corrector_steps)
    require_positive(batch=batch, learning_rate=learning_rate)
    network = network or network_for(problem)
    counts: tuple[int, ...] = (steps, *corrector_steps)
    given = {"batch": batch, "learning_rate": learning_rate}
    if labelled:
        labelled = {**labelled, "labels": _on_label_nodes(problem, labelled["labels"])}
    config = _config(problem, network, counts, seed, given, labelled)
    folder = None
    if workdir is not None:
        folder = _opened(Path(workdir), config, _traits(problem, labelled))
    setting = Setting(problem, network, labelled, batch, learning_rate, seed, say)
    params: tuple[operators.Params, ...] = ()
    for count in counts:
        params = (*params, fit_stage(setting, params, count, len(counts), folder))
    correctors = (network,) * len(corrector_steps)
    whole = params if correctors else next(iter(params))
    run = TrainedRun(problem, network, whole, counts[-1], config, correctors)
    bar = _error_bar(run, params, validation, seed, say)
    if folder and bar:
        files.write_json(folder.error_bar, bar.to_dict())
    return dataclasses.replace(run, error_bar=bar)


def _require_sensible(
    problem: Any, labelled: Any, steps: Any, corrector_steps: Any
) -> None:
    """What a person may well pass in the place of what `train` takes."""
    allowed = "a Problem, such as problems.burgers()"
    require(isinstance(problem, Problem), "problem", problem, allowed)
    allowed = 'a dict of "inputs" and "labels", such as own_data.labelled(...).data'
    fits = labelled is None or isinstance(labelled, dict)
    require(fits, "labelled", type(labelled).__name__, allowed)
    require(_counts([steps]), "steps", steps, "a whole number above 0")
    fits = isinstance(corrector_steps, Sequence) and _counts(corrector_steps)
    allowed = "whole numbers above 0, as in (1000,)"
    require(fits, "corrector_steps", corrector_steps, allowed)


def _counts(numbers: Sequence[Any]) -> bool:
    """Whether all of them count something."""
    return all(isinstance(one, int | np.integer) and one > 0 for one in numbers)


def network_for(problem: Problem) -> models.ALNO:
    """A small ALNO that fits the grid: 10 waves an axis, and fewer where it is coarse.

    Args:
        problem: of any number of axes and fields. A closed axis is seen with an empty
            half behind it, since nothing is periodic there.
    """
    axes = problem.grid.axes
    most = 10 if len(axes) < 3 else 6
    return models.ALNO(
        width=32 if len(axes) < 3 else 16,
        num_layers=2,
        activation="gelu",
        modes=tuple(min(most, axis.num_points // 2) for axis in axes),
        poles=(4,) * len(axes),
        period=tuple(1.0 if axis.periodic else 1.5 for axis in axes),
        out_channels=max(len(problem.fields), 1),
    )


def _config(
    problem: Problem,
    network: Any,
    counts: tuple[int, ...],
    seed: int,
    given: dict[str, Any],
    labelled: data.Data | None,
) -> dict[str, Any]:
    """What config.json says of the training, for `load` and for resuming."""
    shape = "x".join(map(str, problem.grid.shape))
    num_train = len(labelled["labels"]) if labelled else 0
    return {
        "recipe": TRAINED_BY_CALL,
        "seed": seed,
        "matmul_precision": "default",
        "problem": {"name": problem.name, "grid": shape},
        "model": models.described(network),
        "train": {"steps": counts[0], "num_train": num_train, **given},
        "stages": {"steps": counts[1:], "width": (), "last_applied": LAST_APPLIED},
    }


def _traits(problem: Problem, labelled: data.Data | None) -> dict[str, str]:
    """What tells this equation and these labels from others that look like them.

    Args:
        problem: the residual of a smooth field stands for the equation.
        labelled: a sum with a weight for each number stands for inputs and labels, so
            that their order counts.
    """
    waves = [np.cos(2 * np.pi * x + 1) for x in problem.grid.scaled]
    field = functools.reduce(np.multiply.outer, waves)
    raw = np.broadcast_to(field.T, problem.shape[::-1]).T  # the same for every field

    def residual(key: jax.Array) -> jax.Array:
        inputs = problem.sample(key)
        return problem.residual(problem.constrain(jnp.asarray(raw), inputs), inputs)

    of_equation = jax.jit(residual)(jax.random.key(0))
    numbers = [np.ravel(leaf) for leaf in jax.tree.leaves(labelled)]
    whole = np.concatenate([np.zeros(1), *numbers])
    # Few enough digits to be the same on all machines.
    return {
        "residual": f"{np.linalg.norm(of_equation):.4e}",
        "labels": f"{np.cos(np.arange(whole.size)) @ whole:.4e}",
    }


def _opened(workdir: Path, config: dict[str, Any], traits: dict[str, str]) -> RunFolder:
    """The folder of this very training, new or to be continued.

    Args:
        workdir: its path.
        config: what was asked for. More steps, or stages, than the folder has are
            noted there.
        traits: of problem and labels. Folders of older versions have none.
    """
    folder = RunFolder(workdir.absolute())
    folder.path.mkdir(parents=True, exist_ok=True)
    asked = {**config, "traits": traits}
    if not folder.config.exists():
        write_config(folder.path, asked)
        return folder
    asked = upgrade({**asked, "format_version": FORMAT_VERSION})
    del asked["format_version"]
    stored = read_config(folder.path)
    differences = differing_fields({"traits": traits, **stored}, asked)
    if differences:
        text = f"{folder.path} belongs to another training ({'; '.join(differences)})"
        raise ArgumentError(text)
    if all_differences(stored, asked):
        folder.error_bar.unlink(missing_ok=True)  # of fewer steps
        correct_config(folder.path, asked)
    return folder


def _on_label_nodes(problem: Problem, labels: Any) -> Any:
    """Labels of the whole grid, as `data.generate` gives them, or of their nodes."""
    whole = labels.shape[1:] == problem.shape
    return problem.restrict(labels) if whole else labels


def _error_bar(
    run: TrainedRun,
    params: tuple[operators.Params, ...],
    validation: data.Data | int,
    seed: int,
    say: Say,
) -> Any:
    """How to read residuals of this operator, from inputs whose solutions are known."""
    if isinstance(validation, int):
        key = jax.random.fold_in(jax.random.key(seed), 2)
        try:
            validation = data.generate(run.problem, key, validation)
        except ArgumentError as reason:
            say(f"predictions will come without errors: {reason}")
            return None
    inputs, labels = validation["inputs"], validation["labels"]
    applies = [run.model.apply] * len(params)
    every = jax.jit(operators.stage_fields(run.problem, applies, LAST_APPLIED))
    sizes = jax.jit(operators.error_sizes(run.problem))
    fields = evaluation.predict_in_chunks(every, params, inputs)
    restrict = run.problem.restrict
    labels = _on_label_nodes(run.problem, labels)
    errors = [evaluation.relative_errors(restrict(u), labels) for u in fields]
    if len(labels):
        unseen = f"{len(labels)} inputs that it has not seen"
        say(f"error on {unseen}: {errors[-1].mean():.1e}")
    told = [np.asarray(sizes(inputs, jnp.asarray(u))) for u in fields]
    return bar_of_stages(np.stack(told), np.stack(errors))
