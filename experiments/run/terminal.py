"""One live line on a terminal, plain lines elsewhere."""

import os
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
        print(self._over(text), file=self._stream, flush=True)
        self._open = 0

    def update(self, text: str, plain: bool = True) -> None:
        """A line that the next one replaces, where the stream is a terminal.

        Elsewhere it is a line like any other, or, not `plain`, nothing at all.
        """
        if self._live:
            # A line that wraps cannot be rewritten.
            text = text[: max(self._columns() - 1, 20)]
            print(self._over(text), end="", file=self._stream, flush=True)
            self._open = len(text)
        elif plain:
            self.line(text)

    def _over(self, text: str) -> str:
        if not self._open:
            return text
        return f"\r{text}{' ' * max(self._open - len(text), 0)}"

    def _columns(self) -> int:
        try:
            # A terminal that does not know its size says 0.
            return os.get_terminal_size(self._stream.fileno()).columns or 80
        except OSError:
            return 80


class Pace:
    """Steps per second and time left, from the steps of this process alone."""

    def __init__(self, last_step: int):
        self._last = last_step
        self._first: tuple[int, float] | None = None
        self.seconds_left: float | None = None

    def describe(self, step: int) -> str:
        """The first call starts the clock: compilation does not count."""
        now = time.monotonic()
        if self._first is None:
            self._first = step, now
            return "first steps compiled"
        rate = (step - self._first[0]) / max(now - self._first[1], 1e-9)
        self.seconds_left = (self._last - step) / max(rate, 1e-9)
        return f"{rate:.1f} steps/s, {clock(self.seconds_left)} left"


def clock(seconds: float) -> str:
    minutes, seconds = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return (
        f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes}:{seconds:02d}"
    )


def about(seconds: float) -> str:
    """An expectation, no more exact than it can be."""
    if seconds < 90:
        return f"about {max(round(seconds), 1)} s"
    if seconds < 5400:
        return f"about {seconds / 60:.0f} min"
    return f"about {seconds / 3600:.1f} h"
