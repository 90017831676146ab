"""What conftest.py and pyproject.toml forbid in the tests is an error there."""

import jax
import jax.numpy as jnp
import jaxtyping
import numpy as np
import pytest

from pilno_jax.numerics.complex_numbers import as_complex
from pilno_jax.numerics.norms import squared_l2


def test_a_shape_that_is_not_the_signatures_is_caught():
    """A column would be broadcast against the field, and give a number."""
    field, column = jnp.ones((4, 4)), jnp.ones((4, 1))
    assert float(squared_l2(field, field + 1.0)) == 1.0
    with pytest.raises(jaxtyping.TypeCheckError, match="truth"):
        squared_l2(field, column)


def test_dtypes_are_promoted_on_demand_only():
    integers, real = jnp.arange(3), jnp.linspace(0.0, 1.0, 3)
    for mixed in (lambda: 0.5 * integers, lambda: real * integers, lambda: 1j * real):
        with pytest.raises(jax.dtypes.TypePromotionError):
            mixed()
    turned = 1j * as_complex(real)
    assert turned.dtype == np.complex64
    np.testing.assert_array_equal(turned, 1j * np.asarray(real))


def test_complex_numbers_keep_the_precision_of_real_ones(x64):
    third = jnp.asarray(1 / 3, jnp.float64)
    assert complex(as_complex(third)) == 1 / 3
    assert as_complex(as_complex(third)).dtype == np.complex128
