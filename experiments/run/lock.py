"""One process at a time writes to a workdir.

The lock is the operating system's, on the file `lock` of the workdir: it ends with the
process that holds it, however that ends. The file says who that is, so that a second
process can name it; what a killed process left in it is noticed and replaced.
"""

import contextlib
import errno
import fcntl
import os
import socket
import time
from collections.abc import Callable, Iterator
from typing import TextIO

from pilno_jax.runs.run_folder import RunFolder


class WorkdirInUse(OSError):
    """Another process is at work in the folder; the message names it."""


@contextlib.contextmanager
def locked(folder: RunFolder, say: Callable[[str], None]) -> Iterator[None]:
    """Hold the lock of a run's folder, which exists.

    Args:
        folder: of the run.
        say: takes a line if an earlier process ended without giving the lock back.

    Raises:
        WorkdirInUse: Another process holds it.
    """
    with folder.lock.open("a+") as file:
        file.seek(0)
        holder = file.read().strip()
        if not _taken(file):
            raise WorkdirInUse(f"{folder.path} is in use by {holder or 'a process'}")
        if holder:
            say(f"{holder} ended without a word; going on from what it saved")
        _write(file, _this_process())
        try:
            yield
        finally:
            _write(file, "")


def _taken(file: TextIO) -> bool:
    """Whether the lock is ours now; where a file system has no locks, it always is."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno in (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)
    return True


def _this_process() -> str:
    since = time.strftime("%Y-%m-%d %H:%M:%S")
    return f"process {os.getpid()} on {socket.gethostname()}, since {since}"


def _write(file: TextIO, text: str) -> None:
    """Emptied rather than deleted: a file that is gone can be locked twice."""
    file.seek(0)
    file.truncate()
    file.write(text)
    file.flush()
