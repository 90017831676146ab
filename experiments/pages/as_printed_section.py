"""The part of docs/reproduction.md on the paper's own recipes at their own length."""

from collections.abc import Mapping, Sequence
from typing import Any

from experiments.pages import benchmark_results, claim_lines, markdown
from experiments.paper import as_printed_claims
from experiments.paper.artifact import Claim
from experiments.paper.as_printed import EPOCHS, SHORT, is_main, trainings
from experiments.paper.as_printed_rows import SETTLED
from experiments.paper.causality import GAIN
from pilno_jax.runs import files

Content = Mapping[str, Any]  # of the json, or of one of its trainings

TIMES = benchmark_results.RESULTS / "printed_recipes.json"

TEXT = f"""## As printed

The paper's own recipes (`configs/<config>.py:paper`) for its {EPOCHS} epochs, one seed
each unless the row says otherwise (`python -m experiments.as_printed`). "Ours" is the
error on the test inputs, of trainings that are finished or were cut off after
{SETTLED} epochs or more; the dashed lines are what the paper prints. The spread is the
standard deviation over the test inputs; the first trainings did not keep it. Validation
errors are of the labels' law: of "5 to 0.5" at length scale 5, where "ours" and what is
printed are at 0.5. Norms in the loss are sums over nodes, see below, unless a row says
means. Minutes are of one core that shared its machine with another training, pauses
included (LNO with a small start had two cores to itself). Between two trainings a
difference below {1 - GAIN:.0%} counts as none.
"""
BESIDE = """### Beside the default recipes

Errors on the same test set: as printed of seed 0, in stages of three seeds. Seconds of
whole trainings of both on the same two quiet cores, from the times of their steps
(`python -m benchmarks.printed_recipes`, results/printed_recipes.json), also where there
was no time to train as printed. The last columns are what is printed over what is in
stages.
"""
WHY = f"""### What an error as printed depends on

The beginning, {SHORT} epochs, of ALNO's training on labels alone of Burgers' equation,
one change at a time, one seed. First on 200 labels. The paper writes squared norms and
does not say whether its program takes their sum over the nodes or their mean. With sums
the training as printed comes down, so sums it is. The likely reason: torch's Adam adds
weight decay to the gradient before it divides by the gradient's size, and beside a
mean, whose gradient is small, a decay of 1e-4 can be much of the step.

FNO and LNO then come near the errors that are printed of them, and ALNO does not. A
tenth of the rate, kernels that start small (see below) and fewer channels take a part
of its error, the paper's DFT sum less; sines, relative errors as loss, poles in time
alone and own poles for each pair of channels take none. FNO has about half of ALNO's
error from the beginning, and what it lacks is the transient branch. At full length the
gains are smaller: neither batches of 3 nor a small start, at the printed rate or a
tenth of it, bring ALNO below FNO (first table).
"""
FEW = """On 25 labels sums are not enough: the network soon knows its labels by heart
and is wrong elsewhere. What moves that is the rate, and where kernels start: "small" is
Glorot's rule as torch applies it to a whole tensor of weights, modes included, in the
place of ours, which takes each mode for a layer (`model.kernel_start`). The paper says
"Glorot-normal" and no more. Batches of 3 are those of training with the equation; of
labels alone the paper says nothing. One batch of all labels, a step an epoch, with
kernels that start small is the second reading in the first table: at the printed rate
it brings Burgers' equation near the printed error, and reaction-diffusion under a
forcing no nearer. With the equation, in one short trial that is in no results file, the
start made no difference, and our recipes keep theirs.
"""
FORCED = """The same of reaction-diffusion under a forcing, 25 labels alone. It is rate
and start again: at a tenth of the rate less than half of the error is left, and with
kernels that start small as well the error falls below the printed one in these few
epochs. Without the transient branch (FNO), or with fewer poles, it is no lower.
"""
# What the names of short trainings begin with -> what is said of them.
REASONS = {
    "Burgers, 200 labels": WHY,
    "Burgers, 25 labels": FEW,
    "Reaction-diffusion, forcing, 25 labels": FORCED,
}


def read() -> Content | None:
    """The content of the json, if there is one."""
    path = benchmark_results.RESULTS / "reproduction/as-printed.json"
    return files.read_json(path) if path.exists() else None


def by_config(content: Content) -> dict[str, Content]:
    """The main training of each recipe that has a test error."""
    config = {one.name: one.run.config for one in filter(is_main, trainings())}
    known = [row for row in _long(content) if row["error"] is not None]
    return {config[row["name"]]: row for row in known if row["name"] in config}


