"""A trained run refined at test time: the equation alone improves it on given inputs.

    refined, record = refine(run, {"u0": u0}, steps=200)
    u = refined.predict({"u0": u0})

The operator that comes back is good for these inputs and may be worse for others.
"""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from pilno_jax import evaluation
from pilno_jax.checks import require
from pilno_jax.evaluation import error_estimate
from pilno_jax.evaluation.refinement import refiner
from pilno_jax.problems.base import Inputs
from pilno_jax.runs.trained_run import TrainedRun, as_fields


@dataclasses.dataclass(frozen=True)
class Refinement:
    """What refining did.

    Attributes:
        losses: The physics loss before each step.
        residual_before: The residual's size for each sample, by the trained parameters.
        residual_after: The same by the refined ones.
        error_before: The relative L2 error of each sample, if the truth was given.
        error_after: The same by the refined parameters.
    """

    losses: np.ndarray
    residual_before: np.ndarray
    residual_after: np.ndarray
    error_before: np.ndarray | None = None
    error_after: np.ndarray | None = None


def refine(
    run: TrainedRun,
    inputs: Inputs,
    steps: int = 200,
    *,
    truth: Any = None,
    **options: Any,
) -> tuple[TrainedRun, Refinement]:
    """The run fitted to one sample, or to a small batch, and what that changed.

    Args:
        run: The run to start from; it is left as it is.
        inputs: The input fields by name, as for `run.predict`. All of a batch share one
            set of parameters, so a few similar samples do better than many.
        steps: Of Adam, 200 unless told. A few hundred are enough where the run is
            nearly right; each costs as much as a training step on these inputs.
        truth: Solutions in the shape of `run.predict(inputs)`, for the record alone.
        **options: `learning_rate`, `weights` and `physics_loss` of
            `pilno_jax.evaluation.refinement.refiner`.

    Returns:
        The run with refined parameters, good for these inputs and perhaps worse for
        others, and a record of residuals and errors before and after.
    """
    fields = as_fields(inputs, jnp.asarray)
    single = not run.is_batch(fields)
    batch = {name: x[None] if single else x for name, x in fields.items()}
    if truth is not None:
        truth = np.asarray(truth)[None] if single else np.asarray(truth)
        count = len(jax.tree.leaves(batch)[0])
        shape = (count, *run.problem.shape)
        require(truth.shape == shape, "shape of truth", truth.shape, f"{shape}")

    params, losses = refiner(run.problem, run.operator, steps, **options)(
        run.params, batch
    )
    refined = dataclasses.replace(run, params=params)
    residuals = jax.jit(error_estimate.residuals(run.problem))
    before, after = run.predict(batch), refined.predict(batch)
    record = Refinement(
        losses=np.asarray(losses),
        residual_before=np.asarray(residuals(before, batch)),
        residual_after=np.asarray(residuals(after, batch)),
    )
    if truth is not None:
        record = dataclasses.replace(
            record,
            error_before=evaluation.relative_errors(before, truth),
            error_after=evaluation.relative_errors(after, truth),
        )
    return refined, record
