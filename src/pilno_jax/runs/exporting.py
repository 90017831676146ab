"""A trained operator as files that outlive this code base.

A folder with the compiled-to-be programs (`jax.export`: their grid fixed, their batch
size open, for CPU, CUDA and TPU) of the operator and of its error, the weights as a
plain npz, what a user must know as JSON, a loader that needs jax alone, and checksums.

The weights are an argument of the programs, not constants in them: XLA would fold some
of the work on constants, and round otherwise than `run.predict` does.
"""

import importlib.util
import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jax
import numpy as np

from pilno_jax import operators
from pilno_jax.checks import require_finite_tree
from pilno_jax.numerics.grids import Grid
from pilno_jax.problems.base import Inputs
from pilno_jax.runs import environment, files, load_operator
from pilno_jax.runs.named_weights import named_weights
from pilno_jax.runs.trained_run import TrainedRun

PLATFORMS = ("cpu", "cuda", "tpu")


def export(run: TrainedRun, folder: str | Path) -> Path:
    """Write the operator of a run, on the run's grid and in its precision.

    Args:
        run: The run; `run.on(...)` exports it for another grid.
        folder: Where to write; made if it is missing, its files are replaced.

    Returns:
        The folder.

    Raises:
        ImportError: flatbuffers, which programs are written with, is not installed.
        ValueError: The parameters are not finite.
    """
    require_finite_tree("parameter", run.params)
    if importlib.util.find_spec("flatbuffers") is None:
        raise ImportError(
            'exporting needs flatbuffers: pip install "pilno-jax[export]"'
        )

    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    inputs = inputs_read(run)
    operator, sizes = _programs(run, inputs)
    (folder / load_operator.PROGRAM).write_bytes(operator.serialize())
    (folder / load_operator.ERROR_PROGRAM).write_bytes(sizes.serialize())
    arrays = {name: np.asarray(x) for name, x in named_weights(run.params).items()}
    np.savez(folder / load_operator.WEIGHTS, **arrays)  # type: ignore[arg-type]
    described = metadata(run, inputs, str(operator.out_avals[0].dtype))
    described["platforms"] = list(PLATFORMS)
    files.write_json(folder / load_operator.METADATA, described)
    shutil.copy(load_operator.__file__, folder / "load_operator.py")
    write_checksums(folder, load_operator.FILES)
    return folder


def _programs(run: TrainedRun, inputs: dict[str, jax.ShapeDtypeStruct]) -> tuple:
    """(weights, inputs) -> u, and (inputs, u) -> what residuals tell of errors."""
    from jax import export as jax_export

    weights, structure = named_weights(run.params), jax.tree.structure(run.params)
    (batch,) = jax_export.symbolic_shape("batch")

    def many(one: jax.ShapeDtypeStruct) -> jax.ShapeDtypeStruct:
        return jax.ShapeDtypeStruct((batch, *one.shape), one.dtype)

    def predict(weights: dict[str, jax.Array], inputs: dict[str, jax.Array]):
        # A dict of weights arrives sorted by name; the tree wants its own order.
        leaves = [weights[name] for name in names]
        params = jax.tree.unflatten(structure, leaves)
        return run.operator(params, _whole(run, inputs))

    def measure(inputs: dict[str, jax.Array], u: jax.Array):
        return operators.error_sizes(run.problem)(_whole(run, inputs), u)

    def exported(function: Callable, *arguments: Any) -> Any:
        jitted = jax.jit(function)
        return jax_export.export(jitted, platforms=PLATFORMS)(*arguments)

    names = list(weights)
    shapes = {
        name: jax.ShapeDtypeStruct(x.shape, x.dtype) for name, x in weights.items()
    }
    symbolic = {name: many(one) for name, one in inputs.items()}
    operator = exported(predict, shapes, symbolic)
    field = jax.ShapeDtypeStruct(run.problem.shape, operator.out_avals[0].dtype)
    return operator, exported(measure, symbolic, many(field))


def _whole(run: TrainedRun, inputs: Inputs) -> Inputs:
    """What the operator reads, also where a program is given less."""
    return jax.vmap(run.problem.complete)(inputs) if run.problem.enough else inputs


def inputs_read(run: TrainedRun) -> dict[str, jax.ShapeDtypeStruct]:
    """The inputs that a prediction or its error depends on.

    Others are for the reference alone. Where some are enough, it is these.
    """
    from jax import export as jax_export

    def answer(params: operators.Params, inputs: Inputs) -> Any:
        u = run.operator(params, inputs)
        return u, operators.error_sizes(run.problem)(inputs, u)

    one = jax.eval_shape(run.problem.sample, jax.random.key(0))
    if run.problem.enough:
        return {name: one[name] for name in run.problem.enough}
    batch = {
        name: jax.ShapeDtypeStruct((1, *x.shape), x.dtype) for name, x in one.items()
    }
    params = jax.eval_shape(lambda: run.params)
    lowered = jax_export.export(jax.jit(answer))(params, batch)
    # Arguments are numbered as the trees have their leaves: a dict's sorted by name.
    first = len(jax.tree.leaves(params))
    read = set(lowered.module_kept_var_idx)
    return {name: one[name] for i, name in enumerate(sorted(one), first) if i in read}


def metadata(
    run: TrainedRun, inputs: dict[str, jax.ShapeDtypeStruct], dtype: str
) -> dict[str, Any]:
    """What somebody without this code base has to know to call the program."""
    about = environment.environment()
    return {
        "problem": run.problem.name,
        "inputs": {
            name: {"shape": list(x.shape), "dtype": str(x.dtype)}
            for name, x in inputs.items()
        },
        "output": {"shape": list(run.problem.shape), "dtype": dtype},
        "fields": list(run.problem.fields),
        "axes": _axes(run.problem.grid),
        "error_bar": run.error_bar and run.error_bar.to_dict(),
        "trained_steps": run.step,
        "config": json.loads(json.dumps(run.config)),
        "code": about["code"],
        "versions": about["versions"],
    }


def _axes(grid: Grid) -> list[dict[str, Any]]:
    return [
        {
            "name": axis.name,
            "periodic": axis.periodic,
            "coordinates": np.asarray(axis.coordinates).tolist(),
        }
        for axis in grid.axes
    ]


def write_checksums(folder: Path, names: Sequence[str]) -> None:
    """SHA256SUMS, which `sha256sum --check` reads.

    Args:
        folder: where the files are, and SHA256SUMS will be.
        names: of the files.
    """
    lines = [f"{load_operator.digest(folder / name)}  {name}\n" for name in names]
    files.write_text(folder / load_operator.CHECKSUMS, "".join(lines))
