"""A trained operator as an ONNX program, for runtimes and browsers without JAX.

The program answers one sample: from the inputs by name it makes `u`, the fields `u_1`,
`u_2`, ... after the earlier stages, if any, and `error_size`, which the error bar in
metadata.json makes an error of:

    error = hypot(factor * error_size, floor),  below factor_above * error for 90 %
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import jax
import numpy as np

from pilno_jax import operators
from pilno_jax.checks import require_finite_tree
from pilno_jax.problems.base import Inputs
from pilno_jax.runs import exporting, files, load_operator
from pilno_jax.runs.onnx_program import onnx_program
from pilno_jax.runs.trained_run import TrainedRun

PROGRAM = "operator.onnx"
ERROR_SIZE = "error_size"


def export_onnx(run: TrainedRun, folder: str | Path) -> Path:
    """Write the operator of a run as operator.onnx, with its metadata and checksums.

    Args:
        run: The run; `run.on(...)` exports it for another grid.
        folder: Where to write; made if it is missing, its files are replaced.

    Returns:
        The folder.

    Raises:
        ImportError: jax2onnx is not installed.
        NotImplementedError: ONNX has no operation for a part of the operator.
        ValueError: The parameters are not finite.
    """
    inputs = exporting.inputs_read(run)
    complete = run.problem.complete if run.problem.enough else dict
    program = operator_program(run, inputs, complete)
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / PROGRAM).write_bytes(program)
    about = exporting.metadata(run, inputs, "float32")
    files.write_json(folder / load_operator.METADATA, about)
    exporting.write_checksums(folder, [PROGRAM, load_operator.METADATA])
    return folder


def operator_program(
    run: TrainedRun,
    inputs: Mapping[str, jax.ShapeDtypeStruct],
    complete: Callable[[Inputs], Inputs],
) -> bytes:
    """The program of a run, serialised.

    Args:
        run: The run.
        inputs: Names, shapes and types of what the program is to be given.
        complete: These inputs -> all that the operator reads.
    """
    require_finite_tree("parameter", run.params)
    sizes = operators.error_sizes(run.problem)

    def answers(given: Inputs) -> dict[str, Any]:
        batch = {name: value[None] for name, value in complete(given).items()}
        *earlier, last = run.stage_operator(run.params, batch)
        stages = {f"u_{stage}": u[0] for stage, u in enumerate(earlier, 1)}
        return {**stages, "u": last[0], ERROR_SIZE: sizes(batch, last)[0]}

    single = {
        name: jax.ShapeDtypeStruct(x.shape, np.float32) for name, x in inputs.items()
    }
    return onnx_program(answers, single)
