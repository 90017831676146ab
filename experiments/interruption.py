"""A signal becomes a flag that the training loop polls at safe moments."""

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
        name = signal.Signals(number).name
        if self.requested == name == "SIGINT":
            raise KeyboardInterrupt  # the second Ctrl-C means now
        self.requested = name
        text = f"\n{name}: stopping after the current steps, with a checkpoint\n"
        os.write(2, text.encode())

    def poll(self) -> None:
        """Raise `Interrupted` where there is nothing to save yet."""
        if self.requested:
            raise Interrupted(self.requested)
