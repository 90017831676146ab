"""Errors name the argument, the value and what is allowed, and only when it matters."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pilno_jax import checks


def test_require_names_argument_value_and_what_is_allowed():
    with pytest.raises(ValueError, match=r"^speed = -1 is not .*: expected a positive"):
        checks.require_positive(mass=1, speed=-1)
    with pytest.raises(ValueError, match=r"norm = 'l3' .* one of \['l1', 'l2'\]"):
        checks.require_choice("norm", "l3", ("l1", "l2"))
    checks.require_positive(mass=1e-30)
    checks.require_choice("norm", "l2", ("l1", "l2"))


@pytest.mark.parametrize("bad", [0.0, -0.0, float("nan"), "1", None, (1.0, 2.0), 1j])
def test_what_is_no_positive_number(bad):
    with pytest.raises(ValueError, match="mass = "):
        checks.require_positive(mass=bad)


@pytest.mark.parametrize("one", [2, 2.0, np.float32(2), np.array(2), jnp.array(2.0)])
def test_numbers_of_any_library_are_numbers(one):
    assert checks.is_number(one)
    checks.require_positive(mass=one)


def test_fields_must_be_there_in_shape_and_finite():
    good = {"u0": np.zeros(3), "extra": np.zeros(9)}
    checks.require_fields(good, {"u0": (3,)})
    with pytest.raises(ValueError, match=r"\['extra', 'u0'\] .* an entry 'f'"):
        checks.require_fields(good, {"f": (3,)})
    with pytest.raises(ValueError, match=r"shape of u0 = \(3,\) .* \(4,\), one sample"):
        checks.require_fields(good, {"u0": (4,)})
    for bad in (np.nan, np.inf):
        field = np.array([0.0, bad, bad])
        with pytest.raises(ValueError, match=r"u0 = .<array with 2 NaN or infinite"):
            checks.require_fields({"u0": field}, {"u0": (3,)})


def test_while_tracing_shapes_are_checked_and_values_are_not():
    def checked(u0):
        checks.require_fields({"u0": u0}, {"u0": (3,)})
        return u0

    assert jnp.isnan(jax.jit(checked)(jnp.array([0.0, jnp.nan, 1.0]))).sum() == 1
    assert jax.vmap(checked)(jnp.zeros((5, 3))).shape == (5, 3)
    with pytest.raises(ValueError, match=r"shape of u0 = \(5, 3\)"):
        jax.jit(checked)(jnp.zeros((5, 3)))
