"""The part of docs/reproduction.md on the paper's own recipes at their own length."""

from collections.abc import Mapping, Sequence
from typing import Any

from experiments.pages import markdown
from experiments.paper.as_printed import EPOCHS, SHORT, trainings

Content = Mapping[str, Any]  # of the json, or of one of its trainings

NEAR = 1.3  # times the printed error
TEXT = f"""## As printed

The paper's own recipes (`configs/<config>.py:paper`) for its {EPOCHS} epochs, one seed
each unless the row says otherwise (`python -m experiments.as_printed`). "Ours" is the
error on the test inputs, of finished trainings alone; the dashed lines are what the
paper prints.
"""
WHY = f"""### What an error as printed depends on

The beginning, {SHORT} epochs, of ALNO's training on 200 labels of Burgers' equation,
one change at a time, one seed. Torch's Adam adds weight decay to the gradient before it
divides by the gradient's size. A likely reason for what the decay costs here: beside a
*mean* of squared errors, whose gradient is small, 1e-4 can be most of the step; beside
a *sum* over nodes and samples it would be little. That was not measured, and the paper,
which writes norms, does not say which of the two its program takes.
"""


def summary(content: Content) -> str:
    """How many trainings are finished, and reach what the paper prints."""
    finished = [one for one in _long(content) if one["finished"]]
    printed = [one for one in finished if one["printed"]]
    reached = [one for one in printed if one["error"] <= NEAR * one["printed"]]
    planned = [one for one in trainings() if one.epochs == EPOCHS]
    return (
        f"**As printed**, with the paper's own recipes at their own length: "
        f"{len(finished)} of {len(planned)} trainings are finished, for which this "
        f"machine takes minutes to hours each; of the {len(printed)} whose error the "
        f"paper prints, {len(reached)} came within 30 % of it.\n"
    )


def section(content: Content) -> str:
    """The tables and the curves."""
    lines = [TEXT, markdown.table([_row(one) for one in _long(content)])]
    if any(len(one["curve"]) > 1 for one in _long(content)):
        lines += ["", "![Validation errors over epochs](figures/as-printed.png)"]
    reasons = [one for one in content["trainings"] if one["length"] == SHORT]
    if reasons:
        lines += ["", WHY, markdown.table([_reason(one) for one in reasons])]
    return "\n".join([*lines, ""])


def _long(content: Content) -> Sequence[Content]:
    return [one for one in content["trainings"] if one["length"] == EPOCHS]


def _row(training: Content) -> dict[str, Any]:
    done = f"{training['epochs']:.0f} of {training['length']}"
    early = training["finished"] and training["epochs"] < training["length"]
    return {
        "training": training["name"],
        "printed": training["printed"],
        "ours": training["error"],
        "lowest validation error": training["lowest_validation"],
        "epochs": f"{done}{', stopped early' if early else ''}",
        "minutes": f"{training['seconds'] / 60:.0f}",
    }


def _reason(training: Content) -> dict[str, Any]:
    return {
        "changed": training["name"].partition("epochs: ")[2] or training["name"],
        "test error": training["error"],
        "lowest validation error": training["lowest_validation"],
    }
