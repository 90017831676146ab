"""Burgers' equation: data efficiency, worst cases, length scales, backbones."""

from collections.abc import Mapping

import numpy as np

from experiments.paper import figures
from experiments.paper.artifact import (
    Artifact,
    Claim,
    Findings,
    Key,
    Report,
    Row,
    verdict,
)
from experiments.paper.label_curves import Errors, curve
from experiments.paper.length_scale_maps import WITH, WITHOUT, heat_map
from experiments.paper.tables import Entry, factor, mean, scatter, table
from experiments.suite.protocols import LABELS_ONLY, Protocol
from experiments.suite.suite import Run

PILNO, LABELS = "PILNO", "labels only"
VARIANTS = {LABELS: LABELS_ONLY, PILNO: {}}


def _data_claims(errors: Errors) -> list[Claim]:
    few, many = (LABELS, 25), (LABELS, 100)
    gain = errors[few] / errors[PILNO, 25]
    return [
        Claim(
            "With 25 labels physics and virtual inputs win by far.",
            factor(errors[few], errors[PILNO, 25]) + " (paper 9.4e-2 against 1.4e-2)",
            verdict(gain > 3, errors[PILNO, 25] < 1.42e-2),
        ),
        Claim(
            "PILNO with 25 labels is about as good as labels alone with 100.",
            f"{errors[PILNO, 25]:.2e} against {errors[many]:.2e}",
            verdict(errors[PILNO, 25] < 1.3 * errors[many]),
        ),
    ]


data = curve(
    "Burgers: error over the number of labels",
    "burgers",
    (25, 50, 100, 150, 200),
    VARIANTS,
    {(LABELS, 25): 9.386e-2, (PILNO, 25): 1.420e-2, (LABELS, 100): 1.1e-2},
    _data_claims,
)

ood = heat_map(
    "Burgers: trained at one length scale, tested at another",
    "burgers",
    200,
    {WITHOUT: 0.236, WITH: 0.07},
)


def _pair(protocol: Protocol) -> dict[Key, Run]:
    return {
        (name,): protocol.run("burgers", changes) for name, changes in VARIANTS.items()
    }


def _worst(findings: Findings) -> Report:
    found = {name: findings.predictions(name) for name in VARIANTS}
    cases = [int(i) for i in np.argsort(found[LABELS].errors)[::-1][:2]]
    title = "Burgers: the two worst test cases of labels alone, 25 labels"
    figure, rows = figures.slices_figure(found, cases, title)
    better = all(row[PILNO] < row[LABELS] for row in rows)
    shown = "; ".join(factor(row[LABELS], row[PILNO]) for row in rows)
    sentence = "Where labels alone do worst, PILNO follows the reference."
    return Report(rows, [Claim(sentence, shown, verdict(better))], {"": figure})


worst = Artifact("Burgers: the worst cases of labels alone", _pair, _worst)

# Sizes that make the numbers of parameters agree to within a few percent.
BACKBONES = {
    "ALNO": {"model.modes": (10, 10), "model.poles": (4, 4)},
    "FNO": {"model.name": "fno", "model.width": 33},
    "LNO": {"model.name": "lno", "model.poles": (14, 14)},
}
PERIODIC = {"model.period": (1.0, 1.0)}
PAPER_BACKBONES = {"ALNO": 3.312e-3, "FNO": 8.089e-3, "LNO": 3.444e-2}
PAPERS_SIZES = {"model.modes": (14, 14), "model.poles": (14, 14)}
FEWER = {**PERIODIC, "model.modes": (5, 5)}
PLAIN = {
    **PERIODIC,
    "problem.hard_constraints": False,
    "problem.moving_frame": False,
    "model.activation": "tanh",
}
NARROW = {**PERIODIC, "model.width": 12}  # own poles for every pair of 32 cost too much
FURTHER = {
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
LONG = {f"{name}, all steps": BACKBONES[name] for name in ("ALNO", "FNO")}
AS_IT_IS = "as they are"
# Pairs of as many parameters, as far as they go.
MATCHED = {
    AS_IT_IS: ("ALNO", "FNO"),
    "without moving frame and hard constraint, with tanh": (
        "ALNO, plain",
        "FNO, plain",
    ),
    "with a period of 1.5 in t, which takes the jump from T to 0 off the modes": (
        "ALNO, longer period",
        "FNO, longer period",
    ),
    "with 5 modes": ("ALNO, 5 modes", "FNO, 5 modes"),
    "with 14 modes": ("ALNO, 14 modes, 14 poles", "FNO, 14 modes"),
    "with poles that start ten times slower": ("ALNO, slow poles", "FNO"),
    "ten times faster": ("ALNO, fast poles", "FNO"),
    "with 12 channels": ("ALNO, 12 channels", "FNO, 12 channels"),
    "and own poles for every pair of them": (
        "ALNO, 12 channels, pairwise poles",
        "FNO, 12 channels",
    ),
    "trained five times as long": ("ALNO, all steps", "FNO, all steps"),
}


def _backbone_claims(rows: Mapping[str, Row]) -> list[Claim]:
    error = {name: mean(row) for name, row in rows.items()}
    order = " < ".join(sorted(PAPER_BACKBONES, key=lambda name: error[name]))
    shown = ", ".join(f"{name} {error[name]:.2e}" for name in PAPER_BACKBONES)
    spreads = {name: rows[name]["spread over cases"] for name in PAPER_BACKBONES}
    ratios = {what: error[b] / error[a] for what, (a, b) in MATCHED.items()}
    return [
        Claim(
            "ALNO < FNO < LNO.",
            f"{order}: {shown}",
            verdict(order == "ALNO < FNO < LNO"),
        ),
        Claim(
            "The transient branch makes ALNO better than FNO (paper: 2.4 times).",
            "FNO's error over ALNO's: "
            + "; ".join(f"{what} {ratio:.2f}" for what, ratio in ratios.items()),
            verdict(ratios[AS_IT_IS] > 1.1),
        ),
        Claim(
            "ALNO's errors spread least over test cases (paper: 1.8e-3, FNO 4.8e-3, "
            "LNO 7.5e-3).",
            ", ".join(f"{name} {value:.1e}" for name, value in spreads.items()),
            verdict(spreads["ALNO"] == min(spreads.values())),
        ),
    ]


def _backbone_entries() -> dict[str, Entry]:
    common = {**LABELS_ONLY, "train.num_train": 200, "train.batch_data": 16}
    entries = {
        name: Entry(
            "burgers",
            {**common, **PERIODIC, **changes},
            {"error": PAPER_BACKBONES[name]},
        )
        for name, changes in BACKBONES.items()
    }
    further = {
        name: Entry("burgers", {**common, **changes}, {})
        for name, changes in FURTHER.items()
    }
    long = {
        name: Entry("burgers", {**common, **PERIODIC, **changes}, {}, all_steps=True)
        for name, changes in LONG.items()
    }
    return entries | further | long


backbones = table(
    "Burgers: ALNO, FNO and LNO on 200 labels, without physics",
    _backbone_entries(),
    _backbone_claims,
    extra=lambda result: {"spread over cases": result["relative_l2"]["std"]},
    draw=lambda findings, rows: {"": scatter(findings, list(BACKBONES), 50)},
    notes=["When poles pay, on a system that has them: [poles.md](poles.md)."],
)
