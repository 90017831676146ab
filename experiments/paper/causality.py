"""Reaction-diffusion, forcing: what temporal-causality weights (TCW) bring."""

import math
from collections.abc import Callable, Mapping
from typing import Any

from experiments.paper import artifact, figures, printed
from experiments.paper.artifact import Claim, Findings, Key, Row, factor, verdict
from experiments.paper.baselines import (
    EVEN_IN_TIME,
    LABELS,
    LABELS_ONLY,
    NO_VIRTUAL,
)
from experiments.paper.label_curves import Errors, curve
from experiments.paper.tables import scatter
from experiments.suite.protocols import Changes, Protocol
from experiments.suite.run_spec import RunSpec

RATE = 0.5
CAUSAL = {"causality.name": "exponential", "causality.rate": RATE}
WEIGHTED, EVEN = "PILNO with TCW", "PILNO without TCW"
LABEL_COUNTS = (25, 50, 100, 150, 200)
GAIN = 0.95  # of an error or a time: what is above is within the noise of a seed
HELPS = (
    "With virtual inputs TCW helps (paper: "
    f"{printed.short(printed.NO_TCW_VALIDATION, 0)} without, "
    f"{printed.short(printed.TCW_VALIDATION)} with)."
)
FASTER = "With TCW training converges faster."
STEADIER = (
    "TCW lowers the mean over test cases (paper "
    f"{printed.short(printed.NO_TCW_MEAN, 2)} to {printed.short(printed.TCW_MEAN, 2)}) "
    f"and their spread ({printed.short(printed.NO_TCW_DEVIATION)} to "
    f"{printed.short(printed.TCW_DEVIATION)})."
)


def _no_virtual_claims(errors: Errors) -> list[Claim]:
    ratios = {n: errors[EVEN, n] / errors[WEIGHTED, n] for n in LABEL_COUNTS}
    return [
        Claim(
            "Without virtual inputs TCW changes little.",
            "error without TCW over error with it, by N: "
            + ", ".join(f"{n}: {ratio:.2f}" for n, ratio in ratios.items()),
            verdict(max(ratios.values()) < 1.25 and min(ratios.values()) > 0.8),
        )
    ]


no_virtual = curve(
    "Reaction-diffusion, forcing: TCW without virtual inputs",
    "rd_forcing",
    LABEL_COUNTS,
    {WEIGHTED: {**CAUSAL, **NO_VIRTUAL}, EVEN: {**EVEN_IN_TIME, **NO_VIRTUAL}},
    {},
    _no_virtual_claims,
)

VARIANTS = {LABELS: LABELS_ONLY, WEIGHTED: CAUSAL, EVEN: EVEN_IN_TIME}

# Does TCW make up for something that our training has and the paper's has not? The
# paper's table writes the weights as 10 exp(-t / 2), and its text divides them by their
# mean. If its code did not, TCW was mostly more physics.
PAPERS_MEAN_WEIGHT = 7.9  # of 10 exp(-t / 2) over t in [0, 1]
PLAIN = {
    "train.physics_loss": "squared",
    "train.optimizer": "adam",
    "train.learning_rate": 5e-3,
    "weights.data": 1.0,
    "weights.virtual": 1.0,
}
PLAIN_WEIGHTED, PLAIN_EVEN = (f"{name}, plain training" for name in (WEIGHTED, EVEN))
PLAIN_SCALED = f"{PLAIN_EVEN}, physics x {PAPERS_MEAN_WEIGHT}"
OFTEN_SAVED = {
    name: {**changes, "train.checkpoint_every": 50}
    for name, changes in {
        **VARIANTS,
        PLAIN_WEIGHTED: {**CAUSAL, **PLAIN},
        PLAIN_EVEN: {**EVEN_IN_TIME, **PLAIN},
        PLAIN_SCALED: {**EVEN_IN_TIME, **PLAIN, "weights.pde": PAPERS_MEAN_WEIGHT},
    }.items()
}


def _first_seed(
    variants: Mapping[str, Changes],
) -> Callable[[Protocol], dict[Key, RunSpec]]:
    def runs(protocol: Protocol) -> dict[Key, RunSpec]:
        return {
            Key(name): protocol.run("rd_forcing", changes)
            for name, changes in variants.items()
        }

    return runs


variant_runs, often_saved_runs = _first_seed(VARIANTS), _first_seed(OFTEN_SAVED)


