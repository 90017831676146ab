"""The tables of docs/oscillators.md, from results/oscillators.json."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from experiments.pages import markdown
from experiments.poles import rivals
from experiments.poles.published import RERUNS, STRONGEST
from pilno_jax.runs import files

RESULTS, PAGE = Path("results/oscillators.json"), Path("docs/oscillators.md")
IDEAS = Path("results/pole_ideas.json")  # of trials whose code is gone
COMMAND = "python -m experiments.oscillator_rivals"
FLOOR = "the grid's own error"
WAYS = rivals.WAYS
WAY_SHOWN = {rivals.LABELS: "labels alone", rivals.EQUATION: "with the equation"}
TRAINED = {rivals.PUBLISHED_LAW: "A sin 5t", rivals.RANDOM_LAW: "random forcings"}

Row = Mapping[str, Any]


def write(rows: Sequence[Row]) -> None:
    """Make the tables of the page anew.

    Args:
        rows: of finished entries, see `poles.measure`.
    """
    text = PAGE.read_text()
    waves = [row for row in rows if row["system"] in rivals.WAVES]
    tables = {
        "labels": comparison(rows, rivals.LABELS),
        "equation": comparison([*rows, *corrected(rows)], rivals.EQUATION),
        "waves": on_waves(waves),
        "published": against_reruns(rows),
        "poles": learned_poles(waves),
        "ideas": ideas(rows, files.read_json(IDEAS)),
    }
    for name, table in tables.items():
        shown = markdown.table(table) if table else "No such entry is finished yet."
        text = markdown.fill(text, f"{COMMAND}: {name}", shown)
    text = markdown.fill(text, f"{COMMAND}: so far", so_far(rows))
    files.write_text(PAGE, text)


def so_far(rows: Sequence[Row]) -> str:
    """How much of the comparison is trained, and what empty cells are."""
    planned = list(rivals.entries())
    left = len(planned) - len(rows)
    none = "An empty cell is no entry of the comparison"
    if not left:
        return f"All {len(planned)} entries are trained. {none}."
    return (
        f"{len(rows)} of {len(planned)} entries are trained so far. {none}, "
        f"or one of the {left} that are left."
    )


def comparison(rows: Sequence[Row], way: str) -> list[dict[str, Any]]:
    """A row for each oscillator and law: the error of every network, the lowest bold.

    Args:
        rows: of finished entries.
        way: "labels" alone, or with the "equation".
    """
    oscillators = rivals.OSCILLATORS
    chosen = [
        row
        for row in rows
        if row["way"] == way
        and row["system"] in oscillators
        and row["network"] != rivals.NEAREST
    ]
    networks = list(dict.fromkeys(row["network"] for row in chosen))
    table = []
    for system in oscillators:
        for law in rivals.LAWS:
            cells = {
                row["network"]: row["errors"]
                for row in chosen
                if (row["system"], row["law"]) == (system, law)
            }
            if not cells:
                continue
            rated = [name for name in cells if name != FLOOR]
            medians = {name: shown_median(cells[name]) for name in rated}
            lowest = min(medians.values(), key=float)
            contest = len(rated) > 1
            shown = {
                name: told(cells[name], contest and medians.get(name) == lowest)
                if name in cells
                else ""
                for name in networks
            }
            table.append({"system": system, "trained on": TRAINED[law], **shown})
    return table


def corrected(rows: Sequence[Row]) -> list[Row]:
    """Networks that learned from labels alone, once the equation has corrected them;
    what it makes of no network at all, and of the labels."""
    sources = {
        f"{rivals.LOOPED}, corrected": "corrected",
        "no network, corrected": "corrected_without_network",
        FLOOR: "corrected_labels",
    }
    found = []
    for name, field in sources.items():
        for row in rows:
            if field in row:
                errors = np.atleast_1d(row[field]).tolist()
                way = rivals.EQUATION
                found.append({**row, "network": name, "way": way, "errors": errors})
    return found


def on_waves(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """What each network reaches from labels and with the equation, and its size."""
    table: dict[tuple[str, str], dict[str, Any]] = {}
    for row in sorted(rows, key=lambda row: (row["system"], WAYS.index(row["way"]))):
        cells = {
            "system": row["system"],
            "network": row["network"],
            "parameters": row["parameters"],
            **{WAY_SHOWN[way]: "" for way in WAYS},
        }
        line = table.setdefault((row["system"], row["network"]), cells)
        line[WAY_SHOWN[row["way"]]] = told(row["errors"])
    return list(table.values())


def against_reruns(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """LNO's published protocol here and as others ran it again."""
    table = []
    for system, others in RERUNS.items():
        found = {
            row["network"]: row
            for row in rows
            if (row["system"], row["law"]) == (system, rivals.PUBLISHED_LAW)
            and row["way"] == rivals.LABELS
        }
        of_system = {name: row["errors"] for name, row in found.items()}
        protocol = of_system.pop(rivals.LNO_PROTOCOL, None)
        weaker = found.get(rivals.LNO_PROTOCOL, {}).get("published_test")
        table_of_labels = of_system.pop(rivals.NEAREST, None)
        ours = {name: float(np.median(each)) for name, each in of_system.items()}
        best = min(ours, key=lambda name: ours[name], default="")
        table.append(
            {
                "system": system,
                "LNO, others' re-runs": " / ".join(f"{x:.3g}" for x in others.lno),
                "FNO, another's re-run": f"{others.fno:.3g}",
                "nearest label": told(table_of_labels) if table_of_labels else "",
                "LNO's protocol here": told(protocol) if protocol else "",
                f"A up to {STRONGEST}, as theirs": told(weaker) if weaker else "",
                "best of ours": f"{best}: {told(of_system[best])}" if best else "",
                "its best start": best_start(rows, system, best),
            }
        )
    return table


