"""Figures: the only package that knows matplotlib."""

from pilno_jax.plotting.curves import (
    calibration_figure,
    epochs_figure,
    error_figure,
    loss_figure,
    pole_comparison,
    poles_figure,
    time_figure,
    validation_figure,
)
from pilno_jax.plotting.fields import (
    comparison_figure,
    cut,
    reference_figure,
    sections,
    slices_figure,
    stages_figure,
)
from pilno_jax.plotting.panels import (
    FIELD_COLOURS,
    LINE_COLOURS,
    PANEL_INCHES,
    SIGNED_COLOURS,
    field,
    lines,
    paired_bars,
    panels,
    save,
    signed_field,
)

__all__ = [
    "FIELD_COLOURS",
    "LINE_COLOURS",
    "PANEL_INCHES",
    "SIGNED_COLOURS",
    "calibration_figure",
    "comparison_figure",
    "cut",
    "epochs_figure",
    "error_figure",
    "field",
    "lines",
    "loss_figure",
    "paired_bars",
    "panels",
    "pole_comparison",
    "poles_figure",
    "reference_figure",
    "save",
    "sections",
    "signed_field",
    "slices_figure",
    "stages_figure",
    "time_figure",
    "validation_figure",
]
