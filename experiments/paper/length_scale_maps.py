"""Trained at one length scale, tested at all ten: with and without physics."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.colors import LogNorm

from experiments.paper.artifact import (
    Artifact,
    Claim,
    Findings,
    Key,
    Report,
    Row,
    verdict,
)
from experiments.suite.protocols import (
    LABELS_ONLY,
    LENGTH_SCALES,
    Changes,
    Protocol,
    fields_of,
)
from experiments.suite.suite import Run
from pilno_jax import plotting

WITHOUT, WITH = "labels only", "PILNO"
VIRTUAL_SCALES = "problem.virtual_length_scales"
VARIANTS: Mapping[str, Changes] = {WITHOUT: LABELS_ONLY, WITH: {}}


def heat_map(
    title: str, config: str, labels: int, paper: Mapping[str, float]
) -> Artifact:
    """`paper`: per variant, the error it prints for l_train = 5 -> l_test = 0.5."""
    tested = {
        "train.num_train": labels,
        "evaluation.vary": "length_scale",
        "evaluation.over": LENGTH_SCALES,
    }

    def runs(protocol: Protocol) -> dict[Key, Run]:
        common = {**tested, VIRTUAL_SCALES: virtual_scales(config, protocol)}
        # The first seed alone: a map is a hundred errors as it is.
        return {
            (name, length): protocol.run(
                config, {"problem.length_scale": length, **common, **changes}
            )
            for name, changes in VARIANTS.items()
            for length in protocol.trained_lengths
        }

    def report(findings: Findings) -> Report:
        trained = findings.protocol.trained_lengths
        maps = {
            name: np.array([_row(findings.result(name, length)) for length in trained])
            for name in VARIANTS
        }
        rows: list[Row] = [
            {"variant": name, "trained at": length, **_cells(errors)}
            for name in VARIANTS
            for length, errors in zip(trained, maps[name], strict=True)
        ]
        claims = _claims(maps, trained, paper)
        low, high = virtual_scales(config, findings.protocol)
        note = (
            f"PILNO's virtual inputs have length scales {low} to {high} whatever those "
            "of the labels: what is rough is new to the labels, not to the equation, "
            f"and what is smoother than {high} only the labels show."
        )
        return Report(rows, claims, {"": draw(maps, trained, title)}, [note])

    return Artifact(title, runs, report)


def virtual_scales(config: str, protocol: Protocol) -> tuple[float, float]:
    """Our recipe's own; the paper varies them here (Appendix E), if not elsewhere."""
    if protocol.recipe == "paper":
        return (0.5, 5.0)
    return tuple(fields_of(config, protocol.recipe)[VIRTUAL_SCALES])


def _row(result: dict[str, Any]) -> list[float]:
    laws = result["relative_l2_by_law"]
    return [laws[f"length_scale={length}"]["mean"] for length in LENGTH_SCALES]


def _cells(errors: Sequence[float]) -> Row:
    return {f"l={s}": float(e) for s, e in zip(LENGTH_SCALES, errors, strict=True)}


def _claims(
    maps: Mapping[str, np.ndarray], trained: Sequence[float], paper
) -> list[Claim]:
    ratio = maps[WITHOUT] / maps[WITH]
    off = np.array([[test != train for test in LENGTH_SCALES] for train in trained])
    better_everywhere = float((ratio[off] > 1).mean())
    lost = off & (ratio <= 1)
    elsewhere = (
        f"; elsewhere up to {1 / ratio[lost].min():.1f} times worse, where both errors "
        f"are below {maps[WITH][lost].max():.1e}"
        if lost.any()
        else ""
    )
    smooth, rough = list(trained).index(max(trained)), LENGTH_SCALES.index(0.5)
    corner = {name: float(found[smooth, rough]) for name, found in maps.items()}
    printed = f" (paper {paper[WITHOUT]:.1e} and {paper[WITH]:.1e})" if paper else ""
    return [
        Claim(
            "Off the diagonal PILNO is better than training on labels alone.",
            f"in {better_everywhere:.0%} of the cells, by a factor of "
            f"{np.exp(np.log(ratio[off]).mean()):.1f} in the geometric mean{elsewhere}",
            verdict(better_everywhere > 0.9),
        ),
        Claim(
            "Trained on smooth inputs (l = 5) PILNO still predicts rough ones (0.5).",
            f"{corner[WITHOUT]:.1e} on labels alone, {corner[WITH]:.1e} with physics"
            + printed,
            verdict(
                corner[WITH] < corner[WITHOUT],
                bool(paper) and corner[WITH] < paper[WITH],
            ),
        ),
    ]


def draw(maps: Mapping[str, np.ndarray], trained: Sequence[float], title: str):
    figure, axes = plotting.panels(len(maps))
    figure.set_figwidth(2.6 * plotting.PANEL_INCHES[0])
    every = np.concatenate([found.ravel() for found in maps.values()])
    scale = LogNorm(every.min(), every.max())
    for ax, (name, found) in zip(axes, maps.items(), strict=True):
        image = ax.imshow(
            found.T, norm=scale, cmap=plotting.FIELD_COLOURS, origin="lower"
        )
        ax.set_aspect("auto")
        ax.set_xticks(range(len(trained)), [str(length) for length in trained])
        ax.set_yticks(range(len(LENGTH_SCALES)), [str(s) for s in LENGTH_SCALES])
        ax.set(title=name, xlabel=r"$\ell$ of training", ylabel=r"$\ell$ of the test")
        for (column, row), error in np.ndenumerate(found):
            dark = scale(error) < 0.6
            text = f"{100 * error:.2g}"
            style = {"color": "white" if dark else "black", "fontsize": 6}
            ax.text(column, row, text, ha="center", va="center", **style)
    figure.colorbar(image, ax=axes, label="relative $L^2$ error (cells: in %)")
    figure.suptitle(title)
    return figure