def best_start(rows: Sequence[Row], system: str, network: str) -> str:
    """The error of the seed that validation would choose; empty where none is kept."""
    wanted = system, rivals.PUBLISHED_LAW, network, rivals.LABELS
    for row in rows:
        found = row["system"], row["law"], row["network"], row["way"]
        if found == wanted and "validation" in row:
            known = [math.inf if e is None else e for e in row["validation"]]
            return f"{row['errors'][int(np.argmin(known))]:.3g}"
    return ""


def ideas(rows: Sequence[Row], tried: Sequence[Row]) -> list[dict[str, Any]]:
    """What became of networks by an idea for their poles, below what they were.

    Args:
        rows: of finished entries.
        tried: the same with an "idea" each, of some of the entries.
    """
    columns = ("system", "law", "network", "way")
    known = {tuple(row[name] for name in columns): row for row in rows}
    table: dict[tuple[str, str], dict[str, Any]] = {}
    for row in sorted(tried, key=lambda row: row["network"]):
        before = known.get(tuple(row[name] for name in columns))
        for idea, found in (("as it is", before), (row["idea"], row)):
            if found is not None:
                cells = {"network": row["network"], "poles": idea}
                line = table.setdefault((row["network"], idea), cells)
                line[row["system"]] = told(found["errors"])
    return list(table.values())


def layers_with_poles(rows: Sequence[Row]) -> list[Row]:
    """The linear layers that found a wave's poles from labels alone."""
    return [row for row in rows if "poles" in row and row["way"] == rivals.LABELS]


def learned_poles(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Of one linear layer, how near to a wave's true pole the learned one is."""
    table = []
    for row in layers_with_poles(rows):
        for of_seeds in zip(*row["poles"], strict=True):
            away = [pole["relative_distance"] for pole in of_seeds]
            middle = of_seeds[int(np.argsort(away)[len(away) // 2])]
            true, near = (complex(*middle[name]) for name in ("true", "learned"))
            table.append(
                {
                    "system": row["system"],
                    "true pole": f"{true:.3f}".replace("j", " i"),
                    "learned, median seed": f"{near:.3f}".replace("j", " i"),
                    "relative distance": told(away),
                }
            )
    return table


def told(errors: Sequence[float], is_best: bool = False) -> str:
    """Median and, of several seeds, range."""
    median = shown_median(errors)
    median = f"**{median}**" if is_best else median
    if len(errors) == 1:
        return median
    return f"{median} ({min(errors):.2g} to {max(errors):.2g})"


def shown_median(errors: Sequence[float]) -> str:
    """The median to three digits; what is equal in them is as good."""
    return f"{float(np.median(errors)):.3g}"
