"""Numbers with two digits and without powers of ten."""

import pytest

from pilno_jax.readable_numbers import duration, percent, rounded


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.000183, "0.00018"),
        (0.0996, "0.10"),
        (1.42, "1.4"),
        (9.99, "10"),
        (77.4, "77"),
        (1234.0, "1200"),
        (-0.25, "-0.25"),
        (0.0, "0"),
        (float("inf"), "inf"),
    ],
)
def test_two_digits_count(value, text):
    assert rounded(value) == text


def test_units():
    assert percent(1.83e-4) == "0.018 %" and percent(0.999) == "100 %"
    assert duration(45) == "45 seconds" and duration(1307) == "22 minutes"
    assert duration(5400) == "1.5 hours"
