"""Strict numerics: silent broadcasting of ranks is an error in every test."""

import jax
import pytest

jax.config.update("jax_numpy_rank_promotion", "raise")


@pytest.fixture
def x64():
    """Double precision, for tests that measure an order or a floor."""
    with jax.enable_x64(True):
        yield
