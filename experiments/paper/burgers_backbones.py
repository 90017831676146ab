"""Burgers' equation on labels alone: ALNO, FNO and LNO, and pairs of equal size."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from experiments.paper import printed
from experiments.paper.artifact import Claim, Row, verdict
from experiments.paper.baselines import LABELS_ONLY
from experiments.paper.tables import ERROR, Entry, mean, scatter, table
from experiments.suite.protocols import Changes

# Sizes that make the numbers of parameters agree to within a few percent.
BACKBONES: Mapping[str, Changes] = {
    "ALNO": {"model.modes": (10, 10), "model.poles": (4, 4)},
    "FNO": {"model.name": "fno", "model.width": 33},
    "LNO": {"model.name": "lno", "model.poles": (14, 14)},
}
PERIODIC = {"model.period": (1.0, 1.0)}
PAPERS_SIZES = {"model.modes": (14, 14), "model.poles": (14, 14)}
FEWER = {**PERIODIC, "model.modes": (5, 5)}
PLAIN = {
    **PERIODIC,
    "problem.hard_constraints": False,
    "problem.moving_frame": False,
    "model.activation": "tanh",
}
NARROW = {**PERIODIC, "model.width": 12}  # own poles for every pair of 32 cost too much
FURTHER: Mapping[str, Changes] = {
    "ALNO, plain": PLAIN,
    "FNO, plain": {**PLAIN, "model.name": "fno", "model.width": 33},
    "ALNO, longer period": {},
    "FNO, longer period": {"model.name": "fno", "model.width": 33},
    "ALNO, 5 modes": FEWER,
    "FNO, 5 modes": {**FEWER, "model.name": "fno", "model.width": 37},
    "ALNO, poles in t only": {"model.poles": (0, 4), "model.width": 28},
    "ALNO, 14 modes, 14 poles": {**PERIODIC, **PAPERS_SIZES},
    "FNO, 14 modes": {
        **PERIODIC,
        "model.name": "fno",
        "model.modes": (14, 14),
        "model.width": 39,
    },
    "ALNO, slow poles": {**PERIODIC, "model.initial_decay": 0.1},
    "ALNO, fast poles": {**PERIODIC, "model.initial_decay": 10.0},
    "ALNO, 12 channels": NARROW,
    "ALNO, 12 channels, pairwise poles": {**NARROW, "model.pole_sharing": "pairwise"},
    "FNO, 12 channels": {**NARROW, "model.name": "fno"},
}


def _all_steps(name: str) -> str:
    return f"{name}, all steps"


@dataclasses.dataclass(frozen=True)
class Pair:
    """Rows of an ALNO and an FNO of as many parameters, as far as they go.

    Args:
        setting: what both have, in words.
        alno: its row.
        fno: its row.
    """

    setting: str
    alno: str
    fno: str


AS_THEY_ARE = Pair("as they are", "ALNO", "FNO")
PAIRS = (
    AS_THEY_ARE,
    Pair(
        "without moving frame and hard constraint, with tanh",
        "ALNO, plain",
        "FNO, plain",
    ),
    Pair(
        "with a period of 1.5 in t, which takes the jump from T to 0 off the modes",
        "ALNO, longer period",
        "FNO, longer period",
    ),
    Pair("with 5 modes", "ALNO, 5 modes", "FNO, 5 modes"),
    Pair("with 14 modes", "ALNO, 14 modes, 14 poles", "FNO, 14 modes"),
    Pair("with poles that start ten times slower", "ALNO, slow poles", "FNO"),
    Pair("with poles that start ten times faster", "ALNO, fast poles", "FNO"),
    Pair("with 12 channels", "ALNO, 12 channels", "FNO, 12 channels"),
    Pair(
        "with 12 channels and own poles for every pair of them",
        "ALNO, 12 channels, pairwise poles",
        "FNO, 12 channels",
    ),
    Pair("trained for all steps", _all_steps("ALNO"), _all_steps("FNO")),
)
SPREAD = "spread over cases"
ORDER = " < ".join(printed.BACKBONES)
TRANSIENT = (
    "The transient branch makes ALNO better than FNO (paper: "
    f"{printed.BACKBONES['FNO'] / printed.BACKBONES['ALNO']:.1f} times)."
)
SPREAD_LEAST = (
    "ALNO's errors spread least over test cases (paper: "
    f"{printed.short(printed.BACKBONE_DEVIATIONS['ALNO'])}, "
    f"FNO {printed.short(printed.BACKBONE_DEVIATIONS['FNO'])}, "
    f"LNO {printed.short(printed.BACKBONE_DEVIATIONS['LNO'])})."
)


def _claims(rows: Mapping[str, Row]) -> list[Claim]:
    error = {name: mean(row) for name, row in rows.items()}
    order = " < ".join(sorted(printed.BACKBONES, key=lambda name: error[name]))
    errors = ", ".join(f"{name} {error[name]:.2e}" for name in printed.BACKBONES)
    spreads = {name: rows[name][SPREAD] for name in printed.BACKBONES}
    ratios = {pair: error[pair.fno] / error[pair.alno] for pair in PAIRS}
    return [
        Claim(f"{ORDER}.", f"{order}: {errors}", verdict(order == ORDER)),
        Claim(
            TRANSIENT,
            "FNO's error over ALNO's: "
            + "; ".join(f"{pair.setting} {r:.2f}" for pair, r in ratios.items()),
            verdict(ratios[AS_THEY_ARE] > 1.1),
        ),
        Claim(
            SPREAD_LEAST,
            ", ".join(f"{name} {value:.1e}" for name, value in spreads.items()),
            verdict(spreads["ALNO"] == min(spreads.values())),
        ),
    ]


def _entries() -> dict[str, Entry]:
    common = {**LABELS_ONLY, "train.num_train": 200, "train.batch_data": 16}

    def entry(changes: Changes, **options: Any) -> Entry:
        return Entry("burgers", {**common, **changes}, **options)

    entries = {
        name: entry({**PERIODIC, **changes}, paper={ERROR: printed.BACKBONES[name]})
        for name, changes in BACKBONES.items()
    }
    entries |= {name: entry(changes) for name, changes in FURTHER.items()}
    for name in (AS_THEY_ARE.alno, AS_THEY_ARE.fno):
        changes = {**PERIODIC, **BACKBONES[name]}
        entries[_all_steps(name)] = entry(changes, all_steps=True)
    return entries


backbones = table(
    "Burgers: ALNO, FNO and LNO on 200 labels, without physics",
    _entries(),
    _claims,
    extra=lambda result: {SPREAD: result["relative_l2"]["std"]},
    draw=lambda findings, rows: {"": scatter(findings, list(BACKBONES), 50)},
    notes=lambda findings: [
        "When poles pay, on a system that has them: [oscillators.md](oscillators.md)."
    ],
)
