"""Darcy flow: four models, data efficiency, virtual inputs, fields, resolution."""

from collections.abc import Mapping
from typing import Any

from experiments.pages.growth_rate import exponent
from experiments.paper import artifact, figures, printed
from experiments.paper.artifact import Claim, Findings, Key, Row, factor, verdict
from experiments.paper.baselines import LABELS, LABELS_ONLY, NO_VIRTUAL, PILNO
from experiments.paper.label_curves import Errors, curve
from experiments.paper.tables import (
    ERROR,
    MEGABYTES,
    SECONDS,
    STEP,
    Entry,
    mean,
    step_time,
    table,
)
from experiments.suite.protocols import Protocol
from experiments.suite.registry import fields_of
from experiments.suite.run_spec import RunSpec

LABELLED = "PILNO without virtual inputs"
LABEL_COUNTS = (10, 50, 100, 200, 400)
VARIANTS = {LABELS: LABELS_ONLY, PILNO: {}}
PAPER = printed.DARCY_10_LABELS
NODES, LABEL_NODES = "problem.num_points", "problem.label_points"  # of an axis


def _baseline_note(findings: Findings) -> list[str]:
    """What our networks read, with and without physics, and the paper's did not."""
    fields = fields_of("darcy", findings.protocol.recipe)
    fine, coarse = (_square(fields[name]) for name in (NODES, LABEL_NODES))
    features = f"read the medium on {fine}"
    if fields["problem.features"] != "paper":
        features += " and two steps of a solver with it"
    return [
        f"Our networks, those without physics included, {features}, and meet labels on "
        f"the {coarse} nodes among these. The paper's baselines were trained on "
        f"{coarse} alone."
    ]


def _square(points: int) -> str:
    return f"{points} x {points}"


def _data_claims(errors: Errors) -> list[Claim]:
    pilno = [errors[PILNO, count] for count in LABEL_COUNTS]
    return [
        Claim(
            "With 10 labels physics and virtual inputs win by far.",
            f"{factor(errors[LABELS, 10], pilno[0])} ({printed.against(PAPER)})",
            verdict(errors[LABELS, 10] > 3 * pilno[0], pilno[0] < PAPER.pilno),
        ),
        Claim(
            "PILNO's error hardly depends on the number of labels.",
            f"between {min(pilno):.2e} and {max(pilno):.2e}",
            verdict(max(pilno) < 1.5 * min(pilno)),
        ),
    ]


data = curve(
    "Darcy: error over the number of labels",
    "darcy",
    LABEL_COUNTS,
    VARIANTS,
    {
        (LABELS, 10): PAPER.baseline,
        (PILNO, 10): PAPER.pilno,
        (PILNO, 400): printed.DARCY_PILNO_400_LABELS,
    },
    _data_claims,
    notes=_baseline_note,
)


def _no_virtual_claims(errors: Errors) -> list[Claim]:
    ratio = {n: errors[LABELS, n] / errors[LABELLED, n] for n in LABEL_COUNTS}
    by_count = ", ".join(f"{n}: {value:.2f}" for n, value in ratio.items())
    return [
        Claim(
            "Without virtual inputs physics does not help at small N.",
            f"error of labels alone over error with physics, by N: {by_count}",
            verdict(ratio[10] < 1.2),
        ),
        Claim(
            "Without virtual inputs physics helps from about 200 labels on.",
            f"the same ratio at 200: {ratio[200]:.2f}, at 400: {ratio[400]:.2f}",
            verdict(ratio[200] > 1 and ratio[400] > 1),
        ),
    ]


def _between_nodes(findings: Findings) -> list[str]:
    """Where the equation fills in what labelled inputs lack, and whether it helps."""
    fields = fields_of("darcy", findings.protocol.recipe)
    nodes, known = (fields[name] ** 2 for name in (NODES, LABEL_NODES))
    helped = [
        str(count)
        for count in LABEL_COUNTS
        if findings.error(Key(LABELLED, labels=count))["mean"]
        < findings.error(Key(LABELS, labels=count))["mean"]
    ]
    where = f"at N = {', '.join(helped)}" if helped else "at no N"
    where = "at any N" if len(helped) == len(LABEL_COUNTS) else where
    return [
        f"Labels are known on {known} of {nodes} nodes; the equation fills in the "
        f"others of the same inputs, which helps {where}. `darcy-data` has what "
        "virtual inputs bring.",
        *_baseline_note(findings),
    ]


