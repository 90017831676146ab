"""The four benchmarks with few labels: errors, and what they cost."""

from collections.abc import Mapping

from experiments.paper import baselines, printed
from experiments.paper.artifact import Claim, Findings, Key, Row, factor, verdict
from experiments.paper.baselines import LABELS, PILNO
from experiments.paper.tables import ERROR, SECONDS, Entry, mean, table
from experiments.suite.registry import BENCHMARKS


def _baseline_name(config: str) -> str:
    rival = BENCHMARKS[config].rival
    return baselines.RIVAL_NAMES[rival] if rival else LABELS


def _rows_of(config: str) -> tuple[str, str]:
    """The rows of a benchmark: its baseline's, and PILNO's."""
    return f"{config}, {_baseline_name(config)}", f"{config}, {PILNO}"


def _entries(errors: Mapping[str, printed.Errors]) -> dict[str, Entry]:
    entries = {}
    for config, error in errors.items():
        benchmark, cost = BENCHMARKS[config], printed.COSTS[config]
        alone = baselines.LABELS_ONLY
        if benchmark.rival:
            alone = baselines.RIVALS[benchmark.rival](benchmark.labels)
        baseline, pilno = _rows_of(config)
        paper = {ERROR: error.baseline, SECONDS: cost.baseline.seconds}
        entries[baseline] = Entry(config, alone, paper)
        paper = {ERROR: error.pilno, SECONDS: cost.pilno.seconds}
        entries[pilno] = Entry(config, {}, paper)
    return entries


def _error_claims(rows: Mapping[str, Row]) -> list[Claim]:
    claims = []
    for config, paper in printed.FEW_LABELS.items():
        without, pilno = (mean(rows[name]) for name in _rows_of(config))
        claims.append(
            Claim(
                f"{config}: PILNO beats its baseline ({paper.baseline:.1e} against "
                f"{paper.pilno:.1e}).",
                factor(without, pilno),
                verdict(pilno < without, pilno < paper.pilno),
            )
        )
    return [*claims, _steadiness(rows)]


def _steadiness(rows: Mapping[str, Row]) -> Claim:
    deviations = {
        config: tuple(rows[name][ERROR]["std"] for name in _rows_of(config))
        for config in printed.FEW_LABELS
    }
    paper = printed.KDV_DEVIATION
    return Claim(
        "PILNO's error deviates less from seed to seed (paper, KdV: "
        f"{printed.short(paper.baseline)} against {printed.short(paper.pilno)}).",
        "; ".join(
            f"{config} {without:.1e} against {pilno:.1e}"
            for config, (without, pilno) in deviations.items()
        ),
        verdict(all(pilno < without for without, pilno in deviations.values())),
    )


def _cost_claims(rows: Mapping[str, Row]) -> list[Claim]:
    ratios = {}
    for config in printed.COSTS:
        without, pilno = (rows[name][SECONDS] for name in _rows_of(config))
        ratios[config] = pilno / without
    paper = [one.pilno.seconds / one.baseline.seconds for one in printed.COSTS.values()]
    return [
        Claim(
            "PILNO takes longer to train than its baseline (paper: "
            f"{min(paper):.0f} to {max(paper):.0f} times).",
            ", ".join(
                f"{config} {ratio:.1f} times" for config, ratio in ratios.items()
            ),
            verdict(all(ratio > 1 for ratio in ratios.values())),
        )
    ]


def _steps_of_labels_alone(findings: Findings) -> list[str]:
    """When the baselines were best, of the steps that PILNO is given as well."""
    best = []
    for config in printed.FEW_LABELS:
        if BENCHMARKS[config].rival:  # counts in epochs of its own
            continue
        baseline, _ = _rows_of(config)
        shares = [
            result["best_step"] / result["steps"]
            for result in findings.over_seeds(Key(baseline))
        ]
        best.append(f"{config} {sum(shares) / len(shares):.0%}")
    note = (
        "Labels alone are given as many steps as PILNO, and judged where their "
        f"validation error is lowest: after {', '.join(best)} of the steps."
    )
    share = findings.protocol.share
    if share < 1:
        note += (
            f" `burgers-data`, `darcy-data` and `rd-data` have them at {share:.0%} of "
            "the steps, the rate lowered by then."
        )
    return [note]


def _times_by_seed(findings: Findings) -> list[str]:
    """How far the times of a benchmark's seeds lie apart, and where they were taken."""
    apart = {}
    for config in printed.COSTS:
        _, pilno = _rows_of(config)
        results = findings.over_seeds(Key(pilno))
        seconds = [result["wall_clock_seconds"] for result in results]
        apart[config] = max(seconds) / min(seconds)
    devices = sorted(
        {findings.result(key)["device"] for key in _last_seed(findings)},
    )
    note = f"Times are those of the last seed, on {' and '.join(devices)}"
    if findings.num_seeds() > 1:
        worst = max(apart, key=lambda config: apart[config])
        note += (
            f"; between seeds of one benchmark they differ by up to a factor of "
            f"{apart[worst]:.1f} ({worst})"
        )
    return [f"{note}."]


def _last_seed(findings: Findings) -> list[Key]:
    last = findings.protocol.main_seeds[-1]
    return [key for key in findings.runs if key.seed == last]


errors = table(
    "PILNO and its baselines on the four benchmarks",
    _entries(printed.FEW_LABELS),
    _error_claims,
    full=True,
    notes=_steps_of_labels_alone,
)
costs = table(
    "Training time and error",
    _entries(
        {
            config: printed.Errors(cost.pilno.error, cost.baseline.error)
            for config, cost in printed.COSTS.items()
        }
    ),
    _cost_claims,
    full=True,
    notes=_times_by_seed,
)
