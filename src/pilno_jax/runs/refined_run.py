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
from pilno_jax.runs.trained_run import TrainedRun


@dataclasses.dataclass(frozen=True)
class Refinement:
    """What refining did. Arrays have one entry per sample, errors only with a truth.

    losses: the physics loss before each step.
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

    truth: solutions in the shape of `run.predict(inputs)`, for the record alone.
    options: those of `refiner`.
    """
    single = not run.is_batch(inputs)
    batch = jax.tree.map(lambda x: jnp.asarray(x)[None] if single else x, inputs)
    if truth is not None:
        truth = np.asarray(truth)[None] if single else np.asarray(truth)
        count = len(jax.tree.leaves(batch)[0])
        shape = (count, *run.problem.grid.shape)
        require(truth.shape == shape, "shape of truth", truth.shape, f"{shape}")

    params, losses = refiner(run.problem, run.model.apply, steps, **options)(
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
