"""Operators that come with the package: `pilno_jax.load("burgers")`, offline.

Each is the folder of a finished run with rounded weights instead of checkpoints, see
`rounding`, and without what tells of the machine it was trained on.
"""

import shlex
import shutil
from pathlib import Path
from typing import Any

import jax
import numpy as np

from pilno_jax import data, evaluation, operators
from pilno_jax.checks import require
from pilno_jax.runs import environment, rounding
from pilno_jax.runs.files import read_json, write_json
from pilno_jax.runs.named_weights import named_weights, tree_of
from pilno_jax.runs.run_folder import RunFolder
from pilno_jax.runs.trained_run import TrainedRun

SHIPPED = Path(__file__).parents[1] / "shipped"
# What rounding may change of an answer, as a share of the operator's own error.
SHARE_OF_ERROR = 1 / 8
KEY = 20260  # of the inputs that sensitivities and costs are measured on
PROBED = 4  # inputs of each law, whose sensitivities are averaged


def shipped() -> dict[str, Path]:
    """The operators that come with the package, by name, with their folders.

    `pilno_jax.load(name)` gives one; its folder holds `config.json`, `result.json` with
    the errors, command and commit of its training, `error_bar.json`, and
    `shipping.json`, which says what rounding its weights cost.
    """
    configs = sorted(SHIPPED.glob("*/config.json"))
    return {path.parent.name: path.parent for path in configs}


def ship(run: TrainedRun, workdir: Path, folder: Path, count: int = 100) -> Any:
    """Write a finished run as an operator to be shipped.

    Args:
        run: the run, loaded.
        workdir: its folder, finished.
        folder: where to write; its last name is the operator's.
        count: how many fresh inputs the cost of rounding is measured on. Default 100.

    Returns:
        What shipping.json says.
    """
    trained, target = RunFolder(workdir), RunFolder(folder)
    require(trained.result.exists(), "workdir", str(workdir), "a finished run")
    result = read_json(trained.result)
    folder.mkdir(parents=True, exist_ok=True)
    change = SHARE_OF_ERROR * result["relative_l2"]["mean"]
    weights = named_weights(_stages(run, run.params))
    squares = named_weights(_stages(run, _squares(run)))
    arrays = rounding.rounded(weights, squares, change)
    rounding.write_arrays(target.weights, arrays)
    result["command"] = without_places(result["command"], folder.name)
    write_json(target.result, result)
    write_json(target.config, read_json(trained.config))
    if trained.error_bar.exists():
        shutil.copyfile(trained.error_bar, target.error_bar)
    about = environment.environment()
    content = {
        "step": run.step,
        "rounding": {**_cost(run, arrays, count), **_size(run, target.weights)},
        **{name: about[name] for name in ("code", "versions")},
        "command": without_places(about["command"], folder.name),
    }
    write_json(target.shipping, content)
    return content


def without_places(command: str, name: str) -> str:
    """A command line with folders that anybody has: `runs/name`, and no cache."""
    words = [word for word in shlex.split(command) if not word.startswith("--cache=")]
    anybodys = f"--workdir=runs/{name}"
    return shlex.join(
        anybodys if word.startswith("--workdir=") else word for word in words
    )


def _stages(run: TrainedRun, params: Any) -> tuple[Any, ...]:
    """The parameters of each stage, also where one network is all there is."""
    return params if run.correctors else (params,)


def _squares(run: TrainedRun) -> Any:
    """How the operator depends on its weights, under both of its training's laws."""
    keys = jax.random.split(jax.random.key(KEY), 2 * PROBED + 1)
    drawn = [run.problem.sample(key) for key in keys[:PROBED]]
    drawn += [run.problem.sample_virtual(key) for key in keys[PROBED:-1]]
    inputs = jax.tree.map(lambda *fields: np.stack(fields), *drawn)
    return rounding.squared_sensitivities(run.operator, run.params, inputs, keys[-1])


def _cost(run: TrainedRun, arrays: dict[str, np.ndarray], count: int) -> dict[str, Any]:
    """Mean relative errors on fresh inputs, before and after rounding."""
    test = data.generate(run.problem, jax.random.key(KEY + 1), count)
    predict = jax.jit(run.operator)

    def error(params: Any) -> float:
        fields = evaluation.predict_in_chunks(predict, params, test["inputs"])
        return float(evaluation.relative_errors(fields, test["labels"]).mean())

    after = tree_of(rounding.restored(arrays), _stages(run, run.params))
    return {
        "error_before": error(run.params),
        "error_after": error(after if run.correctors else after[0]),
        "fresh_inputs": count,
    }


def _size(run: TrainedRun, path: Path) -> dict[str, Any]:
    count, size = operators.count_parameters(run.params), path.stat().st_size
    return {"bytes": size, "bits_per_parameter": round(8 * size / count, 2)}
