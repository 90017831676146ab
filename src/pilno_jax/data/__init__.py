"""Labelled sets: generated, cached, or a user's own."""

from pilno_jax.data.cache import cached
from pilno_jax.data.labelled import Data, generate

__all__ = ["Data", "cached", "generate"]
