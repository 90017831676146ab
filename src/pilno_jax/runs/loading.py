"""A run back from its folder, or a shipped operator by its name.

config.json and parameters are all it takes: those in checkpoints/, or, of a shipped
operator, in weights.npz.
"""

from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp

from pilno_jax import models, operators, problems
from pilno_jax.checks import (
    ArgumentError,
    require,
    require_choice,
    require_finite_tree,
)
from pilno_jax.evaluation.error_bar import ErrorBar
from pilno_jax.numerics.precision import PRECISIONS
from pilno_jax.runs import own_problem
from pilno_jax.runs.files import read_json
from pilno_jax.runs.format import TRAINED_BY_CALL, misfit, read_config
from pilno_jax.runs.named_weights import tree_of
from pilno_jax.runs.rounding import read_arrays, restored
from pilno_jax.runs.run_folder import RunFolder
from pilno_jax.runs.shipping import shipped
from pilno_jax.runs.trained_run import TrainedRun


def load(workdir: str | Path, problem: problems.Problem | None = None) -> TrainedRun:
    """The run in `workdir`, finished or not, with its best parameters so far.

    Nothing in the folder is changed, so a run that is still training may be loaded.

    Args:
        workdir: The folder of a run, of this version of the library or an older one,
            with its `config.json` and `checkpoints/`; nothing else is read. Or the name
            of a shipped operator, such as "burgers", unless there is a run in a folder
            of that name; `pilno_jax.shipped()` lists them.
        problem: Where no config can name it: that which `pilno_jax.train` was given.
            Default: the config's.

    Raises:
        FileNotFoundError: There is no run in the folder, or no checkpoint yet.
        ValueError: config.json is damaged or asks for what this version cannot do, or
            the parameters are not finite.
    """
    folder = folder_of(workdir)
    config = read_config(folder.path)
    own_problem.find(folder)
    if problem is None and config.get("recipe") == TRAINED_BY_CALL:
        text = "was written by pilno_jax.train, which cannot name its problem"
        raise ArgumentError(f"{folder.path} {text}: load(folder, problem)")
    if problem is not None:
        name = config["problem"]["name"]
        require(problem.name == name, "problem", problem.name, f"{name!r}, of this run")
    try:
        problem = problem or problems.make(**config["problem"])
        model: Any = models.make(**config["model"])
        networks = [model, *_correctors(config)]
        like = [_shapes(problem, *numbered) for numbered in enumerate(networks, 1)]
        precision = config.get("matmul_precision", "default")
        require_choice("matmul_precision", precision, PRECISIONS)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        if own_problem.is_bug(folder, error):
            raise
        raise misfit(folder.path, error) from error
    own_problem.warn_if_changed(folder, config["problem"])
    step, params = (_shipped if folder.weights.exists() else _trained)(folder, like)
    correctors = tuple(networks[1 : len(params)])
    whole = params if correctors else params[0]
    require_finite_tree(f"{folder.path}, step {step}: parameter", whole)
    bar = None
    if folder.error_bar.exists():
        bar = ErrorBar(**read_json(folder.error_bar))
    return TrainedRun(problem, model, whole, step, config, correctors, bar)


def folder_of(workdir: str | Path) -> RunFolder:
    """Where a run is, or, if there is none, the shipped operator of that name."""
    folder = RunFolder(Path(workdir).absolute())
    known = shipped()
    if str(workdir) in known and not folder.config.is_file():
        return RunFolder(known[str(workdir)])
    return folder


def _trained(folder: RunFolder, like: list[Any]) -> tuple[int, tuple[Any, ...]]:
    """The step of the last stage, and the best parameters of all that have begun."""
    from pilno_jax.runs.checkpoints import best_parameters  # Orbax is slow to import

    fitted = []
    for stage, shapes in enumerate(like, 1):
        # A run that is still training may not have begun its later stages.
        if stage == 1 or folder.checkpoints_of(stage).is_dir():
            fitted.append(best_parameters(folder.checkpoints_of(stage), shapes))
    steps, params = zip(*fitted, strict=True)
    return steps[-1], params


def _shipped(folder: RunFolder, like: list[Any]) -> tuple[int, tuple[Any, ...]]:
    """The step of the last stage, and the parameters of all."""
    weights = restored(read_arrays(folder.weights))
    params = jax.tree.map(jnp.asarray, tree_of(weights, tuple(like)))
    return read_json(folder.shipping)["step"], params


def _correctors(config: dict[str, Any]) -> list[Any]:
    """The networks of the later stages that a config asks for."""
    stages = config.get("stages", {"steps": (), "width": ()})
    widths = stages["width"] or (None,) * len(stages["steps"])
    sizes = [{} if width is None else {"width": width} for width in widths]
    return [models.make(**{**config["model"], **size}) for size in sizes]


def _shapes(problem: problems.Problem, stage: int, network: Any) -> Any:
    """Of the parameters of a stage's network."""
    return jax.eval_shape(
        lambda key: operators.initial_parameters(problem, network, key, stage),
        jax.random.key(0),
    )
