"""Reaction-diffusion: length scales, data efficiency, fields and lines."""

from experiments.paper import artifact, causality, figures, printed
from experiments.paper.artifact import Claim, Findings, Key, Row, factor, verdict
from experiments.paper.baselines import LABELS, LABELS_ONLY, PILNO
from experiments.paper.label_curves import Errors, curve
from experiments.paper.length_scale_maps import heat_map
from experiments.suite.protocols import Protocol
from experiments.suite.run_spec import RunSpec

LABEL_COUNTS = (25, 50, 100, 150, 200)
PAPER = printed.FEW_LABELS["rd_forcing"]

ic_length_scales = heat_map(
    "Reaction-diffusion, initial condition: length scales",
    "rd_ic",
    labels=25,
    paper=printed.RD_IC_5_TO_HALF,
)
length_scales = heat_map(
    "Reaction-diffusion, forcing: length scales", "rd_forcing", labels=25
)


def _data_claims(errors: Errors) -> list[Claim]:
    few = errors[LABELS, 25], errors[PILNO, 25]
    growth = {name: errors[name, 25] / errors[name, 200] for name in (LABELS, PILNO)}
    return [
        Claim(
            "With 25 labels physics and virtual inputs win by far.",
            f"{factor(*few)} ({printed.against(PAPER)})",
            verdict(few[0] > 3 * few[1], few[1] < PAPER.pilno),
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
    {(LABELS, 25): PAPER.baseline, (PILNO, 25): PAPER.pilno},
    _data_claims,
)


def _fields(findings: Findings) -> artifact.Report:
    names = LABELS, causality.WEIGHTED
    return figures.typical_field(
        {name: findings.predictions(Key(name)) for name in names},
        "Reaction-diffusion, forcing, 25 labels",
        "PILNO matches the reference, labels alone do not.",
        printed.RD_FIELDS,
    )


fields = artifact.Artifact(
    "Reaction-diffusion, forcing: fields", causality.variant_runs, _fields
)

PAIRS = ((0.5, 0.5), (5.0, 0.5), (5.0, 5.0))  # trained at, tested at


def _line_runs(protocol: Protocol) -> dict[Key, RunSpec]:
    trained = {train for train, _ in PAIRS}
    every = length_scales.runs(protocol)
    return {key: run for key, run in every.items() if key.length_scale in trained}


def _lines(findings: Findings) -> artifact.Report:
    rows: list[Row] = []
    drawn = {}
    for train, test in PAIRS:
        models = {
            name: findings.predictions(Key(name, length_scale=train), length_scale=test)
            for name in (LABELS, PILNO)
        }
        title = f"Reaction-diffusion, forcing: trained at l = {train}, tested at {test}"
        cases = [models[PILNO].median_case()]
        drawn[f"{train}-to-{test}"], (row,) = figures.slices_figure(
            models, cases, title
        )
        rows.append({"trained at": train, "tested at": test, **row})
    claim = Claim(
        "For all three pairs PILNO's lines are closer to the reference.",
        "; ".join(factor(row[LABELS], row[PILNO]) for row in rows),
        verdict(all(row[PILNO] < row[LABELS] for row in rows)),
    )
    return artifact.Report(rows, [claim], drawn)


lines = artifact.Artifact("Reaction-diffusion, forcing: lines", _line_runs, _lines)
