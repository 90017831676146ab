"""What the paper claims, judged by its own recipes at their own length.

A claim is judged once every training that it speaks of is finished, or was cut off so
late that it has a test error all the same (`as_printed_rows.SETTLED`); then it says so.
"""

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from experiments.paper import burgers_backbones, causality, cost, printed
from experiments.paper.artifact import Claim, factor, verdict
from experiments.paper.as_printed import EPOCHS, ONE_BATCH_SMALL
from experiments.paper.causality import GAIN
from experiments.paper.printed_reasons import SMALL

NEAR = 1.3  # times the printed error still is the printed error
Row = Mapping[str, Any]  # of a training, see `as_printed_rows.how_far`
ERROR, DEVIATION = "error", "deviation"  # over the test cases, in a row
Found = tuple[str, bool, bool]  # what is found, whether it holds, whether it is better
Judge = Callable[[Sequence[Row]], Found]

FORCING = "Reaction-diffusion, forcing"
FROM_5 = "Reaction-diffusion, initial condition, 5 to 0.5"
DIFFUSION = "Diffusion"
ALONE = "25 labels alone"
ON_200_LABELS = "Burgers, 200 labels alone"
TASK_A = "reaction-diffusion from an initial condition, l = 5 to 0.5,"
TASK_B = "reaction-diffusion under a forcing"


@dataclasses.dataclass(frozen=True)
class Judged:
    """A sentence of the paper and what judges it.

    Args:
        sentence: with the paper's figures.
        trainings: names of all that it takes.
        judge: the rows of these trainings, in their order -> what is found.
        again: sentences of the artifacts that our recipes were judged by, which this
            judges once more.
        needs: what a row has to know for it. Default: its error.
    """

    sentence: str
    trainings: Sequence[str]
    judge: Judge
    again: Sequence[str] = ()
    needs: str = ERROR

    def rows(self, known: Sequence[Row]) -> list[Row] | None:
        """Those that it takes; None if one is missing."""
        able = {one["name"]: one for one in known if one.get(self.needs) is not None}
        found = [able[name] for name in self.trainings if name in able]
        return found if len(found) == len(self.trainings) else None


def errors_of(rows: Sequence[Row]) -> list[float]:
    return [row[ERROR] for row in rows]


def as_low_as(target: float) -> Judge:
    """Whether an error comes within 30 % of the printed one, or below it."""

    def judge(rows: Sequence[Row]) -> Found:
        (error,) = errors_of(rows)
        return f"{error:.2e}", error <= NEAR * target, error < target

    return judge


def second_is_lower(rows: Sequence[Row]) -> Found:
    """By more than what is within the noise of a seed."""
    first, second = errors_of(rows)
    return factor(first, second), second < GAIN * first, False


def second_is_steadier(rows: Sequence[Row]) -> Found:
    """Whether error and deviation over the test cases both are lower."""
    first, second = errors_of(rows)
    before, after = (row[DEVIATION] for row in rows)
    found = f"mean {first:.2e} to {second:.2e}, spread {before:.1e} to {after:.1e}"
    return found, second < GAIN * first and after < before, False


def second_is_faster(rows: Sequence[Row]) -> Found:
    """Whether it takes fewer epochs to twice the first one's last validation error."""
    first, second = (row["curve"] for row in rows)
    level = 2 * first[-1][1]
    without, weighted = (_first_below(level, curve) for curve in (first, second))
    ever = f"after {weighted:.0f} epochs" if np.isfinite(weighted) else "never"
    found = f"below {level:.1e} {ever} with it, after {without:.0f} without"
    return found, weighted < GAIN * without, False


def _first_below(level: float, curve: Sequence[Sequence[float]]) -> float:
    return next((epoch for epoch, error in curve if error < level), np.inf)


def in_this_order(rows: Sequence[Row]) -> Found:
    """Whether errors of as many seeds of each network rise from one to the next."""
    means = _over_seeds(rows, ERROR)
    rising = list(means.values()) == sorted(means.values())
    return _each(means), rising, rising and means["ALNO"] < printed.BACKBONES["ALNO"]


def transient_branch_pays(rows: Sequence[Row]) -> Found:
    """Whether ALNO's error is below FNO's, by more than the noise of a seed."""
    alno, fno = np.reshape(errors_of(rows), (2, -1)).mean(1)
    found = f"FNO's error over ALNO's: {fno / alno:.2f}"
    return found, alno < GAIN * fno, False


def first_spreads_least(rows: Sequence[Row]) -> Found:
    deviations = _over_seeds(rows, DEVIATION)
    least = deviations["ALNO"] == min(deviations.values())
    return _each(deviations), least, False


def _over_seeds(rows: Sequence[Row], what: str) -> dict[str, float]:
    """Means by network, of as many seeds of each."""
    values = np.reshape([row[what] for row in rows], (len(printed.BACKBONES), -1))
    return dict(zip(printed.BACKBONES, values.mean(1).tolist(), strict=True))


