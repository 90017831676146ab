"""Estimates for machines that were not measured: the arithmetic of a roofline."""

import pytest

from benchmarks.accelerator_estimates import Hardware, estimate


def test_estimates_follow_the_roofline():
    hardware = Hardware("d", 4, flops=1e12, bandwidth=1e11, link=1e9)
    few = estimate(hardware, 1.0, 0.01, parameters=10**6, count=8)
    # 2 samples a device: 2 GFLOP at 0.4 TFLOP/s, 0.02 GB at 0.04 TB/s; and of a ring's
    # gradient, 2 * 3/4 * 4 MB at 1 GB/s.
    assert few["compute_ms"] == pytest.approx(5.0)
    assert few["memory_ms"] == pytest.approx(0.5)
    assert few["all_reduce_ms"] == pytest.approx(6.0)
    assert few["step_ms"] == pytest.approx(11.0)
    alone = Hardware("1", 1, flops=1e12, bandwidth=1e11, link=1e9)
    assert estimate(alone, 1.0, 0.01, 10**6, 8)["all_reduce_ms"] == 0