no_virtual = curve(
    "Darcy: physics on the labelled inputs alone",
    "darcy",
    LABEL_COUNTS,
    {LABELS: LABELS_ONLY, LABELLED: NO_VIRTUAL},
    {},
    _no_virtual_claims,
    notes=_between_nodes,
)

ON_LABELS = "error, 11 x 11"
FOUR_MODELS = {
    "FNO": {"model.name": "fno", **LABELS_ONLY},
    "ALNO": LABELS_ONLY,
    "PIFNO": {"model.name": "fno"},
    "PILNO": {},
}


def _on_labels(result: dict[str, Any]) -> Row:
    return {ON_LABELS: result["relative_l2_on_labels"]["mean"]}


def _four_models_claims(rows: Mapping[str, Row]) -> list[Claim]:
    fine = {name: mean(row) for name, row in rows.items()}
    coarse = {name: row[ON_LABELS] for name, row in rows.items()}
    worse = {name: fine[name] / coarse[name] for name in ("FNO", "ALNO", "PILNO")}
    return [
        Claim(
            "Physics on 61 x 61 beats coarse labels alone on that grid, for both "
            "networks.",
            f"FNO {factor(fine['FNO'], fine['PIFNO'])}; "
            f"ALNO {factor(fine['ALNO'], fine['PILNO'])}",
            verdict(
                fine["PIFNO"] < fine["FNO"] and fine["PILNO"] < fine["ALNO"],
                fine["PILNO"] < printed.DARCY_800_LABELS_FINE["PILNO"],
            ),
        ),
        Claim(
            "Labels alone lose accuracy from 11 x 11 to 61 x 61, PILNO does not.",
            ", ".join(f"{name} {value:.2f} times" for name, value in worse.items()),
            verdict(worse["FNO"] > 1.2 and worse["ALNO"] > 1.2 > worse["PILNO"]),
        ),
    ]


four_models = table(
    "Darcy: FNO, ALNO, PIFNO and PILNO on 800 coarse labels",
    {
        name: Entry(
            "darcy",
            {"train.num_train": 800, "train.batch_data": 8, **changes},
            {
                ERROR: printed.DARCY_800_LABELS_FINE[name],
                ON_LABELS: printed.DARCY_800_LABELS_COARSE[name],
            },
        )
        for name, changes in FOUR_MODELS.items()
    },
    _four_models_claims,
    extra=_on_labels,
    notes=_baseline_note,
)


def _both(protocol: Protocol) -> dict[Key, RunSpec]:
    return {
        Key(name): protocol.run("darcy", changes) for name, changes in VARIANTS.items()
    }


def _fields(findings: Findings) -> artifact.Report:
    return figures.typical_field(
        {name: findings.predictions(Key(name)) for name in VARIANTS},
        "Darcy with 10 labels",
        "With 10 labels PILNO's field matches the reference, labels alone do not.",
        printed.DARCY_FIELDS,
    )


fields = artifact.Artifact("Darcy: fields at 10 labels", _both, _fields)


def _resolution_claims(rows: Mapping[str, Row]) -> list[Claim]:
    paper = printed.DARCY_RESOLUTION
    nodes = [points**2 for points in paper]
    time, memory = (
        exponent(nodes, [row[column] for row in rows.values()])
        for column in (STEP, MEGABYTES)
    )
    error = {points: mean(rows[_square(points)]) for points in paper}
    papers_time = exponent(nodes, [one.seconds for one in paper.values()])
    papers_memory = exponent(nodes, [one.megabytes for one in paper.values()])
    return [
        Claim(
            "Time and memory grow with the resolution (paper: like "
            f"points^{papers_time:.2f} and points^{papers_memory:.2f}).",
            f"time per step like points^{time:.2f}, memory like points^{memory:.2f}, "
            "that of the program itself and of the data included",
            verdict(time > 0.5 and memory > 0.1),
        ),
        Claim(
            "61 x 61 is a good trade: refining further gains little.",
            ", ".join(f"{_square(points)}: {e:.2e}" for points, e in error.items()),
            verdict(error[61] < 1.2 * error[121], error[61] < paper[61].error),
        ),
    ]


resolution = table(
    "Darcy: time, memory and error by resolution",
    {
        _square(points): Entry(
            "darcy",
            {
                "problem.num_points": points,
                "train.num_train": 200,
                "train.num_virtual": 400,
                "model.modes": (10, 10),
                "model.poles": (10, 10),
            },
            {ERROR: one.error, SECONDS: one.seconds, MEGABYTES: one.megabytes},
        )
        for points, one in printed.DARCY_RESOLUTION.items()
    },
    _resolution_claims,
    extra=step_time,
)
