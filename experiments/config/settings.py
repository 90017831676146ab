"""Fields of a config: default, meaning and range are declared in one place.

    steps: int = setting(4000, "Optimiser steps in all.", ABOVE_ZERO)

in a `Section`, and every `Section` checks its fields when it is made.
"""

import dataclasses
import re
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, Self, TypeVar

import numpy as np

from pilno_jax.checks import ArgumentError, require

T = TypeVar("T")
LARGEST = float(np.finfo(np.float32).max)  # beyond it a number becomes infinite


@dataclasses.dataclass(frozen=True)
class Range:
    """What a field may hold.

    Args:
        holds: value -> whether it is allowed.
        words: the same for people, to be read after "expected".
        choices: the values, where they are few.
    """

    holds: Callable[[Any], bool]
    words: str
    choices: tuple[Any, ...] = ()


ABOVE_ZERO = Range(lambda value: value > 0, "a number above 0")
ABOVE_ONE = Range(lambda value: value > 1, "a number above 1")
NOT_NEGATIVE = Range(lambda value: value >= 0, "a number >= 0")
SEED = Range(lambda value: 0 <= value < 2**32, "a number from 0 to 2^32 - 1")
FRACTION = Range(lambda value: 0 < value <= 1, "(0, 1]")
BELOW_ONE = Range(lambda value: 0 <= value < 1, "[0, 1)")
PART_OF_A_PATH = Range(
    lambda value: bool(re.fullmatch(r"[\w.-]+", value)), "letters, digits, _, . and -"
)


def one_of(choices: Iterable[Any]) -> Range:
    """One of the choices, which the error line lists in this order."""
    listed = list(choices)
    return Range(lambda value: value in listed, f"one of {listed}", tuple(listed))


def setting(default: T, meaning: str, allowed: Range | None = None) -> T:
    """A field of a `Section`.

    Args:
        default: its value where no config sets it.
        meaning: one sentence, shown by --print_config.
        allowed: its range; without one, the type alone is checked. A field that is
            not set (None) needs no range.
    """
    metadata = {"meaning": meaning, "allowed": allowed}
    return dataclasses.field(default=default, metadata=metadata)  # pyright: ignore


def section(kind: Callable[[], T], meaning: str) -> T:
    """A field of a `Section` that is a section itself, by default one of defaults."""
    metadata = {"meaning": meaning}
    return dataclasses.field(default_factory=kind, metadata=metadata)  # pyright: ignore


@dataclasses.dataclass(frozen=True)
class Section:
    """Fields that are checked together when the section is made.

    `section_name` is what flags and errors call it: "train" for `train.steps`.
    """

    section_name: ClassVar[str] = ""

    def __post_init__(self) -> None:
        for field, kind in typed_fields(type(self)):
            value = getattr(self, field.name)
            path = self.path(field.name)
            if is_section(kind):
                require(isinstance(value, kind), path, value, f"a {kind.__name__}")
                continue
            value = of_kind(path, value, kind)
            object.__setattr__(self, field.name, value)
            allowed: Range | None = field.metadata["allowed"]
            if allowed and value is not None:
                require(allowed.holds(value), path, value, allowed.words)

    @classmethod
    def path(cls, field: str) -> str:
        """The field as flags and errors name it."""
        return f"{cls.section_name}.{field}" if cls.section_name else field

    def to_dict(self) -> dict[str, Any]:
        """Plain dicts of numbers, text and tuples, in the order of declaration."""
        values = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        return {
            name: value.to_dict() if isinstance(value, Section) else value
            for name, value in values.items()
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """The section that `to_dict` wrote; fields left out take their defaults."""
        require_mapping(cls.section_name or "the config", values)
        fields = typed_fields(cls)
        sections = {field.name: kind for field, kind in fields if is_section(kind)}
        known = {field.name: field for field, _ in fields}
        for name in values:
            require_known(cls.path(name), name, known)
        for name, field in known.items():
            no_default = field.default is field.default_factory is dataclasses.MISSING
            if no_default and name not in values:
                raise ArgumentError(f"{cls.path(name)} is missing from the config")
        return cls(
            **{
                name: sections[name].from_dict(value) if name in sections else value
                for name, value in values.items()
            }
        )


def is_section(kind: Any) -> bool:
    """Whether a field of that type is a section."""
    return isinstance(kind, type) and issubclass(kind, Section)


def typed_fields(kind: type) -> list[tuple[dataclasses.Field, Any]]:
    """The fields of a dataclass with their types."""
    hints = typing.get_type_hints(kind)
    return [(field, hints[field.name]) for field in dataclasses.fields(kind)]


def of_kind(path: str, value: Any, kind: Any) -> Any:
    """The value, if it is finite and of that type: an error names the field if not.

    A whole number will do where a fraction is asked for, a list where a tuple is.
    """
    kinds = kinds_of(kind)
    if value is None and type(None) in kinds:
        return None
    if isinstance(value, list):
        value = tuple(value)
    if type(value) is int and float in kinds and int not in kinds:
        value = float(value)
    fits = isinstance(value, tuple(kinds))
    if isinstance(value, bool):
        fits = bool in kinds or object in kinds
    wanted = sorted(one.__name__ for one in kinds - {type(None)})
    require(fits, path, value, f"a value of type {' or '.join(wanted)}")
    if isinstance(value, tuple):
        return _items_of_kind(path, value, kind)
    finite = not isinstance(value, float) or abs(value) <= LARGEST
    require(finite, path, value, "a finite number, in float32")
    return value


def _items_of_kind(path: str, values: tuple[Any, ...], kind: Any) -> tuple[Any, ...]:
    """Items as `tuple[float, ...]` or `tuple[float, float]` has them."""
    members = typing.get_args(kind) if _is_union(kind) else (kind,)
    kind = next((one for one in members if typing.get_origin(one) is tuple), kind)
    kinds = typing.get_args(kind)
    if not kinds or kinds[-1] is Ellipsis:
        kinds = (kinds or (object,))[:1] * len(values)
    require(len(values) == len(kinds), path, values, f"{len(kinds)} values")
    return tuple(
        of_kind(f"{path}[{index}]", item, item_kind)
        for index, (item, item_kind) in enumerate(zip(values, kinds, strict=True))
    )


def kinds_of(kind: Any) -> set[Any]:
    """The plain types of an annotation: those of `int | None` are int and NoneType."""
    members = typing.get_args(kind) if _is_union(kind) else (kind,)
    return {typing.get_origin(member) or member for member in members}


def _is_union(kind: Any) -> bool:
    return isinstance(kind, types.UnionType) or typing.get_origin(kind) is typing.Union


def require_mapping(path: str, value: Any) -> None:
    require(isinstance(value, Mapping), path, value, "fields and their values")


def require_known(
    path: str, name: str, known: Iterable[str], whole: str = "the config"
) -> None:
    """A config, or a section of it, has a field of that name."""
    if name not in known:
        text = f"{path} is no field of {whole}"
        raise ArgumentError(f"{text}: expected one of {sorted(known)}")
