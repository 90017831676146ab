"""What the paper claims, judged by its own recipes at their own length.

A claim is judged once every training that it speaks of is finished, or was cut off so
late that it has a test error all the same (`as_printed.SETTLED`); then it says so.
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from experiments.paper import printed
from experiments.paper.artifact import Claim, factor, verdict
from experiments.paper.as_printed import EPOCHS

NEAR = 1.3  # times the printed error still is the printed error
Row = Mapping[str, Any]  # of a training, see `as_printed.how_far`
Found = tuple[str, bool, bool]  # what is found, whether it holds, whether it is better

FORCING = "Reaction-diffusion, forcing"
FROM_5 = "Reaction-diffusion, initial condition, 5 to 0.5"
TASK_A = "reaction-diffusion from an initial condition, l = 5 to 0.5,"
TASK_B = "reaction-diffusion under a forcing"


@dataclasses.dataclass(frozen=True)
class Judged:
    """A sentence of the paper and what judges it.

    Args:
        sentence: with the paper's figures.
        trainings: names of all that it takes.
        judge: the errors of these trainings, in their order -> what is found.
    """

    sentence: str
    trainings: Sequence[str]
    judge: Callable[[Sequence[float]], Found]


def as_low_as(target: float) -> Callable[[Sequence[float]], Found]:
    """Whether an error comes within 30 % of the printed one, or below it."""

    def judge(errors: Sequence[float]) -> Found:
        (error,) = errors
        return f"{error:.2e}", error <= NEAR * target, error < target

    return judge


def second_is_lower(errors: Sequence[float]) -> Found:
    first, second = errors
    return factor(first, second), second < first, False


def in_this_order(errors: Sequence[float]) -> Found:
    """Whether errors of as many seeds of each network rise from one to the next."""
    by_network = np.reshape(errors, (len(printed.BACKBONES), -1)).mean(1)
    rising = bool(np.all(np.diff(by_network) > 0))
    each = zip(printed.BACKBONES, by_network, strict=True)
    found = ", ".join(f"{name} {error:.2e}" for name, error in each)
    return found, rising, rising and by_network[0] < printed.BACKBONES["ALNO"]


def backbones(batch: int, seeds: Sequence[int]) -> list[str]:
    """Names of the trainings on 200 labels, by network and seed."""
    return [
        f"Burgers, 200 labels alone, {name}, batches of {batch}"
        + (f", seed {seed}" if seed else "")
        for name in printed.BACKBONES
        for seed in seeds
    ]


def _reaches(what: str, training: str, target: float) -> Judged:
    sentence = f"{what} has an error of {printed.short(target, 2)}."
    return Judged(sentence, [training], as_low_as(target))


def _all() -> list[Judged]:
    few, from_5 = printed.FEW_LABELS, printed.RD_IC_5_TO_HALF
    tcw = f"paper {printed.short(printed.NO_TCW_MEAN, 2)} without"
    order = "On 200 labels of Burgers' equation ALNO < FNO < LNO"
    alone = "25 labels alone"
    judged = [
        _reaches("PILNO on Burgers' equation", "Burgers", few["burgers"].pilno),
        _reaches(
            f"ALNO on {alone} of Burgers' equation",
            f"Burgers, {alone}",
            few["burgers"].baseline,
        ),
        Judged(
            "On Burgers' equation PILNO beats labels alone.",
            [f"Burgers, {alone}", "Burgers"],
            second_is_lower,
        ),
        Judged(
            "Weights in time (TCW) lower the error on Burgers' equation.",
            ["Burgers, no TCW", "Burgers"],
            second_is_lower,
        ),
        _reaches(f"PILNO on {TASK_A}", FROM_5, from_5.pilno),
        _reaches(f"ALNO on {alone} of {TASK_A}", f"{FROM_5}, {alone}", from_5.baseline),
        Judged(
            f"On {TASK_A} PILNO beats labels alone.",
            [f"{FROM_5}, {alone}", FROM_5],
            second_is_lower,
        ),
        _reaches(f"PILNO on {TASK_B}", FORCING, few["rd_forcing"].pilno),
        _reaches(
            f"ALNO on {alone} of {TASK_B}",
            f"{FORCING}, {alone}",
            few["rd_forcing"].baseline,
        ),
        Judged(
            f"On {TASK_B} PILNO beats labels alone.",
            [f"{FORCING}, {alone}", FORCING],
            second_is_lower,
        ),
        Judged(
            f"Weights in time (TCW) lower the error on {TASK_B} ({tcw}).",
            [f"{FORCING}, no TCW", FORCING],
            second_is_lower,
        ),
    ]
    for batch, seeds in ((20, (0, 1, 2)), (3, (0,))):
        told = f"{len(seeds)} seed{'s' if len(seeds) > 1 else ''}"
        sentence = f"{order} (batches of {batch}, {told})."
        judged.append(Judged(sentence, backbones(batch, seeds), in_this_order))
    return judged


def claims(rows: Sequence[Row]) -> list[Claim]:
    """Those that can be judged.

    Args:
        rows: of trainings, finished or not.
    """
    errors = _errors(rows)
    cut = {row["name"]: row["epochs"] for row in rows if not row["finished"]}
    found = []
    for one in _all():
        if errors.keys() >= set(one.trainings):
            text, holds, better = one.judge([errors[name] for name in one.trainings])
            after = [f"{cut[name]:.0f}" for name in one.trainings if name in cut]
            if after:
                text += f", after {' and '.join(after)} of {EPOCHS} epochs"
            found.append(Claim(one.sentence, text, verdict(holds, better)))
    return found


def not_tested(rows: Sequence[Row]) -> list[str]:
    """Sentences that want for a training."""
    errors = _errors(rows)
    return [one.sentence for one in _all() if not errors.keys() >= set(one.trainings)]


def _errors(rows: Sequence[Row]) -> dict[str, float]:
    return {row["name"]: row["error"] for row in rows if row["error"] is not None}
