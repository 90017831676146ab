"""A training step on GPUs and TPU slices: arithmetic from data sheets, not measured.

`benchmarks.scaling` writes these estimates beside what it measured. A step takes the
longer of its operations at 40 % of the peak and its bytes at 40 % of the bandwidth,
plus the all-reduce of the gradient, which is not overlapped.
"""

import dataclasses
import math
from typing import Any


@dataclasses.dataclass(frozen=True)
class Hardware:
    """Data-sheet numbers of one device, and the share of them that a step reaches.

    Attributes:
        devices: how many share the batch.
        flops: operations per second.
        bandwidth: bytes per second between a device and its memory.
        link: bytes per second that a device sends while all of them reduce: half of
            what NVLink's sheets say of both directions, all of what those of TPUs say
            of one.
        efficiency: share of the peaks; our CPU steps reach as much of theirs.
    """

    name: str
    devices: int
    flops: float
    bandwidth: float
    link: float
    efficiency: float = 0.4


HARDWARE = (
    Hardware("8 x A100, TF32", 8, 156e12, 2.0e12, 300e9),
    Hardware("8 x H100, TF32", 8, 495e12, 3.35e12, 450e9),
    Hardware("TPU v5e-16, bfloat16", 16, 197e12, 0.819e12, 200e9),
    Hardware("TPU v5p-256, bfloat16", 256, 459e12, 2.765e12, 600e9),
)
# The paper's batch, and a thousand times that.
BATCHES = (51, 51_000)


def estimate(
    hardware: Hardware, gflop: float, gigabytes: float, parameters: int, count: int
) -> dict[str, Any]:
    """A step of `count` samples, given the FLOPs and bytes of one of them.

    A ring all-reduce sends 2 (d - 1) / d of the gradient, 4 bytes per parameter.
    """
    share = math.ceil(count / hardware.devices)
    compute = share * gflop * 1e9 / (hardware.efficiency * hardware.flops)
    memory = share * gigabytes * 1e9 / (hardware.efficiency * hardware.bandwidth)
    sent = 2 * (hardware.devices - 1) / hardware.devices * 4 * parameters
    reduce = sent / hardware.link
    return {
        "hardware": hardware.name,
        "samples": count,
        "compute_ms": 1e3 * compute,
        "memory_ms": 1e3 * memory,
        "all_reduce_ms": 1e3 * reduce,
        "step_ms": 1e3 * (max(compute, memory) + reduce),
    }


def estimates(gflop: float, gigabytes: float, parameters: int) -> list[dict[str, Any]]:
    """Every machine of the table, given the FLOPs and bytes of one sample."""
    return [
        estimate(hardware, gflop, gigabytes, parameters, count)
        for hardware in HARDWARE
        for count in BATCHES
    ]
