"""Compiled programs are kept between runs: most of a run's first seconds are theirs."""

import hashlib
import importlib.metadata
import os
import platform
from pathlib import Path

import jax

SHORTEST = 0.1  # seconds of compilation that are worth a file


def keep_programs() -> None:
    """Let JAX keep compiled programs on disk, unless it has been told where to already.

    JAX_COMPILATION_CACHE_DIR names another folder; without a folder that can be written
    to, programs are compiled anew each time.
    """
    if jax.config.values["jax_compilation_cache_dir"] is not None:
        return
    folder = default_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return
    jax.config.update("jax_compilation_cache_dir", str(folder))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", SHORTEST)


def default_folder(purpose: str = "compiled") -> Path:
    """The user's folder for caches, and in it one for each jaxlib and processor.

    Programs of another jaxlib may crash, and so do those of another processor, which a
    home that machines share would otherwise offer.

    Args:
        purpose: the first word of its name; tests have a folder of their own.
    """
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    version = importlib.metadata.version("jaxlib")
    digest = hashlib.sha256(processor().encode()).hexdigest()[:8]
    return Path(home) / "pilno_jax" / f"{purpose}-{version}-{digest}"


def processor() -> str:
    """The model and instructions of this machine's processor, as far as it says."""
    about = Path("/proc/cpuinfo")
    lines = about.read_text().splitlines() if about.is_file() else []
    wanted = ("model name", "flags", "Features", "CPU part")
    described = sorted({line for line in lines if line.startswith(wanted)})
    return "\n".join([platform.machine(), platform.processor(), *described])
