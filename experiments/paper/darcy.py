"""Darcy flow: four models, data efficiency, virtual inputs, fields, resolution."""

from collections.abc import Mapping

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
from experiments.paper.tables import Entry, exponent, factor, mean, table
from experiments.suite.protocols import LABELS_ONLY, NO_VIRTUAL, Protocol
from experiments.suite.suite import Run

PILNO, LABELS, LABELLED = "PILNO", "labels only", "PILNO without virtual inputs"
LABEL_COUNTS = (10, 50, 100, 200, 400)
BASELINE = (
    "Our networks, those without physics included, read the medium on 61 x 61 and two "
    "steps of a solver with it, and meet labels on the 11 x 11 nodes among these. The "
    "paper's baselines were trained on 11 x 11 alone."
)


BETWEEN_NODES = (
    "Labels are known on 121 of 3721 nodes; the equation fills in the others of the "
    "same inputs, which helps at any N. It is no substitute for virtual inputs: see "
    "`darcy-data` for what these bring."
)


def _data_claims(errors: Errors) -> list[Claim]:
    pilno = [errors[PILNO, count] for count in LABEL_COUNTS]
    return [
        Claim(
            "With 10 labels physics and virtual inputs win by far.",
            factor(errors[LABELS, 10], errors[PILNO, 10])
            + " (paper 1.5e-1 against 1.2e-2)",
            verdict(errors[LABELS, 10] > 3 * errors[PILNO, 10], pilno[0] < 1.235e-2),
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
    {LABELS: LABELS_ONLY, PILNO: {}},
    {(LABELS, 10): 1.499e-1, (PILNO, 10): 1.235e-2, (PILNO, 400): 1.2e-2},
    _data_claims,
    notes=[BASELINE],
)


def _virtual_claims(errors: Errors) -> list[Claim]:
    ratio = {n: errors[LABELS, n] / errors[LABELLED, n] for n in LABEL_COUNTS}
    shown = ", ".join(f"{n}: {value:.2f}" for n, value in ratio.items())
    return [
        Claim(
            "Without virtual inputs physics does not help at small N.",
            f"error of labels alone over error with physics, by N: {shown}",
            verdict(ratio[10] < 1.2),
        ),
        Claim(
            "Without virtual inputs physics helps from about 200 labels on.",
            f"the same ratio at 200: {ratio[200]:.2f}, at 400: {ratio[400]:.2f}",
            verdict(ratio[200] > 1 and ratio[400] > 1),
        ),
    ]


virtual = curve(
    "Darcy: physics on the labelled inputs alone",
    "darcy",
    LABEL_COUNTS,
    {LABELS: LABELS_ONLY, LABELLED: NO_VIRTUAL},
    {},
    _virtual_claims,
    notes=[BETWEEN_NODES, BASELINE],
)

PAPER_TABLE = {
    "FNO": (5.41e-2, 9.01e-2),
    "ALNO": (1.29e-2, 3.73e-2),
    "PIFNO": (5.23e-2, 1.56e-2),
    "PILNO": (1.19e-2, 1.21e-2),
}
TABLE_CHANGES = {
    "FNO": {"model.name": "fno", **LABELS_ONLY},
    "ALNO": LABELS_ONLY,
    "PIFNO": {"model.name": "fno"},
    "PILNO": {},
}


def _on_labels(result: dict) -> Row:
    return {"error, 11 x 11": result["relative_l2_on_labels"]["mean"]}


def _table_claims(rows: Mapping[str, Row]) -> list[Claim]:
    fine = {name: mean(row) for name, row in rows.items()}
    coarse = {name: row["error, 11 x 11"] for name, row in rows.items()}
    worse = {name: fine[name] / coarse[name] for name in ("FNO", "ALNO", "PILNO")}
    return [
        Claim(
            "Physics on 61 x 61 beats coarse labels alone on that grid, for both "
            "networks.",
            f"FNO {factor(fine['FNO'], fine['PIFNO'])}; "
            f"ALNO {factor(fine['ALNO'], fine['PILNO'])}",
            verdict(
                fine["PIFNO"] < fine["FNO"] and fine["PILNO"] < fine["ALNO"],
                fine["PILNO"] < PAPER_TABLE["PILNO"][1],
            ),
        ),
        Claim(
            "Labels alone lose accuracy from 11 x 11 to 61 x 61, PILNO does not.",
            ", ".join(f"{name} {value:.2f} times" for name, value in worse.items()),
            verdict(worse["FNO"] > 1.2 and worse["ALNO"] > 1.2 > worse["PILNO"]),
        ),
    ]


four = table(
    "Darcy: FNO, ALNO, PIFNO and PILNO on 800 coarse labels",
    {
        name: Entry(
            "darcy",
            {"train.num_train": 800, "train.batch_data": 8, **changes},
            {
                "error": PAPER_TABLE[name][1],
                "error, 11 x 11": PAPER_TABLE[name][0],
            },
        )
        for name, changes in TABLE_CHANGES.items()
    },
    _table_claims,
    extra=_on_labels,
    notes=[BASELINE],
)


def _pair(protocol: Protocol) -> dict[Key, Run]:
    changes = {LABELS: LABELS_ONLY, PILNO: {}}
    return {(name,): protocol.run("darcy", fields) for name, fields in changes.items()}


def _fields(findings: Findings) -> Report:
    return figures.typical_field(
        {name: findings.predictions(name) for name in (LABELS, PILNO)},
        "Darcy with 10 labels",
        "With 10 labels PILNO's field matches the reference, labels alone do not.",
        paper=(1.467e-1, 1.23e-2),
    )


fields = Artifact("Darcy: fields at 10 labels", _pair, _fields)

SIZES = {"31 x 31": 31, "61 x 61": 61, "121 x 121": 121}
PAPER_RESOLUTION = {
    "31 x 31": {"error": 2.753e-2, "time [s]": 778, "memory [MB]": 3660 * 1.048576},
    "61 x 61": {"error": 2.183e-2, "time [s]": 2139, "memory [MB]": 10024 * 1.048576},
    "121 x 121": {"error": 2.290e-2, "time [s]": 7114, "memory [MB]": 33378 * 1.048576},
}


def _resolution_claims(rows: Mapping[str, Row]) -> list[Claim]:
    points = [size**2 for size in SIZES.values()]
    slope, growth = (
        exponent([row[column] for row in rows.values()], points)
        for column in ("step [ms]", "memory [MB]")
    )
    error = [mean(row) for row in rows.values()]
    return [
        Claim(
            "Time and memory grow with the resolution (paper: both like points^0.81).",
            f"time per step like points^{slope:.2f}, memory like points^{growth:.2f}, "
            "that of the program itself and of the data included",
            verdict(slope > 0.5 and growth > 0.1),
        ),
        Claim(
            "61 x 61 is a good trade: refining further gains little.",
            ", ".join(f"{name}: {e:.2e}" for name, e in zip(rows, error, strict=True)),
            verdict(error[1] < 1.2 * error[2], error[1] < 2.183e-2),
        ),
    ]


resolution = table(
    "Darcy: time, memory and error by resolution",
    {
        name: Entry(
            "darcy",
            {
                "problem.num_points": points,
                "train.num_train": 200,
                "train.num_virtual": 400,
                "model.modes": (10, 10),
                "model.poles": (10, 10),
            },
            PAPER_RESOLUTION[name],
        )
        for name, points in SIZES.items()
    },
    _resolution_claims,
    extra=lambda result: {"step [ms]": result["step_ms"]},
)
