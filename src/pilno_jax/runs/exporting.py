"""A trained operator as files that outlive this code base.

A folder with the compiled-to-be program (`jax.export`: its grid fixed, its batch size
open, for CPU, CUDA and TPU), the weights as a plain npz, what a user must know as JSON,
a loader that needs jax alone, and checksums.

The weights are an argument of the program, not constants in it: XLA would fold some
of the work on constants, and round otherwise than `run.predict` does.
"""

import importlib.util
import json
import shutil
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from pilno_jax import operators
from pilno_jax.numerics.grids import Grid
from pilno_jax.problems.base import Inputs, Problem
from pilno_jax.runs import environment, files, load_operator
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
    """
    if importlib.util.find_spec("flatbuffers") is None:
        raise ImportError(
            'exporting needs flatbuffers: pip install "pilno-jax[export]"'
        )
    from jax import export as jax_export

    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    weights = named_weights(run.params)
    inputs = inputs_read(run.problem)
    predict = run.operator
    structure = jax.tree.structure(run.params)

    def program(weights: dict[str, jax.Array], inputs: dict[str, jax.Array]):
        # A dict of weights arrives sorted by name; the tree wants its own order.
        leaves = [weights[name] for name in names]
        return predict(jax.tree.unflatten(structure, leaves), inputs)

    names = list(weights)
    (batch,) = jax_export.symbolic_shape("batch")
    symbolic = {
        name: jax.ShapeDtypeStruct((batch, *one.shape), one.dtype)
        for name, one in inputs.items()
    }
    shapes = {
        name: jax.ShapeDtypeStruct(x.shape, x.dtype) for name, x in weights.items()
    }
    exported = jax_export.export(jax.jit(program), platforms=PLATFORMS)(
        shapes, symbolic
    )

    (folder / load_operator.PROGRAM).write_bytes(exported.serialize())
    arrays: dict[str, Any] = weights
    np.savez(folder / load_operator.WEIGHTS, **arrays)
    described = metadata(run, inputs, str(exported.out_avals[0].dtype))
    files.write_json(folder / load_operator.METADATA, described)
    shutil.copy(load_operator.__file__, folder / "load_operator.py")
    _write_checksums(folder)
    return folder


def named_weights(params: operators.Params) -> dict[str, np.ndarray]:
    """ "params/kernel_0/residues" -> its array, in the order of the tree's leaves.

    Those of an operator in stages begin with the number of the stage, from 0 on.
    """
    return {
        jax.tree_util.keystr(path, simple=True, separator="/"): np.asarray(leaf)
        for path, leaf in jax.tree.leaves_with_path(params)
    }


def inputs_read(problem: Problem) -> dict[str, jax.ShapeDtypeStruct]:
    """The inputs that a prediction depends on; some are for the reference alone."""
    from jax import export as jax_export

    def around_the_network(inputs: Inputs, raw: jax.Array) -> Any:
        return problem.features(inputs), problem.constrain(raw, inputs)

    one = jax.eval_shape(problem.sample, jax.random.key(0))
    raw = jax.ShapeDtypeStruct(problem.grid.shape, jnp.result_type(float))
    lowered = jax_export.export(jax.jit(around_the_network))(one, raw)
    # Arguments are numbered as the tree has its leaves: a dict's sorted by name.
    read = set(lowered.module_kept_var_idx)
    return {name: one[name] for i, name in enumerate(sorted(one)) if i in read}


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
        "output": {"shape": list(run.problem.grid.shape), "dtype": dtype},
        "axes": _axes(run.problem.grid),
        "platforms": list(PLATFORMS),
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


def _write_checksums(folder: Path) -> None:
    names = (load_operator.PROGRAM, load_operator.METADATA, load_operator.WEIGHTS)
    lines = [f"{load_operator.digest(folder / name)}  {name}\n" for name in names]
    files.write_text(folder / load_operator.CHECKSUMS, "".join(lines))
