"""What decorators give the factories of problems: other grids, shared labels."""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

from pilno_jax.checks import require
from pilno_jax.numerics.grids import Grid
from pilno_jax.problems.base import Problem

Factory = Callable[..., Problem]


def resizable(*size_names: str) -> Callable[[Factory], Factory]:
    """Give the problems of a keyword-only factory their `on`.

    Args:
        size_names: the factory's arguments for the point counts of the grid's axes, in
            their order. Another grid is the same call with other counts; axes that
            share an argument have equal counts.
    """

    def decorate(factory: Factory) -> Factory:
        @functools.wraps(factory)
        def build(**options: Any) -> Problem:
            def rebuild(grid: Grid) -> Problem:
                sizes: dict[str, int] = {}
                for name, count in zip(size_names, grid.shape, strict=True):
                    equal = sizes.setdefault(name, count) == count
                    require(equal, "grid shape", grid.shape, "a square grid")
                return build(**options | sizes)

            return dataclasses.replace(factory(**options), rebuild=rebuild)

        return build

    return decorate


def labels_ignore(*names: str) -> Callable[[Factory], Factory]:
    """State which options of a factory change neither its samples nor their solutions.

    Args:
        names: options that speak to the network and its training alone. Runs that
            differ in nothing else share one labelled set (`problems.label_options`).
    """

    def decorate(factory: Factory) -> Factory:
        factory.labels_ignore = names  # type: ignore[attr-defined]
        return factory

    return decorate
