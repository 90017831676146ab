"""One live line on a terminal, plain lines elsewhere; signals become exceptions."""

import fcntl
import io
import os
import signal
import struct
import termios

import pytest

from experiments.run.interruption import SIGNALS, Interrupted, Interruption
from experiments.run.terminal import Console, Pace, about, clock


def on_a_terminal(columns, act):
    """What `act(console)` writes to a terminal of that width."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with os.fdopen(theirs, "w") as stream:
        act(Console(stream))
        print("|", end="", file=stream, flush=True)
        written = b""
        while not written.endswith(b"|"):  # a terminal hands over what it has so far
            written += os.read(ours, 10000)
    os.close(ours)
    return written[:-1].decode()


def some_lines(console):
    console.line("first")
    console.update("step 1 of many")
    console.update("step 2", plain=False)
    console.line("done")


def test_a_terminal_shows_one_line_that_changes():
    written = on_a_terminal(80, some_lines)
    # The shorter line blots out the rest of the longer one.
    assert written == "first\r\nstep 1 of many\rstep 2        \rdone  \r\n"


def test_a_live_line_never_wraps():
    written = on_a_terminal(30, lambda console: console.update("x" * 100))
    assert written == "x" * 29


def test_elsewhere_there_are_plain_lines():
    stream = io.StringIO()
    some_lines(Console(stream))
    assert stream.getvalue() == "first\nstep 1 of many\ndone\n"


def test_the_pace_does_not_count_what_came_before_its_first_call(monkeypatch):
    now = iter([100.0, 104.0, 108.0])
    monkeypatch.setattr("time.monotonic", lambda: next(now))
    pace = Pace(50)
    assert pace.describe(10) == "first steps compiled" and pace.seconds_left is None
    assert pace.describe(20) == "2.5 steps/s, 0:12 left"
    assert pace.describe(30) == "2.5 steps/s, 0:08 left"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.2, "about 1 s"),
        (80, "about 80 s"),
        (540, "about 9 min"),
        (9000, "about 2.5 h"),
    ],
)
def test_expectations_are_rough(seconds, text):
    assert about(seconds) == text


def test_clock():
    assert [clock(s) for s in (5, 65, 3725)] == ["0:05", "1:05", "1:02:05"]


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_is_noted_and_raised_where_it_is_safe(number, capfd):
    before = signal.getsignal(number)
    with Interruption() as stop:
        stop.poll()
        os.kill(os.getpid(), number)
        assert stop.requested == number.name
        assert "stopping at the next safe moment" in capfd.readouterr().err
        with pytest.raises(Interrupted, match=number.name):
            stop.poll()
    assert signal.getsignal(number) is before


def test_the_time_given_ends_like_a_signal(monkeypatch):
    now = [1000.0]
    monkeypatch.setattr("experiments.run.interruption.monotonic", lambda: now[0])
    with Interruption(max_hours=1.5) as stop, Interruption() as patient:
        now[0] += 1.5 * 3600 - 1
        stop.poll()
        now[0] += 1
        with pytest.raises(Interrupted, match="--max_hours=1.5"):
            stop.poll()
        patient.poll()


def test_the_second_interrupt_means_now():
    with Interruption():
        os.kill(os.getpid(), signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
