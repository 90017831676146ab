"""What report.html says: the answer first, then how it came about, the rest folded."""

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from experiments.run import beside
from pilno_jax.problems import Problem
from pilno_jax.readable_numbers import duration, percent, rounded
from pilno_jax.runs import report_page

CAPTIONS = {
    "field_median": "A typical case: half of the test inputs have a smaller error. "
    "Reference and prediction share a colour scale, their difference has its own.",
    "field_worst": "The worst of the test inputs, drawn alike.",
    "error_distribution": "How many test inputs have which relative error.",
    "stages": "The typical case again: the solution, and what is wrong with the "
    "prediction after the first network and after each correction.",
    "loss_terms": "What training makes small: the loss, and its terms before they are "
    "weighted, averaged over the steps between two rows of the log.",
    "validation_error": "The error on inputs that were kept aside, over steps and over "
    "time. The parameters of the lowest one are kept.",
    "slices_worst": "The two worst test inputs along lines: the reference broad and "
    "pale, the prediction on top of it.",
    "error_bar": "The error that the operator expects of itself, without a reference, "
    "and the true one, for each test input.",
    "poles": "The poles that the last network learned, in units of each axis.",
}
FIRST = ("field_median", "field_worst", "error_distribution")
HISTORY = ("stages", "validation_error", "loss_terms", "slices_worst", "poles")
# What is said in sentences and tables, and needs no row of its own.
TOLD = ("command", "complete_config", "versions", "code", "changes")


def whole_page(
    problem: Problem, result: dict[str, Any], config: dict[str, Any], drawn: list[Path]
) -> str:
    """report.html.

    Args:
        problem: what was learned.
        result: the content of result.json.
        config: the complete config.
        drawn: PNG files; captions are known for the names of `CAPTIONS`.
    """
    name = problem.statement.title or problem.name.replace("_", " ")
    title = f"{name}, learned by {network(result, config)}"
    shown = _captioned(drawn)
    return report_page.page(
        title,
        report_page.heading(title, problem.statement),
        report_page.paragraph(error_sentence(result), "lead"),
        report_page.paragraph(f"{beside.comparisons(result)} {cost_sentence(result)}"),
        shown(FIRST, "first"),
        report_page.section(
            "How it was trained",
            report_page.table(stage_rows(result)),
            shown(HISTORY),
        ),
        report_page.section(
            "Errors on other inputs", report_page.table(law_rows(result))
        ),
        report_page.section(
            "What it knows of its own error",
            report_page.paragraph(bar_sentence(result.get("error_bar"))),
            shown(("error_bar",)),
        ),
        report_page.section(
            "How to repeat it",
            report_page.command(result["command"]),
            _changed(result),
            report_page.folded("The complete config", report_page.fields(config)),
            report_page.folded("Code and versions", report_page.fields(_about(result))),
            report_page.folded(
                "Every number of result.json",
                report_page.fields({k: v for k, v in result.items() if k not in TOLD}),
            ),
        ),
    )


def network(result: dict[str, Any], config: dict[str, Any]) -> str:
    """ "an ALNO in 3 stages"."""
    stages = 1 + len(config.get("stages", {}).get("steps", ()))
    name = result["model"].upper()
    article = "an" if name[0] in "AFLMNRSX" else "a"
    return f"{article} {name}" + (f" in {stages} stages" if stages > 1 else "")


def error_sentence(result: dict[str, Any]) -> str:
    """The result: an error, its spread, and from how many solved examples."""
    error = beside.error_that_counts(result)
    labels = result["num_train"]
    source = f"{labels} solved examples and the equation" if labels else "the equation"
    return (
        f"From {source} alone it learned to predict u with an error of "
        f"{percent(error['mean'])} on average, ± {percent(error['std'])} from one test "
        f"input to the next, {percent(error['max'])} at worst, relative to the size of "
        "the solution."
    )


def cost_sentence(result: dict[str, Any]) -> str:
    taken = duration(result["wall_clock_seconds"])
    steps = f"{result['steps']:,} steps of {result['num_params']:,} parameters"
    memory = f"{rounded(result['peak_memory_mb'] / 1024)} GB of memory"
    return f"It took {taken} on {device(result['device'])}: {steps}, in {memory}."


def device(text: str) -> str:
    """ "2 CPU cores" of "1 x cpu (2 cores)"; others as they are."""
    cores = re.fullmatch(r"1 x cpu \((\d+) cores?\)", text)
    return f"{cores[1]} CPU core{'s' * (cores[1] != '1')}" if cores else text


def stage_rows(result: dict[str, Any]) -> list[dict[str, str]]:
    """Errors after the first network and after each correction; none without any."""
    stages = result.get("relative_l2_by_stage") or []
    names = stage_names(len(stages))
    return [
        {"after": name, **_spread(error)}
        for name, error in zip(names, stages, strict=True)
    ]


def stage_names(count: int) -> list[str]:
    """What fields are called that an operator has one after the other."""
    return ["first network", *(f"correction {n}" for n in range(1, count))][:count]


def law_rows(result: dict[str, Any]) -> list[dict[str, str]]:
    """Errors by law of the inputs, and how often the error bar was right there."""
    bars = result.get("error_bar_by_law") or {}
    rows = []
    for law, error in (result.get("relative_l2_by_law") or {}).items():
        name = law.replace("_", " ").replace("=", " ")
        rows.append({"inputs of": name, **_spread(error)})
        if bar := bars.get(law):
            rows[-1]["below its own bound"] = percent(bar["coverage"])
    return rows


def bar_sentence(bar: dict[str, float] | None) -> str:
    if not bar:
        return ""
    return (
        "The residual of a prediction tells its error without a reference. On the "
        "test inputs this estimate was within a factor of 1.5 of the truth for "
        f"{percent(bar['within_1.5'])} and within 3 for {percent(bar['within_3'])}; "
        "the bound that it gives, meant for 90 %, was kept by "
        f"{percent(bar['coverage'])}. {percent(bar['unlike'])} of the inputs were "
        "taken for ones unlike the training."
    )


def _spread(error: dict[str, float]) -> dict[str, str]:
    return {
        "mean error": percent(error["mean"]),
        "±": percent(error["std"]),
        "worst": percent(error["max"]),
    }


def _captioned(drawn: list[Path]) -> Callable[..., str]:
    """(names, layout) -> those of the figures that were drawn, over their captions."""
    by_name = {path.stem: path for path in drawn}

    def shown(names: Iterable[str], layout: str = "") -> str:
        wanted = {by_name[n]: CAPTIONS[n] for n in names if n in by_name}
        return report_page.pictures(wanted, layout)

    return shown


def _changed(result: dict[str, Any]) -> str:
    """The fields in which the run differs from its recipe."""
    recipe = f"configs/{result.get('config')}.py:{result['recipe']}"
    if not (changes := result.get("changes")):
        return report_page.paragraph(f"All settings are those of {recipe}.")
    words = report_page.paragraph(f"Settings that differ from {recipe}:")
    return words + report_page.fields(changes)


def _about(result: dict[str, Any]) -> dict[str, Any]:
    return {name: result[name] for name in ("code", "versions") if name in result}
