"""How much work an artifact is given: as in the paper, or what two cores can do."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from experiments.suite.registry import fields_of
from experiments.suite.run_spec import RunSpec

Changes = Mapping[str, Any]

LENGTH_SCALES = tuple(round(0.5 * k, 1) for k in range(1, 11))


@dataclasses.dataclass(frozen=True)
class Protocol:
    """A recipe, its seeds, and the share of its steps that each run takes.

    main_seeds hold for the main table, whose runs are the recipes themselves;
    ablation_share for the many runs that undo one part of a recipe; most_steps for
    rivals that count in epochs; trained_lengths are the length scales that heat maps
    train at.
    """

    name: str
    recipe: str
    seeds: tuple[int, ...]
    share: float
    ablation_share: float
    most_steps: int | None
    main_seeds: tuple[int, ...]
    trained_lengths: tuple[float, ...]

    def run(
        self, config: str, changes: Changes | None = None, seed: int = 0
    ) -> RunSpec:
        """A run of the recipe, at this protocol's share of its steps."""
        recipe = fields_of(config, self.recipe)
        wanted: dict[str, Any] = {"seed": seed}
        if self.share < 1:
            every = recipe["train.log_every"]
            intervals = max(round(self.share * recipe["train.steps"] / every), 1)
            wanted["train.steps"] = intervals * every
        wanted |= changes or {}
        if self.most_steps and changes and "train.steps" in changes:
            wanted["train.steps"] = min(changes["train.steps"], self.most_steps)
        # What the recipe says anyway is no change: the same run has one name.
        changed = {k: v for k, v in wanted.items() if _plain(v) != recipe[k]}
        return RunSpec(config, self.recipe).but(changed)

    def full_run(
        self, config: str, changes: Changes | None = None, seed: int = 0
    ) -> RunSpec:
        """A run of the recipe as it stands in its config file."""
        whole = dataclasses.replace(self, share=1.0, most_steps=None)
        return whole.run(config, changes, seed)

    def at(self, share: float) -> "Protocol":
        """The same, with runs of another length."""
        return dataclasses.replace(self, share=share)

    def describe(self) -> str:
        seeds = f"{len(self.seeds)} seed{'s' if len(self.seeds) > 1 else ''}"
        length = "all steps"
        if self.share < 1:
            length = f"{self.share:.0%} of the steps ({self.ablation_share:.0%} in "
            length += f"ablations, at most {self.most_steps} where epochs are counted)"
        return (
            f"protocol `{self.name}`: {length} of the `{self.recipe}` recipe, "
            f"{seeds} ({len(self.main_seeds)} in the main table), heat maps trained at "
            f"{len(self.trained_lengths)} of the ten length scales"
        )


PROTOCOLS = {
    "paper": Protocol(
        name="paper",
        recipe="paper",
        seeds=(0, 1, 2, 3, 4),
        share=1.0,
        ablation_share=1.0,
        most_steps=None,
        main_seeds=(0, 1, 2, 3, 4),
        trained_lengths=LENGTH_SCALES,
    ),
    "cpu": Protocol(
        name="cpu",
        recipe="fast",
        seeds=(0,),
        share=0.2,
        ablation_share=0.1,
        most_steps=1000,
        main_seeds=(0, 1, 2),
        trained_lengths=(0.5, 1.0, 2.0, 5.0),
    ),
}


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
