"""A signal, or the end of the time given, becomes a flag polled at safe moments.

Raising from the handler would be quicker by a moment and is not reliable: Python
drops an exception that happens to arise inside a garbage-collection callback, and JAX
has one.
"""

import os
import signal
from time import monotonic
from types import FrameType

# What a scheduler sends before the limit, what a user types, what SLURM can be told,
# what a terminal that is closed sends.
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGHUP)


class Interrupted(Exception):
    """The run was asked to stop; what it had saved is intact."""


class Interruption:
    """`with Interruption() as stop:` then poll `stop.requested`.

    max_hours: the time given, from now on; None is as long as it takes.
    """

    def __init__(self, max_hours: float | None = None):
        self._max_hours, self._started = max_hours, monotonic()
        self._signal: str | None = None
        self._previous: dict[signal.Signals, object] = {}

    def __enter__(self) -> "Interruption":
        for number in SIGNALS:
            if signal.getsignal(number) == signal.SIG_IGN:
                continue  # as nohup wishes
            self._previous[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    @property
    def requested(self) -> str | None:
        """Who asked for an end: a signal's name, the flag, or nobody."""
        hours = (monotonic() - self._started) / 3600
        if self._max_hours is not None and hours >= self._max_hours:
            return self._signal or f"--max_hours={self._max_hours:g}"
        return self._signal

    def _note(self, number: int, frame: FrameType | None) -> None:
        del frame
        name = signal.Signals(number).name
        if self._signal == name == "SIGINT":
            raise KeyboardInterrupt  # the second Ctrl-C means now
        self._signal = name
        # print() is not reentrant; a signal may arrive inside one.
        os.write(2, f"\n{name}: stopping at the next safe moment\n".encode())

    def poll(self) -> None:
        """Raise `Interrupted` where everything worth keeping is saved."""
        if self.requested:
            raise Interrupted(self.requested)
