"""Which operators of a coefficient are held against operators of one value of it.

The size of boundary values is a coefficient of the law of inputs: there every operator
is of one size, and is tested at the others.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any

from experiments.paper.baselines import LABELS, LABELS_ONLY, PILNO
from experiments.suite.registry import fields_of
from experiments.suite.run_spec import RunSpec

BOUNDARY = "boundary_sigma"  # standard deviation of the data on the boundary


@dataclasses.dataclass(frozen=True)
class Study:
    """A recipe with a law of a coefficient, and the recipe of one value of it.

    Args:
        config: the name of a file in configs/.
        recipe: whose problem has the law, or one value among `fixed`.
        option: the coefficient that is varied; of a recipe with several laws, the
            others keep theirs in every run.
        symbol: of the coefficient, in figures.
        fixed: values that operators of one value are trained at.
        alone: whether the law is the only one, so that the default recipe is the
            operator of one value too.
    """

    config: str
    recipe: str
    option: str
    symbol: str
    fixed: tuple[float, ...] = ()
    alone: bool = True

    @property
    def law(self) -> tuple[float, float] | None:
        """From where to where the coefficient is drawn; None where it is one value."""
        own = self._own
        return None if isinstance(own, int | float) else (own[0], own[1])

    @property
    def _own(self) -> float | tuple[float, ...]:
        return fields_of(self.config, self.recipe)[f"problem.{self.option}"]

    @property
    def tested(self) -> tuple[float, ...]:
        return tuple(fields_of(self.config, self.recipe)["evaluation.over"])

    @property
    def trained(self) -> dict[str, dict[str, Any]]:
        """What an operator is trained at -> how its recipe differs."""
        at = {f"{v:g}": {f"problem.{self.option}": v} for v in self.fixed}
        if self.law is None:
            both = {**at, f"{self._own:g}": {}}
            return {name: both[name] for name in sorted(both, key=float)}
        low, high = self.law
        return {f"{low:g} to {high:g}": {}, **at}

    def runs(self) -> dict[str, dict[str, RunSpec]]:
        """Variant -> what an operator was trained at -> its run."""
        return {
            variant: {
                name: RunSpec(self.config, self.recipe).but({**changes, **own})
                for name, own in self.trained.items()
            }
            for variant, changes in {PILNO: {}, LABELS: LABELS_ONLY}.items()
        }


STUDIES: Mapping[str, Study] = {
    "burgers-viscosity": Study(
        "burgers", "viscosity", "viscosity", r"$\nu$", fixed=(0.005, 0.02, 0.05)
    ),
    "diffusion-diffusivity": Study(
        "diffusion", "diffusivity", "diffusivity", "$D$", fixed=(0.005, 0.02, 0.05)
    ),
    "diffusion-field": Study("diffusion", "field", "diffusivity", "$D$", alone=False),
    "rd-diffusivity": Study(
        "rd_ic",
        "coefficients",
        "diffusivity",
        "$D$",
        fixed=(0.005, 0.02, 0.05),
        alone=False,
    ),
    "rd-boundary-values": Study(
        "rd_forcing", "boundary", BOUNDARY, r"$\sigma$", fixed=(0.1, 0.4), alone=False
    ),
    "rd-boundary-slopes": Study(
        "rd_forcing", "slopes", BOUNDARY, r"$\sigma$", fixed=(0.1, 0.4), alone=False
    ),
    "darcy-boundary-values": Study(
        "darcy", "boundary", BOUNDARY, r"$\sigma$", fixed=(0.005, 0.02), alone=False
    ),
    "darcy-boundary-flux": Study(
        "darcy", "flux", BOUNDARY, r"$\sigma$", fixed=(0.1, 0.4), alone=False
    ),
}
