"""The tables of docs/oscillators.md, from results/oscillators.json."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from experiments.pages import markdown
from experiments.poles import rivals
from experiments.poles.published import RERUNS
from pilno_jax.runs import files

RESULTS, PAGE = Path("results/oscillators.json"), Path("docs/oscillators.md")
COMMAND = "python -m experiments.oscillator_rivals"
# What a law is tested on: the published one on another shape than it is trained on.
TESTED = {rivals.PUBLISHED_LAW: "decaying", rivals.RANDOM_LAW: "own"}
TRAINED = {rivals.PUBLISHED_LAW: "A sin 5t", rivals.RANDOM_LAW: "random forcings"}

Row = Mapping[str, Any]


def write(rows: Sequence[Row]) -> None:
    """Make the tables of the page anew.

    Args:
        rows: of finished runs, as `poles.rivals.gather` returns them.
    """
    text = PAGE.read_text()
    tables = {
        "labels": comparison(rows, rivals.LABELS),
        "equation": comparison(rows, rivals.EQUATION),
        "published": against_reruns(rows),
        "poles": learned_poles(rows),
    }
    for name, table in tables.items():
        shown = markdown.table(table) if table else "No such run is finished yet."
        text = markdown.fill(text, f"{COMMAND}: {name}", shown)
    files.write_text(PAGE, text)


def comparison(rows: Sequence[Row], way: str) -> list[dict[str, Any]]:
    """A row for each system and law: the error of every network, the lowest bold.

    Args:
        rows: of finished runs.
        way: "labels" alone, or with the "equation".
    """
    found = [row for row in rows if row["way"] == way]
    staged = [rivals.STAGED] if way == rivals.EQUATION else []
    networks = [*staged, *rivals.ALONG_TIME]
    table = []
    for system in rivals.SYSTEMS:
        for law in rivals.LAWS:
            own = [r for r in found if (r["system"], r["law"]) == (system, law)]
            errors = {
                network: errors_of(own, network, TESTED[law]) for network in networks
            }
            errors = {network: some for network, some in errors.items() if some}
            if not errors:
                continue
            best = min(errors, key=lambda name: float(np.median(errors[name])))
            cells = {
                network: told(some, network == best) for network, some in errors.items()
            }
            blank = dict.fromkeys(networks, "")
            table.append(
                {"system": system, "trained on": TRAINED[law], **blank, **cells}
            )
    return table


def against_reruns(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """LNO's published protocol here and as others ran it again."""
    table = []
    for system, others in RERUNS.items():
        own = [r for r in rows if r["system"] == system and r["way"] == rivals.LABELS]
        own = [r for r in own if r["law"] == rivals.PUBLISHED_LAW]
        protocol = errors_of(own, rivals.LNO_PROTOCOL, "decaying")
        ours = {
            name: errors_of(own, name, "decaying")
            for name in rivals.ALONG_TIME
            if errors_of(own, name, "decaying")
        }
        best = min(ours, key=lambda name: float(np.median(ours[name])), default="")
        table.append(
            {
                "system": system,
                "LNO, others' re-runs": " / ".join(f"{x:.3g}" for x in others.lno),
                "FNO, another's re-run": f"{others.fno:.3g}",
                "LNO's protocol here": told(protocol) if protocol else "",
                "best of ours": f"{best}: {told(ours[best])}" if best else "",
            }
        )
    return table


def learned_poles(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Of one linear layer, the learned pole nearest to each true one."""
    table = []
    for row in rows:
        if row["seed"] == 0:
            for pole in row.get("poles", ()):
                near = complex(*pole["learned"])
                true = complex(*pole["true"])
                table.append(
                    {
                        "system": row["system"],
                        "true pole": f"{true:.3f}".replace("j", " i"),
                        "nearest learned": f"{near:.3f}".replace("j", " i"),
                        "relative distance": pole["relative_distance"],
                    }
                )
    return table


def errors_of(rows: Iterable[Row], network: str, law: str) -> list[float]:
    """The mean test error of every finished seed of a network."""
    own = (row for row in rows if row["network"] == network)
    return [row["errors"][law] for row in own if law in row["errors"]]


def told(errors: Sequence[float], is_best: bool = False) -> str:
    """Median and, of several seeds, range."""
    median = f"{float(np.median(errors)):.3g}"
    median = f"**{median}**" if is_best else median
    if len(errors) == 1:
        return median
    return f"{median} ({min(errors):.2g} to {max(errors):.2g})"
