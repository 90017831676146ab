"""All operators that the page offers; one is compiled when it is first asked for."""

import threading
from collections.abc import Callable, Mapping
from typing import Any

from experiments.demo.answers import Answers
from pilno_jax import problems
from pilno_jax.runs.format import read_config
from pilno_jax.runs.loading import folder_of, load


class Shelf:
    """Answers of several operators, by name.

    Args:
        openers: name -> (title, a function that makes its `Answers`).
    """

    def __init__(self, openers: Mapping[str, tuple[str, Callable[[], Answers]]]):
        self._openers = dict(openers)
        self._opened: dict[str, Answers] = {}
        self._busy = threading.Lock()

    def names(self) -> list[str]:
        return list(self._openers)

    def listed(self) -> dict[str, Any]:
        """What the page offers, before anything is loaded."""
        titles = {name: title for name, (title, _) in self._openers.items()}
        return {"problems": [{"name": n, "title": t} for n, t in titles.items()]}

    def about(self, name: str) -> dict[str, Any]:
        with self._busy:
            return self._answers(name).about()

    def answer(self, name: str, question: Any) -> dict[str, Any]:
        with self._busy:  # times mean something, and memory is bounded
            return self._answers(name).answer(question)

    def _answers(self, name: str) -> Answers:
        if name not in self._opened:
            _, opened = self._openers[name]
            self._opened[name] = opened()
        return self._opened[name]


def shelf_of(workdirs: Mapping[str, str]) -> Shelf:
    """The runs in these folders, or shipped operators, by the names they get.

    Args:
        workdirs: name -> what `pilno_jax.load` takes.

    Raises:
        FileNotFoundError: There is no run in one of the folders.
    """
    openers = {}
    for name, workdir in workdirs.items():
        config = read_config(folder_of(workdir).path)
        title = problems.make(**config["problem"]).statement.title
        openers[name] = title or name, lambda workdir=workdir: Answers(load(workdir))
    return Shelf(openers)
