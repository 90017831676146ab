"""Trained at one length scale, tested at all ten: with and without physics."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from experiments.paper import artifact, printed
from experiments.paper.artifact import Findings, Key, Row
from experiments.paper.baselines import LABELS, LABELS_ONLY, PILNO
from experiments.suite.protocols import LENGTH_SCALES, Changes, Protocol
from experiments.suite.registry import TestLaw, fields_of
from experiments.suite.run_spec import RunSpec
from pilno_jax import plotting

VIRTUAL_SCALES = "problem.virtual_length_scales"
VARIANTS: Mapping[str, Changes] = {LABELS: LABELS_ONLY, PILNO: {}}


def heat_map(
    title: str, config: str, labels: int, paper: printed.Errors | None = None
) -> artifact.Artifact:
    """An artifact of one map per variant: error by length scale of training and test.

    Args:
        title: of the artifact and its figure.
        config: the name of a file in configs/.
        labels: how many labelled samples.
        paper: the errors it prints for training at 5 and testing at 0.5, if any.
    """
    tested = {
        "train.num_train": labels,
        "evaluation.vary": "length_scale",
        "evaluation.over": LENGTH_SCALES,
    }

    def runs(protocol: Protocol) -> dict[Key, RunSpec]:
        common = {**tested, VIRTUAL_SCALES: virtual_scales(config, protocol)}
        # The first seed alone: a map is a hundred errors as it is.
        return {
            Key(name, length_scale=length): protocol.run(
                config, {"problem.length_scale": length, **common, **changes}
            )
            for name, changes in VARIANTS.items()
            for length in protocol.trained_lengths
        }

    def report(findings: Findings) -> artifact.Report:
        trained = findings.protocol.trained_lengths
        maps = {
            name: np.array(
                [
                    _row(findings.result(Key(name, length_scale=length)))
                    for length in trained
                ]
            )
            for name in VARIANTS
        }
        rows: list[Row] = [
            {"variant": name, "trained at": length, **_cells(errors)}
            for name in VARIANTS
            for length, errors in zip(trained, maps[name], strict=True)
        ]
        claims = _claims(maps, trained, paper)
        notes = [_note(*virtual_scales(config, findings.protocol))]
        return artifact.Report(rows, claims, {"": draw(maps, trained, title)}, notes)

    return artifact.Artifact(title, runs, report)


def _note(low: float, high: float) -> str:
    """What the virtual inputs, of length scales `low` to `high`, have and have not."""
    note = (
        f"PILNO's virtual inputs have length scales {low} to {high} whatever those of "
        "the labels: what is rough is new to the labels, not to the equation"
    )
    if high < max(LENGTH_SCALES):
        note += f", and what is smoother than {high} only the labels show"
    return f"{note}."


def virtual_scales(config: str, protocol: Protocol) -> tuple[float, float]:
    """Our recipe's own; the paper varies them here (Appendix E), if not elsewhere."""
    if protocol.recipe == "paper":
        return (0.5, 5.0)
    return tuple(fields_of(config, protocol.recipe)[VIRTUAL_SCALES])


def _row(result: dict[str, Any]) -> list[float]:
    laws = result["relative_l2_by_law"]
    return [
        laws[TestLaw("length_scale", length).key]["mean"] for length in LENGTH_SCALES
    ]


def _cells(errors: Sequence[float]) -> Row:
    return {f"l={s}": float(e) for s, e in zip(LENGTH_SCALES, errors, strict=True)}


def _claims(
    maps: Mapping[str, np.ndarray],
    trained: Sequence[float],
    paper: printed.Errors | None,
) -> list[artifact.Claim]:
    ratio = maps[LABELS] / maps[PILNO]
    off = np.array([[test != train for test in LENGTH_SCALES] for train in trained])
    better_everywhere = float((ratio[off] > 1).mean())
    lost = off & (ratio <= 1)
    elsewhere = (
        f"; elsewhere up to {1 / ratio[lost].min():.1f} times worse, where both errors "
        f"are below {maps[PILNO][lost].max():.1e}"
        if lost.any()
        else ""
    )
    smooth, rough = list(trained).index(max(trained)), LENGTH_SCALES.index(0.5)
    corner = {name: float(errors[smooth, rough]) for name, errors in maps.items()}
    in_paper = f" (paper {paper.baseline:.1e} and {paper.pilno:.1e})" if paper else ""
    return [
        artifact.Claim(
            "Off the diagonal PILNO is better than training on labels alone.",
            f"in {better_everywhere:.0%} of the cells, by a factor of "
            f"{np.exp(np.log(ratio[off]).mean()):.1f} in the geometric mean{elsewhere}",
            artifact.verdict(better_everywhere > 0.9),
        ),
        artifact.Claim(
            "Trained on smooth inputs (l = 5) PILNO still predicts rough ones (0.5).",
            f"{corner[LABELS]:.1e} on labels alone, {corner[PILNO]:.1e} with physics"
            + in_paper,
            artifact.verdict(
                corner[PILNO] < corner[LABELS],
                paper is not None and corner[PILNO] < paper.pilno,
            ),
        ),
    ]


def draw(maps: Mapping[str, np.ndarray], trained: Sequence[float], title: str):
    """Length scales of training across, those of the test up."""
    across, up = (list(map(str, lengths)) for lengths in (trained, LENGTH_SCALES))
    return plotting.error_maps(maps, across, up, r"$\ell$", title)
