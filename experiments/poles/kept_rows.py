"""Rows of results/oscillators.json, to which several processes may add."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from experiments.pages import oscillators_page
from experiments.poles import measure, rivals
from pilno_jax.runs import files


def keep(row: measure.Row) -> None:
    """Put a row in the place of the one before it, in results and on the page."""
    order = list(rivals.entries())
    with one_at_a_time(oscillators_page.RESULTS.parent):
        rows = files.read_json(oscillators_page.RESULTS)
        others = [one for one in rows if measure.of_row(one) != measure.of_row(row)]
        known = [one for one in [*others, row] if measure.of_row(one) in order]
        known.sort(key=lambda one: order.index(measure.of_row(one)))
        files.write_json(oscillators_page.RESULTS, known)
        oscillators_page.write(known)


@contextlib.contextmanager
def one_at_a_time(folder: Path) -> Iterator[None]:
    """Wait until no other process is in here for the same folder."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)  # and with it the lock
