"""Places to write to, tried before the computation whose result would be lost."""

import tempfile
from pathlib import Path

from pilno_jax.checks import require


def require_file(name: str, path: str | Path) -> Path:
    """A file that can be written.

    Args:
        name: of the flag, for the error.
        path: its value.

    Raises:
        ArgumentError: The folder is missing, or the path is a folder itself.
        OSError: The folder cannot be written to.
    """
    path = Path(path)
    allowed = "a file in a folder that exists"
    require(path.parent.is_dir() and not path.is_dir(), name, str(path), allowed)
    require_writable(path.parent)
    return path


def require_folder(name: str, path: str | Path) -> Path:
    """A folder, or a path where one could be made; nothing is made.

    Args:
        name: of the flag, for the error.
        path: its value.

    Raises:
        ArgumentError: The path, or one above it, is no folder.
    """
    path = Path(path)
    above = next(one for one in (path, *path.absolute().parents) if one.exists())
    require(above.is_dir(), name, str(path), f"a folder, and {above} is none")
    return path


def require_writable(*paths: Path) -> None:
    """Make these folders; an OSError now rather than after the data have been made."""
    for path in paths:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path) as probe:
            probe.write(b"\0" * 4096)
