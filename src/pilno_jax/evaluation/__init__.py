"""How good an operator is: errors where the truth is known, estimates where not."""

from pilno_jax.evaluation.errors import predict_in_chunks, relative_errors, summary

__all__ = ["predict_in_chunks", "relative_errors", "summary"]
