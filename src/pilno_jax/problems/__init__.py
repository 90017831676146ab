"""The benchmark problems, each a factory of a `Problem` record."""

from collections.abc import Callable
from typing import Any

from pilno_jax.checks import require_choice
from pilno_jax.problems.base import Inputs, Problem
from pilno_jax.problems.burgers import burgers
from pilno_jax.problems.darcy import darcy
from pilno_jax.problems.darcy import inputs_from as darcy_inputs
from pilno_jax.problems.diffusion import diffusion
from pilno_jax.problems.forced_kdv import forced_kdv
from pilno_jax.problems.navier_stokes import navier_stokes
from pilno_jax.problems.reaction_diffusion import reaction_diffusion

__all__ = [
    "FACTORIES",
    "Inputs",
    "Problem",
    "burgers",
    "darcy",
    "darcy_inputs",
    "diffusion",
    "forced_kdv",
    "make",
    "navier_stokes",
    "reaction_diffusion",
]

FACTORIES: dict[str, Callable[..., Problem]] = {
    "burgers": burgers,
    "darcy": darcy,
    "diffusion": diffusion,
    "forced_kdv": forced_kdv,
    "navier_stokes": navier_stokes,
    "reaction_diffusion": reaction_diffusion,
}


def make(name: str, **options: Any) -> Problem:
    """The problem of that name: `make("burgers", viscosity=0.02)`."""
    require_choice("problem name", name, sorted(FACTORIES))
    return FACTORIES[name](**options)
