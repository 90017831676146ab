"""The signatures of Flax modules in the API reference, for griffe (see mkdocs.yml).

A Flax module is a dataclass that no decorator says to be one: without this, the
reference would show `ALNO()` and take the arguments its docstring explains for typos.
"""

from typing import Any

import griffe

MODULE = "flax.linen.Module"


class FlaxModules(griffe.Extension):
    """Gives every Flax module the `__init__` that Flax makes of its fields."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        for cls in classes(pkg):
            if is_module(cls) and "__init__" not in cls.members:
                keyword = griffe.ParameterKind.positional_or_keyword
                self_ = griffe.Parameter("self", kind=keyword)
                given = [
                    griffe.Parameter(
                        field.name,
                        annotation=field.annotation,
                        kind=keyword,
                        default=field.value,
                    )
                    for field in fields(cls).values()
                ]
                init = griffe.Function(
                    "__init__",
                    lineno=0,
                    endlineno=0,
                    parent=cls,
                    parameters=griffe.Parameters(self_, *given),
                    returns="None",
                )
                cls.set_member("__init__", init)


def classes(scope: Any) -> list[griffe.Class]:
    """All classes of a package, not those that its files import."""
    inside = [member for member in scope.members.values() if not member.is_alias]
    own = [member for member in inside if member.is_class]
    for member in inside:
        if member.is_module:
            own += classes(member)
    return own


def is_module(cls: griffe.Class) -> bool:
    """Whether a class is a Flax module, directly or through classes of the package."""
    bases = [base for base in cls.bases if isinstance(base, griffe.Expr)]
    direct = any(base.canonical_path == MODULE for base in bases)
    return direct or any(is_module(base) for base in cls.resolved_bases)


def fields(cls: griffe.Class) -> dict[str, griffe.Attribute]:
    """Annotated attributes, those of base classes first, as a dataclass has them."""
    gathered: dict[str, griffe.Attribute] = {}
    for base in cls.resolved_bases:
        gathered |= fields(base)
    for name, member in cls.members.items():
        if (
            member.is_attribute
            and member.annotation
            and "property" not in member.labels
        ):
            gathered[name] = member
    return gathered
