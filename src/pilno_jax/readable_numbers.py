"""Numbers as a person would say them: two digits, a unit, no powers of ten."""

import math


def rounded(value: float, digits: int = 2) -> str:
    """Significant digits without an exponent: 0.00018, 1.4, 23, 120.

    Args:
        value: any number.
        digits: how many of them count. Default 2.
    """
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    short = float(f"{value:.{digits - 1}e}")
    places = max(digits - 1 - math.floor(math.log10(abs(short))), 0)
    return f"{short:.{places}f}"


def percent(share: float) -> str:
    """ "0.018 %" of 1.8e-4."""
    return f"{rounded(100 * share)} %"


def duration(seconds: float) -> str:
    """ "45 seconds", "22 minutes", "1.5 hours"."""
    if seconds < 90:
        return f"{seconds:.0f} seconds"
    if seconds < 90 * 60:
        return f"{seconds / 60:.0f} minutes"
    return f"{rounded(seconds / 3600)} hours"
