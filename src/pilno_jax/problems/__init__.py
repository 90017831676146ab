"""The benchmark problems, each a factory of a `Problem` record."""

from collections.abc import Callable, Mapping
from typing import Any

from pilno_jax.checks import require_choice
from pilno_jax.problems.base import InputField, Inputs, Problem
from pilno_jax.problems.brusselator import brusselator, brusselator_2d
from pilno_jax.problems.burgers import burgers
from pilno_jax.problems.darcy import darcy
from pilno_jax.problems.darcy import inputs_from as darcy_inputs
from pilno_jax.problems.diffusion import diffusion
from pilno_jax.problems.factories import labels_ignore, resizable
from pilno_jax.problems.forced_kdv import forced_kdv
from pilno_jax.problems.lorenz import lorenz
from pilno_jax.problems.navier_stokes import navier_stokes
from pilno_jax.problems.oscillators import duffing, pendulum
from pilno_jax.problems.own import is_own, made_by, own_factory
from pilno_jax.problems.reaction_diffusion import reaction_diffusion
from pilno_jax.problems.waves import beam, telegraph

__all__ = [
    "FACTORIES",
    "InputField",
    "Inputs",
    "Problem",
    "beam",
    "brusselator",
    "brusselator_2d",
    "burgers",
    "darcy",
    "darcy_inputs",
    "diffusion",
    "duffing",
    "factory_of",
    "forced_kdv",
    "label_options",
    "labels_ignore",
    "lorenz",
    "make",
    "navier_stokes",
    "pendulum",
    "reaction_diffusion",
    "resizable",
    "telegraph",
]

FACTORIES: dict[str, Callable[..., Problem]] = {
    "beam": beam,
    "brusselator": brusselator,
    "brusselator_2d": brusselator_2d,
    "burgers": burgers,
    "darcy": darcy,
    "diffusion": diffusion,
    "duffing": duffing,
    "forced_kdv": forced_kdv,
    "lorenz": lorenz,
    "navier_stokes": navier_stokes,
    "pendulum": pendulum,
    "reaction_diffusion": reaction_diffusion,
    "telegraph": telegraph,
}


def factory_of(name: str) -> Callable[..., Problem]:
    """What makes the problem of that name.

    Args:
        name: one of `FACTORIES`, or where one's own is: "my_pde:allen_cahn".
    """
    if is_own(name):
        return own_factory(name)
    require_choice("problem name", name, sorted(FACTORIES))
    return FACTORIES[name]


def make(name: str, **options: Any) -> Problem:
    """The problem of that name: `make("burgers", viscosity=0.02)`.

    Args:
        name: see `factory_of`.
        options: keyword arguments of that factory; each has its default there.
    """
    return made_by(factory_of(name), options)


def label_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """What of a problem's options its labelled data depend on.

    Args:
        options: those of `make`, its name included. A factory says by `labels_ignore`
            which of its options speak to the network alone.
    """
    ignored = getattr(factory_of(options["name"]), "labels_ignore", ())
    return {name: value for name, value in options.items() if name not in ignored}
