"""An operator on disk, without the checkpoints of its training."""

from pathlib import Path

import numpy as np

from pilno_jax.checks import require_finite_tree
from pilno_jax.runs import environment, files, rounding
from pilno_jax.runs.format import write_config
from pilno_jax.runs.named_weights import named_weights
from pilno_jax.runs.run_folder import RunFolder
from pilno_jax.runs.trained_run import TrainedRun


def save(run: TrainedRun, path: Path) -> Path:
    """Write config, weights and error bar; the folder.

    Args:
        run: the operator. That of a problem which no config names, as
            `pilno_jax.train` takes it, comes back by `load(path, problem)`.
        path: of the folder, made if it is missing.
    """
    require_finite_tree("parameter", run.params)
    folder = RunFolder(path)
    path.mkdir(parents=True, exist_ok=True)
    stages = run.params if run.correctors else (run.params,)
    arrays = {name: np.asarray(x) for name, x in named_weights(stages).items()}
    rounding.write_arrays(folder.weights, arrays)
    about = environment.environment()
    told = {name: about[name] for name in ("code", "versions", "command")}
    files.write_json(folder.shipping, {"step": run.step, **told})
    folder.error_bar.unlink(missing_ok=True)  # of another operator
    if run.error_bar is not None:
        files.write_json(folder.error_bar, run.error_bar.to_dict())
    write_config(path, run.config)
    return path
