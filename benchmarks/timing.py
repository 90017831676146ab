"""The loop that times everything in this folder.

Calls that are to be compared take turns, so that all of them meet the same noise of the
machine, after a round that compiles, plans and fills caches. The clock stops when the
result is there, not when it is promised. Read ratios within one run.

Only the standard library is imported here: `peer_step_time` runs where JAX is not.
"""

import dataclasses
import statistics
import time
from collections.abc import Callable, Hashable, Mapping
from typing import Any, TypeVar

Call = Callable[[], Any]
Name = TypeVar("Name", bound=Hashable)


@dataclasses.dataclass(frozen=True)
class Times:
    """Seconds of every repeat of one call.

    Attributes:
        wall: by the clock on the wall.
        processor: summed over the cores; depends little on who else uses the machine.
    """

    wall: tuple[float, ...]
    processor: tuple[float, ...]

    @property
    def fastest(self) -> float:
        """The repeat that was disturbed least, by the wall clock."""
        return min(self.wall)

    @property
    def fastest_processor(self) -> float:
        return min(self.processor)

    @property
    def median(self) -> float:
        """A typical repeat, by the wall clock."""
        return statistics.median(self.wall)


def interleaved(
    calls: Mapping[Name, Call], repeats: int, wait: Callable[[Any], Any] | None = None
) -> dict[Name, Times]:
    """Time every call `repeats` times, in turns.

    Args:
        calls: what is timed, without arguments, by name.
        repeats: rounds that count; one more comes before them and does not.
        wait: returns when the result of a call is complete. The default is
            `jax.block_until_ready`; a library that computes at once needs none of it
            and passes a function that does nothing.

    Returns:
        The times of each call, by its name.
    """
    if repeats < 1:
        raise ValueError(f"repeats = {repeats}: expected at least 1")
    wait = wait or _block_until_ready
    for call in calls.values():
        wait(call())
    seconds: dict[Name, list[tuple[float, float]]] = {name: [] for name in calls}
    for _ in range(repeats):
        for name, call in calls.items():
            wall, processor = time.perf_counter(), time.process_time()
            wait(call())
            seconds[name].append(
                (time.perf_counter() - wall, time.process_time() - processor)
            )
    return {name: Times(*zip(*pairs, strict=True)) for name, pairs in seconds.items()}


def alone(call: Call, repeats: int) -> Times:
    """Time one call that is compared with nothing."""
    return interleaved({"": call}, repeats)[""]


def carrying(step: Callable[[Any], tuple[Any, Any]], state: Any) -> Call:
    """A call without arguments that feeds `step` the state it returned last.

    Args:
        step: state -> (next state, result); it may donate the state's buffers.
        state: what the first call starts from.
    """

    def call() -> Any:
        nonlocal state
        state, result = step(state)
        return state, result

    return call


def _block_until_ready(result: Any) -> Any:
    import jax

    return jax.block_until_ready(result)
