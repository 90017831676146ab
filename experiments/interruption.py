"""A signal ends the run at once, or, while training, after the steps in flight."""

import os
import signal
from types import FrameType

# What a scheduler sends before the limit, what a user types, what SLURM can be told.
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1)


class Interrupted(Exception):
    """The run was asked to stop; what it had saved is intact."""


class Interruption:
    """`with Interruption() as stop:` a signal raises `Interrupted` in the main thread.

    While `stop.deferred` there is something to save: the signal is only noted, in
    `stop.requested`, for the training loop to see at its next safe moment.
    """

    def __init__(self):
        self.requested: str | None = None
        self.deferred = False
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
        again = self.requested is not None
        self.requested = name
        if not self.deferred and not again:
            raise Interrupted(name)
        if again and name == "SIGINT":
            raise KeyboardInterrupt  # the second Ctrl-C means now
        # print() is not reentrant; a signal may arrive inside one.
        text = f"\n{name}: stopping after the current steps, with a checkpoint\n"
        os.write(2, text.encode())
