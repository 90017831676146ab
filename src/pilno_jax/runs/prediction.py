"""An answer of a trained operator, with what is known of its error."""

from typing import NamedTuple

import numpy as np

from pilno_jax.evaluation.error_bar import ErrorBar


class Prediction(NamedTuple):
    """Fields with the errors they are expected to have; of one sample, without batch.

    Attributes:
        u: The fields on the problem's grid.
        error: The estimate of each one's relative L2 error.
        upper: What the error stays below for 90 % of inputs like the training's.
        unlike_training: Whether the estimate is far above all that inputs like the
            training's showed: `upper` promises nothing there.
        applications: How often the last stage was applied again to reach a tolerance.
    """

    u: np.ndarray
    error: np.ndarray
    upper: np.ndarray
    unlike_training: np.ndarray
    applications: np.ndarray


def with_bar(
    bar: ErrorBar, u: np.ndarray, sizes: np.ndarray, applications: np.ndarray
) -> Prediction:
    """Fields of a batch, read by an error bar.

    Args:
        bar: the run's.
        u: the fields.
        sizes: of the quantity that the bar reads, of each field.
        applications: of the last stage beyond its own, for each field.
    """
    error = np.asarray(bar.expected(sizes))
    unlike = np.asarray(bar.is_unlike(sizes))
    return Prediction(u, error, np.asarray(bar.upper(sizes)), unlike, applications)
