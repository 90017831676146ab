"""What a figure needs beside it: versions, device, command."""

import importlib.metadata
import os
import platform
import resource
import shlex
import sys
from pathlib import Path
from typing import Any

import jax

PACKAGES = ("jax", "jaxlib", "flax", "optax", "orbax-checkpoint", "numpy")


def num_cores() -> int:
    """Those this process may use, which can be fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def peak_memory_mb() -> float:
    """The most memory this process has held so far, in units of 2^20 bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    bytes_per_unit = 1 if sys.platform == "darwin" else 1024
    return peak * bytes_per_unit / 2**20


def environment() -> dict[str, Any]:
    """Versions, device and command: what a figure needs beside it."""
    device = jax.devices()[0]
    cores = num_cores()
    shared = f"{cores} core{'' if cores == 1 else 's'}"
    kind = shared if device.platform == "cpu" else device.device_kind
    versions = {name: importlib.metadata.version(name) for name in PACKAGES}
    return {
        "versions": {"python": platform.python_version(), **versions},
        "device": f"{jax.device_count()} x {device.platform} ({kind})",
        "command": shlex.join(["python", "-m", _module(), *sys.argv[1:]]),
    }


def _module() -> str:
    spec = getattr(sys.modules["__main__"], "__spec__", None)
    return spec.name if spec else Path(sys.argv[0]).name
