"""Reaction-diffusion, forcing: what the parts of PILNO cost, and what for."""

from collections.abc import Mapping
from pathlib import Path

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
from experiments.paper.causality import CAUSAL, LABELS, ONE_SEED, WEIGHTED, over_time
from experiments.paper.tables import Entry, bars, factor, mean, table
from experiments.suite.protocols import EVEN_IN_TIME, LABELS_ONLY, NO_VIRTUAL, Protocol
from experiments.suite.suite import Run
from pilno_jax.runs import files

# By `benchmarks.causality_cost`: runs one after the other are too noisy to tell.
CAUSALITY_COST = Path("results/causality_cost.json")
STAGES = {
    "labels only": LABELS_ONLY,
    "+ physics": {**NO_VIRTUAL, **EVEN_IN_TIME},
    "+ virtual inputs": EVEN_IN_TIME,
    "+ TCW": CAUSAL,
}


def _ablation_claims(rows: Mapping[str, Row]) -> list[Claim]:
    error = [mean(row) for row in rows.values()]
    times = [row["step [ms]"] for row in rows.values()]
    memory = [row["memory [MB]"] for row in rows.values()]
    costs = files.read_json(CAUSALITY_COST)["added_by_causality"]
    added = next(cost for cost in costs if cost["recipe"] == "rd_forcing")
    return [
        Claim(
            "Physics alone already helps (paper: 39 % less), virtual inputs more "
            "(77 % less).",
            f"{1 - error[1] / error[0]:.0%} and {1 - error[2] / error[0]:.0%} less",
            verdict(error[2] < error[1] < error[0], 1 - error[2] / error[0] > 0.77),
        ),
        Claim(
            "TCW lowers the error once more.",
            factor(error[2], error[3]),
            verdict(error[3] < 0.95 * error[2]),
        ),
        Claim(
            "Physics on the labelled inputs costs time and memory.",
            f"{times[0]:.0f} to {times[1]:.0f} ms per step, {memory[0]:.0f} to "
            f"{memory[1]:.0f} MB",
            verdict(times[1] > 1.05 * times[0] and memory[1] > 1.05 * memory[0]),
        ),
        Claim(
            "Virtual inputs cost the most time.",
            f"{times[1]:.0f} to {times[2]:.0f} ms per step",
            verdict(times[2] - times[1] > max(times[1] - times[0], 0)),
        ),
        Claim(
            "TCW costs less than 1 % of the time.",
            f"{added['operations']:.3%} more operations, {added['time']:+.1%} of "
            "processor time, measured in turns (results/causality_cost.json)",
            verdict(added["operations"] < 0.01 and added["time"] < 0.01),
        ),
    ]


def _ablation_figure(findings: Findings, rows: Mapping[str, Row]):
    del findings
    columns = {
        "step [ms]": "time per step [ms]",
        "memory [MB]": "peak memory [MB]",
        "error": "relative $L^2$ error",
    }
    return {"": bars(rows, columns)}


ablation = table(
    "Reaction-diffusion, forcing: what each part costs and brings",
    {name: Entry("rd_forcing", changes, {}) for name, changes in STAGES.items()},
    _ablation_claims,
    extra=lambda result: {"step [ms]": result["step_ms"]},
    draw=_ablation_figure,
    notes=[ONE_SEED],
)

LONG, LONG_CONSTANT = "labels only, long", "labels only, long, constant rate"


def _wallclock_runs(protocol: Protocol) -> dict[Key, Run]:
    runs = over_time(protocol)
    # Either schedule may be the one that labels alone profit from.
    long = {LONG: {}, LONG_CONSTANT: {"train.schedule": "constant"}}
    found: dict[Key, Run] = {(name, 0): runs[name, 0] for name in (LABELS, WEIGHTED)}
    for name, changes in long.items():
        found[name, 0] = protocol.full_run("rd_forcing", {**LABELS_ONLY, **changes})
    return found


def _wallclock(findings: Findings) -> Report:
    names = (LABELS, LONG, LONG_CONSTANT, WEIGHTED)
    histories = {name: findings.history(name, 0) for name in names}
    figure = figures.history_figure(
        histories,
        "elapsed",
        "wall-clock time [s]",
        "Reaction-diffusion, forcing, 25 labels: labels alone, for longer",
    )
    rows, best = [], {}
    for name, history in histories.items():
        best[name] = min(row["validation"] for row in history)
        seconds = history[-1]["elapsed"]
        rows.append({"": name, "best validation": best[name], "time [s]": seconds})
    alone = min(best[name] for name in (LABELS, LONG, LONG_CONSTANT))
    claim = Claim(
        "Training on labels alone for longer does not close the gap.",
        factor(alone, best[WEIGHTED]) + " (paper: labels alone stay at 1.4e-1)",
        verdict(alone > 2 * best[WEIGHTED]),
    )
    return Report(rows, [claim], {"": figure})


wallclock = Artifact(
    "Reaction-diffusion, forcing: error over wall-clock time",
    _wallclock_runs,
    _wallclock,
)