def _each(values: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {value:.2e}" for name, value in values.items())


def backbones(batch: int, seeds: Sequence[int], start: str = "") -> list[str]:
    """Names of the trainings on 200 labels, by network and seed."""
    return [
        ", ".join(filter(None, [ON_200_LABELS, name, start, f"batches of {batch}"]))
        + (f", seed {seed}" if seed else "")
        for name in printed.BACKBONES
        for seed in seeds
    ]


def _reaches(what: str, training: str, target: float) -> Judged:
    sentence = f"{what} has an error of {printed.short(target, 2)}."
    return Judged(sentence, [training], as_low_as(target))


def _baseline_reaches(what: str, training: str, target: float) -> list[Judged]:
    """By either reading of what the paper leaves open for labels alone."""
    name = f"{training}, {ALONE}"
    return [
        _reaches(f"ALNO on {ALONE} of {what}", name, target),
        _reaches(
            f"ALNO on {ALONE} of {what} ({ONE_BATCH_SMALL})",
            f"{name}, {ONE_BATCH_SMALL}",
            target,
        ),
    ]


def _beats_labels(what: str, training: str) -> Judged:
    """Of a training with the equation, whose name begins that of labels alone."""
    return Judged(
        f"On {what} PILNO beats labels alone.",
        [f"{training}, {ALONE}", training],
        second_is_lower,
    )


def _all() -> list[Judged]:
    few, from_5 = printed.FEW_LABELS, printed.RD_IC_5_TO_HALF
    tcw = f"paper {printed.short(printed.NO_TCW_MEAN, 2)} without"
    judged = [
        _reaches("PILNO on Burgers' equation", "Burgers", few["burgers"].pilno),
        *_baseline_reaches("Burgers' equation", "Burgers", few["burgers"].baseline),
        _beats_labels("Burgers' equation", "Burgers"),
        Judged(
            "Weights in time (TCW) lower the error on Burgers' equation.",
            ["Burgers, no TCW", "Burgers"],
            second_is_lower,
        ),
        _reaches(f"PILNO on {TASK_A}", FROM_5, from_5.pilno),
        _reaches(f"ALNO on {ALONE} of {TASK_A}", f"{FROM_5}, {ALONE}", from_5.baseline),
        _beats_labels(TASK_A, FROM_5),
        _reaches(f"PILNO on {TASK_B}", FORCING, few["rd_forcing"].pilno),
        *_baseline_reaches(TASK_B, FORCING, few["rd_forcing"].baseline),
        _beats_labels(TASK_B, FORCING),
        Judged(
            f"Weights in time (TCW) lower the error on {TASK_B} ({tcw}).",
            [f"{FORCING}, no TCW", FORCING],
            second_is_lower,
            again=[causality.HELPS, cost.ONCE_MORE],
        ),
        Judged(
            f"On {TASK_B}: {causality.STEADIER}",
            [f"{FORCING}, no TCW", FORCING],
            second_is_steadier,
            again=[causality.STEADIER],
            needs=DEVIATION,
        ),
        Judged(
            f"On {TASK_B}: {causality.FASTER}",
            [f"{FORCING}, no TCW", FORCING],
            second_is_faster,
            again=[causality.FASTER],
        ),
        _beats_labels("the diffusion equation, l = 0.5,", DIFFUSION),
        _beats_labels(
            "the diffusion equation, l = 5 to 0.5,", f"{DIFFUSION}, 5 to 0.5"
        ),
        Judged(
            "On the diffusion equation labels alone are worse from l = 5 to 0.5 than "
            "at 0.5.",
            [f"{DIFFUSION}, 5 to 0.5, {ALONE}", f"{DIFFUSION}, {ALONE}"],
            second_is_lower,
        ),
    ]
    return [
        *judged,
        *_of_backbones(20, (0, 1, 2)),
        *_of_backbones(20, (0,), SMALL),
        *_of_backbones(3, (0,)),
    ]


def _of_backbones(batch: int, seeds: Sequence[int], start: str = "") -> list[Judged]:
    """What Appendix A claims, of one reading of what it leaves open."""
    every = backbones(batch, seeds, start)
    many = f"{len(seeds)} seed{'s' if len(seeds) > 1 else ''}"
    reading = ", ".join(filter(None, [f"batches of {batch}", start, many]))
    setting = f"On 200 labels of Burgers' equation ({reading}):"
    order = f"{burgers_backbones.ORDER}."
    transient, least = burgers_backbones.TRANSIENT, burgers_backbones.SPREAD_LEAST
    return [
        Judged(f"{setting} {order}", every, in_this_order, again=[order]),
        Judged(
            f"{setting} {transient}",
            every[: 2 * len(seeds)],
            transient_branch_pays,
            again=[transient],
        ),
        Judged(
            f"{setting} {least}",
            every,
            first_spreads_least,
            again=[least],
            needs=DEVIATION,
        ),
    ]


def claims(rows: Sequence[Row]) -> list[Claim]:
    """Those that can be judged.

    Args:
        rows: of trainings, finished or not.
    """
    return [claim for _, claim in _judged(rows)]


def judged_again(rows: Sequence[Row]) -> dict[str, list[Claim]]:
    """What becomes, as printed, of sentences that our recipes were judged by."""
    found: dict[str, list[Claim]] = {}
    for one, claim in _judged(rows):
        for sentence in one.again:
            found.setdefault(sentence, []).append(claim)
    return found


def not_tested(rows: Sequence[Row]) -> list[str]:
    """Sentences that want for a training."""
    return [one.sentence for one in _all() if one.rows(rows) is None]


def _judged(rows: Sequence[Row]) -> Iterator[tuple[Judged, Claim]]:
    for one in _all():
        of_these = one.rows(rows)
        if of_these is None:
            continue
        text, holds, better = one.judge(of_these)
        after = [f"{row['epochs']:.0f}" for row in of_these if not row["finished"]]
        if after:
            text += f", after {' and '.join(after)} of {EPOCHS} epochs"
        yield one, Claim(one.sentence, text, verdict(holds, better))
