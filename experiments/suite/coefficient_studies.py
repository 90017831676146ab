"""Which operators of a coefficient are held against operators of one value of it."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from experiments.paper.baselines import LABELS, LABELS_ONLY, PILNO
from experiments.suite.registry import fields_of
from experiments.suite.run_spec import RunSpec


@dataclasses.dataclass(frozen=True)
class Study:
    """A recipe with a law of a coefficient, and the recipe of one value of it.

    Args:
        config: the name of a file in configs/.
        recipe: whose problem has the law.
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
    def law(self) -> tuple[float, float]:
        low, high, *_ = fields_of(self.config, self.recipe)[f"problem.{self.option}"]
        return low, high

    @property
    def tested(self) -> tuple[float, ...]:
        return tuple(fields_of(self.config, self.recipe)["evaluation.over"])

    def runs(self) -> dict[str, dict[str, RunSpec]]:
        """Variant -> what an operator was trained at -> its run."""
        low, high = self.law
        trained: dict[str, Any] = {f"{low:g} to {high:g}": None}
        trained |= {f"{value:g}": value for value in self.fixed}
        return {
            variant: {
                name: RunSpec(self.config, self.recipe).but(
                    {**changes, **({f"problem.{self.option}": at} if at else {})}
                )
                for name, at in trained.items()
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
    "rd-diffusivity": Study("rd_ic", "coefficients", "diffusivity", "$D$", alone=False),
}
