"""Newton's method beside corrector stages: what a solver makes of a prediction."""

from collections.abc import Mapping
from typing import Any

from experiments.pages import benchmark_results, markdown
from experiments.suite.registry import BENCHMARKS, WITH_GOAL

FILE = benchmark_results.RESULTS / "newton_steps.json"

INTRODUCTION = """
### Newton's method from the same prediction

Mean error and milliseconds per input in batches of {inputs} of the operators that come
with the package (`python -m benchmarks.newton_steps`, results/newton_steps.json; the
machine's load was up to {load}, other work beside, so that times are upper bounds). A
step solves the linearised equations of the grid in double precision by conjugate
gradients, with the exact Jacobian of one input as preconditioner, which is computed
before the clock starts; all steps are from the first network's field to the zero of the
residual. The error left there is that of the grid, or of single precision.
{alone}
"""
ALONE = "Where there is no number of steps, the grid is large, and one step was taken."
MISSING = "Of {titles}, whose grid is large, nothing was measured."


def section(content: Mapping[str, Any]) -> str:
    """The part of the page on Newton's method, from what the benchmark wrote."""
    configs = content["configs"]
    load = max(one["load_average_at_start"] for one in configs.values())
    missing = [BENCHMARKS[name].title for name in WITH_GOAL if name not in configs]
    alone = MISSING.format(titles=" and ".join(missing)) if missing else ALONE
    count = content["inputs"]
    words = INTRODUCTION.format(inputs=count, load=load, alone=alone)
    known = [config for config in BENCHMARKS if config in configs]
    rows = [row(config, configs[config]) for config in known]
    return f"{words}\n{markdown.table(rows)}"


def row(config: str, one: Mapping[str, Any]) -> dict[str, str | None]:
    """Errors and milliseconds of every answer, and how many steps Newton took."""
    answers, steps = one["answers"], one["newton_steps"]

    def text(name: str) -> str | None:
        if name not in answers:
            return None
        return f"{answers[name]['error']:.1e}, {answers[name]['ms']:.1f} ms"

    means = {name: f"{number:.1f}" for name, number in steps.items()}
    return {
        "benchmark": BENCHMARKS[config].title,
        "first network": text("first network"),
        "in stages": text("in stages"),
        "one Newton step": text("one Newton step"),
        "all steps": text("Newton"),
        "how many": means.get("with the network"),
        "without a network": means.get("without"),
        "solver": f"{answers['solver']['ms']:.2f} ms",
    }
