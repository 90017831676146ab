"""Which labelled files of the user's a run reads, noticed when they change."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from pilno_jax.checks import ArgumentError
from pilno_jax.runs import files
from pilno_jax.runs.run_folder import RunFolder


def record(folder: RunFolder, paths: Mapping[str, Path]) -> None:
    """Write down which files a run reads and what they hold.

    Args:
        folder: of the run, which exists.
        paths: of the files, by the set that each is; nothing is written if there are
            none.
    """
    if paths:
        files.write_json(folder.own_data, {k: _present(p) for k, p in paths.items()})


def require_unchanged(folder: RunFolder, paths: Mapping[str, Path]) -> None:
    """Half a training on some labels and half on others is of neither.

    Args:
        folder: of the run, which need not exist yet.
        paths: as in `record`. A file that was not read before is not compared.

    Raises:
        ArgumentError: A file holds something else; the text names it.
    """
    if not folder.own_data.exists():
        return
    before = files.read_json(folder.own_data)
    for name, path in paths.items():
        now, then = _present(path), before.get(name)
        if then and then["file"] == now["file"] and then["sha256"] != now["sha256"]:
            raise ArgumentError(
                f"{path}, the {name} set, has changed since the run in {folder.path} "
                "began: undo that, or choose another --workdir"
            )


def _present(path: Path) -> dict[str, str]:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"file": str(path.resolve()), "sha256": digest}
