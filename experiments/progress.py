"""One live line on a terminal, plain lines elsewhere."""

import sys
import time
from typing import TextIO


class Console:
    """Prints lines, and one line that is rewritten while something runs."""

    def __init__(self, stream: TextIO | None = None):
        self._stream = stream or sys.stdout
        self._live = self._stream.isatty()
        self._open = 0

    def line(self, text: str) -> None:
        """A line that stays."""
        padding = " " * max(self._open - len(text), 0)
        start = "\r" if self._open else ""
        print(f"{start}{text}{padding}", file=self._stream, flush=True)
        self._open = 0

    def update(self, text: str) -> None:
        """A line that the next one replaces, where the stream is a terminal."""
        if not self._live:
            self.line(text)
            return
        padding = " " * max(self._open - len(text), 0)
        print(f"\r{text}{padding}", end="", file=self._stream, flush=True)
        self._open = len(text)


class Pace:
    """Steps per second and time left, from the steps of this process alone."""

    def __init__(self, first_step: int, last_step: int):
        self._first, self._last = first_step, last_step
        self._start: float | None = None

    def describe(self, step: int) -> str:
        """The first call starts the clock: compilation does not count."""
        now = time.monotonic()
        if self._start is None:
            self._start, self._first = now, step
            return "first steps compiled"
        rate = (step - self._first) / max(now - self._start, 1e-9)
        left = (self._last - step) / max(rate, 1e-9)
        return f"{rate:.1f} steps/s, {clock(left)} left"


def clock(seconds: float) -> str:
    minutes, seconds = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes}:{seconds:02d}"
