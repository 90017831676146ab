"""The `problem` and `model` sections: every argument of what they name.

A problem's arguments are its factory's, a model's the fields of its module. So each
can be set from the command line: --config.problem.viscosity=0.02.
"""

import dataclasses
import inspect
import re
import types
import typing
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Self

from experiments.config.settings import (
    Section,
    kinds_of,
    of_kind,
    require_known,
    require_mapping,
)
from pilno_jax import models, problems
from pilno_jax.checks import ArgumentError, require_choice
from pilno_jax.problems import own
from pilno_jax.problems.coefficients import FieldLaw, Law

REQUIRED = inspect.Parameter.empty
# A size that may be one number or one for each axis is, in a config, always the
# latter: a config field has but one type. Most problems have two axes.
NUM_AXES = 2


@dataclasses.dataclass(frozen=True)
class Argument:
    """An argument of a problem or model.

    Args:
        default: its value where no config sets it, `REQUIRED` if it has none.
        kind: the type that values must have.
        meaning: what the docstring says of it, or nothing.
    """

    default: Any
    kind: Any
    meaning: str


@dataclasses.dataclass(frozen=True)
class Named(Section):
    """A name, and a value for every argument of what it names.

    Args:
        name: what `pilno_jax.problems.factory_of` or `pilno_jax.models.make` knows.
        options: values that differ from the defaults; completed and made immutable.
    """

    name: str
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        arguments = self.arguments(self.name)
        whole = f"{self.section_name} {self.name!r}"
        for name in self.options:
            require_known(self.path(name), name, {"name", *arguments}, whole)
        options = {name: argument.default for name, argument in arguments.items()}
        options |= self.options
        for name, value in options.items():
            if value is REQUIRED:
                text = f"{self.path(name)} has no default: the config must set it"
                raise ArgumentError(text)
            options[name] = of_kind(self.path(name), value, arguments[name].kind)
        object.__setattr__(self, "options", types.MappingProxyType(options))

    @classmethod
    def arguments(cls, name: str) -> dict[str, Argument]:
        """What the problem or model of that name takes."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.name, **self.options}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        require_mapping(cls.section_name, values)
        if "name" not in values:
            raise ArgumentError(f"{cls.path('name')} is missing from the config")
        options = {name: value for name, value in values.items() if name != "name"}
        return cls(values["name"], options)


class ProblemSection(Named):
    """A problem: its equation, grid and laws of inputs."""

    section_name: ClassVar[str] = "problem"

    @classmethod
    def arguments(cls, name: str) -> dict[str, Argument]:
        if not (isinstance(name, str) and own.is_own(name)):
            require_choice(cls.path("name"), name, sorted(problems.FACTORIES))
        factory = problems.factory_of(name)
        parameters = inspect.signature(factory, eval_str=True).parameters
        meanings = meanings_in([factory.__doc__], parameters)
        return {
            name: _argument(parameter.default, parameter.annotation, meanings[name])
            for name, parameter in parameters.items()
        }


class ModelSection(Named):
    """A network and its sizes."""

    section_name: ClassVar[str] = "model"

    @classmethod
    def arguments(cls, name: str) -> dict[str, Argument]:
        require_choice(cls.path("name"), name, sorted(models.MODELS))
        module = models.MODELS[name]
        fields = {
            field.name: field
            for field in dataclasses.fields(module)
            if field.init and field.name not in ("parent", "name")
        }
        documents = [vars(base).get("__doc__") for base in module.__mro__]
        meanings = meanings_in(documents, fields)
        arguments = {}
        for name, field in fields.items():
            default = field.default
            if default is dataclasses.MISSING:
                default = REQUIRED
            elif Sequence in kinds_of(field.type):
                default = (default,) * NUM_AXES
            arguments[name] = _argument(default, field.type, meanings[name])
        return arguments

    @classmethod
    def settled(cls, values: Mapping[str, Any]) -> Self:
        """The section of the model that `values` name, whosever the others are.

        Fields that the named model has too keep their values, others are left out.
        """
        taken = {"name", *cls.arguments(values["name"])}
        return cls.from_dict({k: v for k, v in values.items() if k in taken})


def problem(name: str | own.Factory, **options: Any) -> ProblemSection:
    """The section of a problem: `problem("burgers", viscosity=0.02)`.

    Args:
        name: of a problem of the package; where one's own is, as in
            "my_pde:allen_cahn"; or its factory itself, from a file.
        options: arguments of the factory that differ from their defaults.
    """
    return ProblemSection(own.name_of(name) if callable(name) else name, options)


def model(name: str, **options: Any) -> ModelSection:
    """The section of a model: `model("alno", width=32)`."""
    return ModelSection(name, options)


def _argument(default: Any, annotation: Any, meaning: str) -> Argument:
    """A value has the type of the default; the annotation tells where there is none,
    and where a number may be a law as well (`problems.coefficients`)."""
    if annotation in (Law, FieldLaw):
        kind = annotation
    elif default is None or default is REQUIRED:
        kind = object if annotation is REQUIRED else annotation
    elif not isinstance(default, tuple):
        kind = type(default)
    elif typing.get_origin(annotation) is tuple:
        kind = annotation
    else:
        kind = tuple[type(default[0]), ...] if default else tuple
    return Argument(default, kind, meaning)


ENTRY = re.compile(r"( *)(\w+)(?: \([^)]*\))?: +(\S.*)")


def meanings_in(
    docstrings: Iterable[str | None], names: Iterable[str]
) -> dict[str, str]:
    """What docstrings say about each name in entries `name: text`.

    An entry goes on in the lines below it that are indented further.
    """
    meanings = dict.fromkeys(names, "")
    for docstring in docstrings:
        name, indent = "", 0
        for line in (docstring or "").splitlines():
            start = ENTRY.fullmatch(line)
            if start and start[2] in meanings and not meanings[start[2]]:
                name, indent = start[2], len(start[1])
                meanings[name] = start[3].strip()
            elif name and line.strip() and len(line) - len(line.lstrip()) > indent:
                meanings[name] += f" {line.strip()}"
            else:
                name = ""
    return meanings
