"""Burgers' equation: data efficiency, worst cases, length scales."""

import numpy as np

from experiments.paper import artifact, figures, printed
from experiments.paper.artifact import Claim, Findings, Key, factor, verdict
from experiments.paper.baselines import LABELS, LABELS_ONLY, PILNO
from experiments.paper.label_curves import Errors, curve
from experiments.paper.length_scale_maps import heat_map
from experiments.suite.protocols import Protocol
from experiments.suite.run_spec import RunSpec

VARIANTS = {LABELS: LABELS_ONLY, PILNO: {}}
PAPER = printed.FEW_LABELS["burgers"]


def _data_claims(errors: Errors) -> list[Claim]:
    few, many = errors[LABELS, 25], errors[LABELS, 100]
    pilno = errors[PILNO, 25]
    return [
        Claim(
            "With 25 labels physics and virtual inputs win by far.",
            f"{factor(few, pilno)} ({printed.against(PAPER)})",
            verdict(few / pilno > 3, pilno < PAPER.pilno),
        ),
        Claim(
            "PILNO with 25 labels is about as good as labels alone with 100.",
            f"{pilno:.2e} against {many:.2e}",
            verdict(pilno < 1.3 * many),
        ),
    ]


data = curve(
    "Burgers: error over the number of labels",
    "burgers",
    (25, 50, 100, 150, 200),
    VARIANTS,
    {
        (LABELS, 25): PAPER.baseline,
        (PILNO, 25): PAPER.pilno,
        (LABELS, 100): printed.BURGERS_BASELINE_100_LABELS,
    },
    _data_claims,
)

length_scales = heat_map(
    "Burgers: trained at one length scale, tested at another",
    "burgers",
    labels=200,
    paper=printed.BURGERS_5_TO_HALF,
)


def _both(protocol: Protocol) -> dict[Key, RunSpec]:
    return {
        Key(name): protocol.run("burgers", changes)
        for name, changes in VARIANTS.items()
    }


def _worst(findings: Findings) -> artifact.Report:
    models = {name: findings.predictions(Key(name)) for name in VARIANTS}
    cases = [int(i) for i in np.argsort(models[LABELS].errors)[::-1][:2]]
    title = "Burgers: the two worst test cases of labels alone, 25 labels"
    figure, rows = figures.slices_figure(models, cases, title)
    claim = Claim(
        "Where labels alone do worst, PILNO follows the reference.",
        "; ".join(factor(row[LABELS], row[PILNO]) for row in rows),
        verdict(all(row[PILNO] < row[LABELS] for row in rows)),
    )
    return artifact.Report(rows, [claim], {"": figure})


worst = artifact.Artifact("Burgers: the worst cases of labels alone", _both, _worst)
