"""How a cost grows with size."""

from collections.abc import Sequence

import numpy as np


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """p of the best fit values ~ sizes^p, by least squares in the logarithms.

    Args:
        sizes: at least two, above 0.
        values: what was measured at each size, above 0.
    """
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])
