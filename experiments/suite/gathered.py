"""Results of runs from several machines, in one committed file."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any

Row = dict[str, Any]


def with_committed(
    fresh: Sequence[Row], committed: Sequence[Row], key: Callable[[Row], Hashable]
) -> list[Row]:
    """Fresh rows, behind committed ones whose runs are not among them.

    A machine that trains one run more has no folders of the others, and their results
    must not get lost.

    Args:
        fresh: what this machine has.
        committed: what the file holds.
        key: what tells runs apart.
    """
    new = {key(row) for row in fresh}
    return [*(row for row in committed if key(row) not in new), *fresh]