def noise_note(findings: Findings, without: float, weighted: float) -> str:
    """What counts as a difference, and where to look if TCW makes none.

    Args:
        findings: whose seeds are counted.
        without: the error without TCW.
        weighted: the error with it.
    """
    seeds = findings.num_seeds()
    count = "one seed" if seeds == 1 else f"{seeds} seeds"
    note = f"Differences below {1 - GAIN:.0%} count as none: errors are of {count}."
    if weighted >= GAIN * without:
        note += " Why TCW gains so little: see `rd-causality`."
    return note


def _first_below(history: list[dict[str, Any]], error: float) -> int:
    return next(row["step"] for row in history if row["validation"] < error)


def _weight(time: float) -> float:
    """TCW's, of mean one over t in [0, 1]."""
    return RATE * math.exp(-RATE * time) / (1 - math.exp(-RATE))


def _training_notes(last: Mapping[str, float]) -> list[str]:
    """`last`: the validation error of every variant at its last step."""
    gains = last[PLAIN_WEIGHTED] < GAIN * last[PLAIN_EVEN]
    ahead = last[PLAIN_EVEN] < GAIN * last[LABELS]
    return [
        f"At this rate the weights fall from {_weight(0.0):.2f} at t = 0 to "
        f"{_weight(1.0):.2f} at t = 1: early and late residuals count nearly alike.",
        "Plainer training (squared loss, Adam, labels and virtual inputs weighted "
        f"alike) gains {'from' if gains else 'nothing from'} TCW: "
        f"{factor(last[PLAIN_EVEN], last[PLAIN_WEIGHTED])}. Without TCW it is "
        f"{'better' if ahead else 'no better'} than labels alone, which end at "
        f"{last[LABELS]:.2e}.",
        "The paper's table writes the weights as 10 exp(-t / 2), of mean "
        f"{PAPERS_MEAN_WEIGHT}, which its text divides out. Not dividing would be a "
        "larger weight of the physics, and that by itself has: "
        f"{factor(last[PLAIN_EVEN], last[PLAIN_SCALED])}.",
    ]


def _over_training(findings: Findings) -> artifact.Report:
    histories = {name: findings.history(Key(name)) for name in OFTEN_SAVED}
    figure = figures.history_figure(
        histories,
        "step",
        "step",
        "Reaction-diffusion, forcing, 25 labels: with and without TCW",
    )
    last = {name: rows[-1]["validation"] for name, rows in histories.items()}
    rows = [
        {artifact.NAME: name, "validation error": error} for name, error in last.items()
    ]
    level = 2 * last[EVEN]
    steps = {name: _first_below(histories[name], level) for name in (WEIGHTED, EVEN)}
    claims = [
        Claim(
            HELPS,
            factor(last[EVEN], last[WEIGHTED]),
            verdict(last[WEIGHTED] < GAIN * last[EVEN]),
        ),
        Claim(
            FASTER,
            f"below {level:.1e} after {steps[WEIGHTED]} steps with it, "
            f"{steps[EVEN]} without",
            verdict(steps[WEIGHTED] < GAIN * steps[EVEN]),
        ),
    ]
    return artifact.Report(rows, claims, {"": figure}, _training_notes(last))


over_training = artifact.Artifact(
    "Reaction-diffusion, forcing: TCW over the training",
    often_saved_runs,
    _over_training,
)


def _case_by_case(findings: Findings) -> artifact.Report:
    rows: dict[str, Row] = {}
    for name in (WEIGHTED, EVEN):
        errors = findings.predictions(Key(name)).errors
        spread = {"mean": float(errors.mean()), "deviation": float(errors.std())}
        rows[name] = {artifact.NAME: name, **spread}
    weighted, even = rows[WEIGHTED], rows[EVEN]
    claim = Claim(
        STEADIER,
        f"mean {even['mean']:.2e} to {weighted['mean']:.2e}, spread "
        f"{even['deviation']:.1e} to {weighted['deviation']:.1e}",
        verdict(
            weighted["mean"] < GAIN * even["mean"]
            and weighted["deviation"] < even["deviation"]
        ),
    )
    return artifact.Report(
        list(rows.values()),
        [claim],
        {"": scatter(findings, (WEIGHTED, EVEN), 100)},
        [noise_note(findings, even["mean"], weighted["mean"])],
    )


case_by_case = artifact.Artifact(
    "Reaction-diffusion, forcing: TCW, every test case", variant_runs, _case_by_case
)
