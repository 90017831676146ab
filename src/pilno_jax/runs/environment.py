"""What a result needs beside it to be traced: code, versions, device, command."""

import functools
import importlib.metadata
import os
import platform
import resource
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import jax

PACKAGES = ("jax", "jaxlib", "flax", "optax", "orbax-checkpoint", "numpy")
SOURCE = Path(__file__).parents[1]
GIT_SECONDS = 10  # git answers in milliseconds, unless its disk does not


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
    """What every result records beside its numbers, as plain JSON.

    Returns:
        `code`, as `source` describes it; `versions` of Python and of the packages that
        compute; `device`; `command`, to be repeated.
    """
    device = jax.devices()[0]
    cores = num_cores()
    shared = f"{cores} core{'' if cores == 1 else 's'}"
    kind = shared if device.platform == "cpu" else device.device_kind
    versions = {name: importlib.metadata.version(name) for name in PACKAGES}
    return {
        "code": source(),
        "versions": {"python": platform.python_version(), **versions},
        "device": f"{jax.device_count()} x {device.platform} ({kind})",
        "command": shlex.join(["python", "-m", _module(), *sys.argv[1:]]),
    }


def source() -> dict[str, Any]:
    """The code of this package: its `version`, `commit` and whether it was `dirty`.

    Commit and dirty are as they were when first asked for in this process: a training
    that ends next week ran the code it started with, whatever was committed since.
    They are None where the package is in no checkout.
    """
    commit, dirty = _checkout_of_this_package()
    version = importlib.metadata.version("pilno-jax")
    return {"version": version, "commit": commit, "dirty": dirty}


def checkout(folder: Path) -> tuple[str | None, bool | None]:
    """The commit of the checkout that tracks `folder`, and whether it is dirty.

    Args:
        folder: A folder with source code. One that lies within a checkout without
            being tracked by it, as an installed package in `.venv`, has no commit.

    Returns:
        The commit's full hash, and whether any Python file of the checkout, new ones
        included, differs from it: results and pages, which commands write, do not
        count. `(None, None)` without a checkout, a commit in it, or git itself.
    """
    if not _git(folder, "ls-files"):
        return None, None
    options = "--porcelain=v2", "--branch", "--untracked-files=all"
    status = _git(folder, "status", *options, "--", ":(top)*.py")
    lines = status.splitlines() if status else []
    commits = [line.split()[2] for line in lines if line.startswith("# branch.oid ")]
    if not commits or commits == ["(initial)"]:
        return None, None
    return commits[0], any(not line.startswith("#") for line in lines)


@functools.cache
def _checkout_of_this_package() -> tuple[str | None, bool | None]:
    return checkout(SOURCE)


def _git(folder: Path, *arguments: str) -> str | None:
    """What git prints, or None if it cannot answer, for whatever reason."""
    # In a hook of git these name the repository of the hook.
    plain = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    try:
        answer = subprocess.run(
            # Without the lock a commit made meanwhile is not disturbed.
            ["git", "--no-optional-locks", "-C", str(folder), *arguments],
            env=plain,
            capture_output=True,
            text=True,
            timeout=GIT_SECONDS,
        )
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return None
    return answer.stdout if answer.returncode == 0 else None


def _module() -> str:
    spec = getattr(sys.modules["__main__"], "__spec__", None)
    return spec.name if spec else Path(sys.argv[0]).name