def summary(content: Content) -> str:
    """How many claims hold, which could not be judged, and how much was trained."""
    rows = _long(content)
    judged = as_printed_claims.claims(rows)
    finished = [one for one in rows if one["finished"]]
    planned = [one for one in trainings() if one.epochs == EPOCHS]
    left = as_printed_claims.not_tested(rows)
    text = (
        f"**As printed**, with the paper's own recipes at their own length: "
        f"{claim_lines.counted([claim.verdict for claim in judged])}. "
        f"{len(finished)} of {len(planned)} trainings are finished, for which this "
        f"machine takes minutes to hours each.\n"
    )
    if left:
        listed = "\n".join(f"- {sentence}" for sentence in left)
        text += f"\n**Not judged as printed**, for want of that time:\n\n{listed}\n"
    return text


def judged_again(content: Content) -> dict[str, list[Claim]]:
    """Sentences that our recipes were judged by -> what becomes of them as printed."""
    return as_printed_claims.judged_again(_long(content))


def section(content: Content) -> str:
    """The tables and the curves."""
    rows = _long(content)
    lines = [TEXT, *_left_to_gain(rows), markdown.table(list(map(_row, rows))), ""]
    lines += map(claim_lines.line, as_printed_claims.claims(rows))
    if any(len(one["curve"]) > 1 for one in rows):
        lines += ["", "![Validation errors over epochs](figures/as-printed.png)"]
    if TIMES.exists():
        beside = _beside(content, files.read_json(TIMES)["configs"])
        lines += ["", BESIDE, markdown.table(beside)]
    for begins, text in REASONS.items():
        reasons = [
            _reason(one)
            for one in content["trainings"]
            if one["length"] == SHORT and one["name"].startswith(begins)
        ]
        if reasons:
            lines += ["", text, markdown.table(reasons)]
    return "\n".join([*lines, ""])


def _long(content: Content) -> Sequence[Content]:
    return [one for one in content["trainings"] if one["length"] == EPOCHS]


def _left_to_gain(rows: Sequence[Content]) -> list[str]:
    """What the epochs behind `SETTLED` brought where they were run."""
    gains = []
    for one in rows:
        by_then = [error for epoch, error in one["curve"] if epoch <= SETTLED]
        if one["epochs"] == EPOCHS and by_then:
            gains.append(1 - one["lowest_validation"] / min(by_then))
    if not gains:
        return []
    return [
        f"In the {len(gains)} trainings that ran all epochs, those after the "
        f"{SETTLED}th lowered the validation error by at most {max(gains):.0%}.\n"
    ]


def _row(training: Content) -> dict[str, Any]:
    done = f"{training['epochs']:.0f} of {training['length']}"
    early = training["finished"] and training["epochs"] < training["length"]
    return {
        "training": training["name"],
        "printed": training["printed"],
        "ours": training["error"],
        "spread over cases": training.get("deviation"),
        "lowest validation error": training["lowest_validation"],
        "epochs": f"{done}{', stopped early' if early else ''}",
        "minutes": f"{training['seconds'] / 60:.0f}",
    }


def _beside(content: Content, times: Content) -> list[dict[str, Any]]:
    """The paper's main results as printed and in stages.

    Args:
        content: of the json.
        times: steps and seconds of both recipes, by config.
    """
    errors = {one["name"]: one["error"] for one in _long(content)}
    results, table = benchmark_results.read_results(), []
    for training in filter(is_main, trainings()):
        config = training.run.config
        if config not in times:
            continue
        printed, staged = (times[config][recipe] for recipe in ("paper", "staged"))
        error = errors.get(training.name)
        in_stages = benchmark_results.mean_of(
            config, benchmark_results.in_stages(config, results)
        )
        times_less = error / in_stages["mean"] if error and in_stages else None
        table.append(
            {
                "training": training.name,
                "printed": training.error,
                "as printed, ours": error,
                "steps": printed["steps"],
                "seconds": round(printed["seconds"]),
                "in stages": in_stages,
                "its steps": staged["steps"],
                "its seconds": round(staged["seconds"]),
                "error": times_less and f"x {times_less:.0f}",
                "time": f"x {printed['seconds'] / staged['seconds']:.0f}",
            }
        )
    return table


def _reason(training: Content) -> dict[str, Any]:
    return {
        "changed": training["name"].partition("epochs: ")[2] or training["name"],
        "test error": training["error"],
        "lowest validation error": training["lowest_validation"],
    }
