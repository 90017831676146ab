"""Matrix products in the precision asked for, and in no other."""

import jax
import jax.numpy as jnp
import pytest

from pilno_jax.numerics.precision import in_precision


def product(x):
    return (x @ x).sum()


@pytest.mark.parametrize(
    "precision, level", [("bfloat16", "DEFAULT"), ("float32", "HIGHEST")]
)
def test_products_of_a_function_and_its_gradient_have_the_precision(precision, level):
    x = jnp.ones((3, 3))
    asked = in_precision(product, precision)
    for program in (asked, jax.grad(asked)):
        text = str(jax.make_jaxpr(program)(x))
        assert text.count("dot_general") == text.count(f"Precision.{level}") / 2 > 0
    # What is outside keeps its own.
    assert f"Precision.{level}" not in str(jax.make_jaxpr(product)(x))


def test_an_unknown_precision_is_named():
    with pytest.raises(ValueError, match="matmul_precision = 'half'.*bfloat16"):
        in_precision(product, "half")
