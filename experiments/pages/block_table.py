"""Whether layers that add their input are better: the table of that study."""

from collections.abc import Mapping, Sequence
from typing import Any

from experiments.pages import benchmark_results, markdown
from experiments.suite.blocks import ADDS
from experiments.suite.registry import BENCHMARKS, fields_of

FILE = benchmark_results.RESULTS / "residual_block.json"

INTRODUCTION = """
### Layers that add their input

The recipes in stages with layers v + act(K v + W v + b) and with act(K v + W v + b):
errors on the validation inputs of the first network and in the end, one seed
(`python -m experiments.residual_block`, results/residual_block.json). The sum costs
nothing. It helps the first network, but where correctors reach the grid's own error,
that gain is gone in the end; recipes use it where the final error falls by a tenth or
more.
"""


def section(content: Mapping[str, Any]) -> str:
    """The part of the page on the study, from what it wrote."""
    configs = dict.fromkeys(row["config"] for row in content["rows"])
    rows = [_row(config, content["rows"]) for config in configs]
    return f"{INTRODUCTION}\n{markdown.table(rows)}"


def _row(config: str, measured: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    cells: dict[str, Any] = {"benchmark": BENCHMARKS[config].name}
    for row in measured:
        if row["config"] == config:
            way = _way(row["adds_input"])
            cells[f"first network, {way}"] = row["first_network"]
            cells[f"in stages, {way}"] = row["in_stages"]
    return cells | {"the recipe's": _way(fields_of(config, "staged")[ADDS])}


def _way(adds_input: bool) -> str:
    return "added" if adds_input else "not added"
