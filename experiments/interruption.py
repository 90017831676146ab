"""A signal becomes a flag that the run polls at safe moments.

Raising from the handler would be quicker by a moment and is not reliable: Python
drops an exception that happens to arise inside a garbage-collection callback, and JAX
has one.
"""

import os
import signal
from types import FrameType

# What a scheduler sends before the limit, what a user types, what SLURM can be told.
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1)


class Interrupted(Exception):
    """The run was asked to stop; what it had saved is intact."""


class Interruption:
    """`with Interruption() as stop:` then poll `stop.requested`."""

    def __init__(self):
        self.requested: str | None = None
        self._previous: dict[signal.Signals, object] = {}

    def __enter__(self) -> "Interruption":
        for number in SIGNALS:
            self._previous[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    def _note(self, number: int, frame: FrameType | None) -> None:
        del frame
        name = signal.Signals(number).name
        if self.requested == name == "SIGINT":
            raise KeyboardInterrupt  # the second Ctrl-C means now
        self.requested = name
        # print() is not reentrant; a signal may arrive inside one.
        os.write(2, f"\n{name}: stopping at the next safe moment\n".encode())

    def poll(self) -> None:
        """Raise `Interrupted` where everything worth keeping is saved."""
        if self.requested:
            raise Interrupted(self.requested)
