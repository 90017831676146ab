"""The tables of docs/parameters.md, from results/coefficients/*.json."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from experiments.pages import markdown
from experiments.paper.baselines import PILNO
from experiments.suite.coefficient_studies import STUDIES
from pilno_jax.runs import files

RESULTS, PAGE = Path("results/coefficients"), Path("docs/parameters.md")
COMMAND = "python -m experiments.over_coefficients"


def write() -> None:
    """Make the tables of the page anew, of every study."""
    files.write_text(PAGE, page(PAGE.read_text()))


def page(text: str) -> str:
    """The text of the page with its tables as the results have them."""
    for name in STUDIES:
        path, command = RESULTS / f"{name}.json", f"`{COMMAND} --study={name}`"
        known = path.exists()
        shown = section(files.read_json(path)) if known else f"Not run yet: {command}."
        text = markdown.fill(text, f"{COMMAND}: {name}", shown)
    return text


def section(content: Mapping[str, Any]) -> str:
    """A table, the picture where there is one, and how it compares."""
    values = [f"{value:g}" for value in content["tested"]]
    rows = [
        {
            "trained on": trained,
            "with": words(variant),
            "its own law": f"{content['own_law'][variant][trained]:.1e}",
            **cells(values, errors),
        }
        for variant, by in content["relative_l2"].items()
        for trained, errors in by.items()
    ]
    grid = {"trained on": "the grid's own", **cells(values, content["grid"])}
    option = content["option"].replace("_", " ")
    parts = [markdown.table([*rows, grid]), "", comparison(content)]
    if content["figure"]:
        name = content["study"]
        parts += ["", f"![Errors over the {option}, maps](figures/{name}.png)"]
    return "\n".join(parts)


def words(variant: str) -> str:
    return "the equation" if variant == PILNO else "labels alone"


def cells(values: list[str], errors: list[float | None]) -> dict[str, str]:
    told = ["" if error is None else f"{error:.1e}" for error in errors]
    return dict(zip(values, told, strict=True))


def comparison(content: Mapping[str, Any]) -> str:
    """The whole law's operator beside those of one value and the grid's own error."""
    seconds = sum(run["wall_clock_seconds"] for run in content["runs"])
    count = len(content["runs"])
    runs = f"{count} run{'s' if count > 1 else ''}"
    cost = f"{runs}, {seconds / 60:.0f} min in all beside other work."
    parts = (over_one_value(content), over_the_grid(content), cost)
    return " ".join(part for part in parts if part)


def over_one_value(content: Mapping[str, Any]) -> str:
    if not content["ratios"]:
        return ""
    low, high = content["law"]
    ratios = [f"{ratio:.2g} at {at}" for at, ratio in content["ratios"].items()]
    worst = max(content["ratios"].values())
    verdict = "kept there" if worst <= content["goal"] else "missed"
    default = content["of_one_value"]
    of_default = (
        f" At {default['at']:g} that is the default recipe, {default['seeds']} seeds, "
        f"{default['error']:.1e}."
        if default and f"{default['at']:g}" not in _trained(content)
        else ""
    )
    return (
        f"The operator of the whole law, {low:g} to {high:g}, has so many times the "
        f"error of one trained at the value alone in as many steps: {', '.join(ratios)}"
        f" (goal: {content['goal']:g}, {verdict}).{of_default}"
    )


def over_the_grid(content: Mapping[str, Any]) -> str:
    """Inside the law; an operator of one value cannot be expected below 1 either."""
    if content["law"] is None:
        return on_other_laws(content)
    low, high = content["law"]
    whole = next(iter(content["relative_l2"][PILNO].values()))
    each = zip(content["tested"], whole, content["grid"], strict=True)
    ratios = [
        f"{error / own:.2g} at {at:g}"
        for at, error, own in each
        if own and low <= at <= high
    ]
    return f"Of the grid's own error it has so many times: {', '.join(ratios)}."


def on_other_laws(content: Mapping[str, Any]) -> str:
    """How far operators of one law are from the grid's own error, on it and others."""
    own, other = [], []
    for trained, errors in content["relative_l2"][PILNO].items():
        for tested, error, grid in zip(
            content["tested"], errors, content["grid"], strict=True
        ):
            if grid:
                (own if tested == float(trained) else other).append(error / grid)
    if not own or not other:
        return ""
    return (
        f"With the equation errors are at most {max(own):.2g} times the grid's own on "
        f"the law of the training, and {max(other):.2g} times on others."
    )


def _trained(content: Mapping[str, Any]) -> set[str]:
    return {name for by in content["relative_l2"].values() for name in by}
