"""Reaction-diffusion: length scales, data efficiency, fields and lines."""

import numpy as np

from experiments.paper import causality, figures
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
from experiments.paper.tables import factor
from experiments.suite.protocols import LABELS_ONLY, Protocol
from experiments.suite.suite import Run

PILNO, LABELS = "PILNO", "labels only"
LABEL_COUNTS = (25, 50, 100, 150, 200)

ic_ood = heat_map(
    "Reaction-diffusion, initial condition: length scales",
    "rd_ic",
    25,
    {WITHOUT: 0.336, WITH: 0.069},
)
ood = heat_map("Reaction-diffusion, forcing: length scales", "rd_forcing", 25, {})


def _data_claims(errors: Errors) -> list[Claim]:
    few = errors[LABELS, 25], errors[PILNO, 25]
    growth = {name: errors[name, 25] / errors[name, 200] for name in (LABELS, PILNO)}
    return [
        Claim(
            "With 25 labels physics and virtual inputs win by far.",
            factor(*few) + " (paper 1.2e-1 against 2.6e-2)",
            verdict(few[0] > 3 * few[1], few[1] < 2.563e-2),
        ),
        Claim(
            "From 200 labels to 25 the error of labels alone rises steeply, PILNO's "
            "does not.",
            ", ".join(f"{name} {value:.1f} times" for name, value in growth.items()),
            verdict(growth[LABELS] > 2 * growth[PILNO]),
        ),
    ]


data = curve(
    "Reaction-diffusion, forcing: error over the number of labels",
    "rd_forcing",
    LABEL_COUNTS,
    {LABELS: LABELS_ONLY, PILNO: {}},
    {(LABELS, 25): 1.229e-1, (PILNO, 25): 2.563e-2},
    _data_claims,
)


def _fields(findings: Findings) -> Report:
    return figures.typical_field(
        {name: findings.predictions(name, 0) for name in (LABELS, causality.WEIGHTED)},
        "Reaction-diffusion, forcing, 25 labels",
        "PILNO matches the reference, labels alone do not.",
        paper=(1.23e-1, 2.5e-2),
    )


fields = Artifact("Reaction-diffusion, forcing: fields", causality.three, _fields)

PAIRS = ((0.5, 0.5), (5.0, 0.5), (5.0, 5.0))  # trained at, tested at


def _line_runs(protocol: Protocol) -> dict[Key, Run]:
    every = ood.runs(protocol)
    return {key: run for key, run in every.items() if key[1] in (0.5, 5.0)}


def _lines(findings: Findings) -> Report:
    rows: list[Row] = []
    drawn = {}
    for train, test in PAIRS:
        found = {
            name: findings.predictions(name, train, length_scale=test)
            for name in (WITHOUT, WITH)
        }
        order = np.argsort(found[WITH].errors)
        title = f"Reaction-diffusion, forcing: trained at l = {train}, tested at {test}"
        figure, (row,) = figures.slices_figure(
            found, [int(order[len(order) // 2])], title
        )
        drawn[f"{train}-to-{test}"] = figure
        rows.append({"trained at": train, "tested at": test, **row})
    better = all(row[WITH] < row[WITHOUT] for row in rows)
    shown = "; ".join(factor(row[WITHOUT], row[WITH]) for row in rows)
    sentence = "For all three pairs PILNO's lines are closer to the reference."
    return Report(rows, [Claim(sentence, shown, verdict(better))], drawn)


lines = Artifact("Reaction-diffusion, forcing: lines", _line_runs, _lines)
