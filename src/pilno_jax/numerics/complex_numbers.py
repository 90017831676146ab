"""Real arrays as complex ones, said where it happens.

Products of a real and a complex array are errors in the tests, which promote no dtype
silently.
"""

import jax
import numpy as np
from jaxtyping import Array, Complex, Inexact


def as_complex(x: Inexact[np.ndarray | Array, "*shape"]) -> Complex[Array, "*shape"]:
    """The same numbers, complex, in the precision they have.

    Args:
        x: float32 becomes complex64 and float64 complex128; complex stays as it is.
    """
    return jax.lax.convert_element_type(x, np.result_type(x.dtype, np.complex64))
