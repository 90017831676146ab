"""Reaction-diffusion, forcing: what the parts of PILNO cost, and what for."""

from collections.abc import Mapping
from pathlib import Path

from matplotlib.figure import Figure

from experiments.paper import artifact, figures, printed
from experiments.paper.artifact import Claim, Findings, Key, Row, factor, verdict
from experiments.paper.baselines import (
    EVEN_IN_TIME,
    LABELS,
    LABELS_ONLY,
    NO_VIRTUAL,
)
from experiments.paper.causality import (
    CAUSAL,
    GAIN,
    WEIGHTED,
    noise_note,
    often_saved_runs,
)
from experiments.paper.tables import (
    ERROR,
    MEGABYTES,
    SECONDS,
    STEP,
    Entry,
    bars,
    mean,
    step_time,
    table,
)
from experiments.suite.protocols import Protocol
from experiments.suite.run_spec import RunSpec
from pilno_jax.runs import files

# By `benchmarks.causality_cost`: runs one after the other are too noisy to tell.
CAUSALITY_COST = Path("results/causality_cost.json")
ONCE_MORE = "TCW lowers the error once more."
PHYSICS, VIRTUAL, CAUSALITY = "+ physics", "+ virtual inputs", "+ TCW"
STAGES = {
    LABELS: LABELS_ONLY,
    PHYSICS: {**NO_VIRTUAL, **EVEN_IN_TIME},
    VIRTUAL: EVEN_IN_TIME,
    CAUSALITY: CAUSAL,
}


def _ablation_claims(rows: Mapping[str, Row]) -> list[Claim]:
    error = {name: mean(row) for name, row in rows.items()}
    physics, virtual = (1 - error[name] / error[LABELS] for name in (PHYSICS, VIRTUAL))
    return [
        Claim(
            f"Physics alone already helps (paper: {_percent(printed.PHYSICS_SAVES)} "
            f"less), virtual inputs more ({_percent(printed.VIRTUAL_INPUTS_SAVE)} "
            "less).",
            f"{physics:.0%} and {virtual:.0%} less",
            verdict(
                error[VIRTUAL] < error[PHYSICS] < error[LABELS],
                virtual > printed.VIRTUAL_INPUTS_SAVE,
            ),
        ),
        Claim(
            ONCE_MORE,
            factor(error[VIRTUAL], error[CAUSALITY]),
            verdict(error[CAUSALITY] < GAIN * error[VIRTUAL]),
        ),
        *_cost_claims(rows),
    ]


def _cost_claims(rows: Mapping[str, Row]) -> list[Claim]:
    alone, physics, virtual = (rows[name] for name in (LABELS, PHYSICS, VIRTUAL))
    costs = files.read_json(CAUSALITY_COST)["added_by_causality"]
    added = next(cost for cost in costs if cost["recipe"] == "rd_forcing")
    limit = printed.TCW_COSTS_AT_MOST
    return [
        Claim(
            "Physics on the labelled inputs costs time and memory.",
            f"{alone[STEP]:.0f} to {physics[STEP]:.0f} ms per step, "
            f"{alone[MEGABYTES]:.0f} to {physics[MEGABYTES]:.0f} MB",
            verdict(
                physics[STEP] > 1.05 * alone[STEP]
                and physics[MEGABYTES] > 1.05 * alone[MEGABYTES]
            ),
        ),
        Claim(
            "Virtual inputs cost the most time.",
            f"{physics[STEP]:.0f} to {virtual[STEP]:.0f} ms per step",
            verdict(
                virtual[STEP] - physics[STEP] > max(physics[STEP] - alone[STEP], 0)
            ),
        ),
        Claim(
            f"TCW costs less than {_percent(limit)} of the time.",
            f"{added['operations']:.3%} more operations, {added['time']:+.1%} of "
            "processor time, measured in turns (results/causality_cost.json)",
            verdict(added["operations"] < limit and added["time"] < limit),
        ),
    ]


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _ablation_figure(
    findings: Findings, rows: Mapping[str, Row]
) -> Mapping[str, Figure]:
    del findings
    columns = {
        STEP: "time per step [ms]",
        MEGABYTES: "peak memory [MB]",
        ERROR: "relative $L^2$ error",
    }
    return {"": bars(rows, columns)}


def _ablation_notes(findings: Findings) -> list[str]:
    even, weighted = (
        findings.error(Key(name))["mean"] for name in (VIRTUAL, CAUSALITY)
    )
    return [
        noise_note(findings, even, weighted),
        "Times and memory are those of one run each.",
    ]


ablation = table(
    "Reaction-diffusion, forcing: what each part costs and brings",
    {name: Entry("rd_forcing", changes) for name, changes in STAGES.items()},
    _ablation_claims,
    extra=step_time,
    draw=_ablation_figure,
    notes=_ablation_notes,
)

LONG, LONG_CONSTANT = "labels only, long", "labels only, long, constant rate"


def _wallclock_runs(protocol: Protocol) -> dict[Key, RunSpec]:
    often_saved = often_saved_runs(protocol)
    specs = {Key(name): often_saved[Key(name)] for name in (LABELS, WEIGHTED)}
    # Either schedule may be the one that labels alone profit from.
    long = {LONG: {}, LONG_CONSTANT: {"train.schedule": "constant"}}
    for name, changes in long.items():
        specs[Key(name)] = protocol.full_run("rd_forcing", {**LABELS_ONLY, **changes})
    return specs


def _wallclock(findings: Findings) -> artifact.Report:
    names = (LABELS, LONG, LONG_CONSTANT, WEIGHTED)
    histories = {name: findings.history(Key(name)) for name in names}
    figure = figures.history_figure(
        histories,
        "elapsed",
        "wall-clock time [s]",
        "Reaction-diffusion, forcing, 25 labels: labels alone, for longer",
    )
    rows, best = [], {}
    for name, history in histories.items():
        best[name] = min(row["validation"] for row in history)
        costs = {"best validation": best[name], SECONDS: history[-1]["elapsed"]}
        rows.append({artifact.NAME: name, **costs})
    alone = min(best[name] for name in (LABELS, LONG, LONG_CONSTANT))
    stays = printed.short(printed.RD_LABELS_ALONE_FOR_LONGER)
    claim = Claim(
        "Training on labels alone for longer does not close the gap.",
        f"{factor(alone, best[WEIGHTED])} (paper: labels alone stay at {stays})",
        verdict(alone > 2 * best[WEIGHTED]),
    )
    return artifact.Report(rows, [claim], {"": figure})


wallclock = artifact.Artifact(
    "Reaction-diffusion, forcing: error over wall-clock time",
    _wallclock_runs,
    _wallclock,
)
