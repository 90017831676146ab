"""The pictures of docs/oscillators.md:

python -m experiments.oscillator_figures

trains a looped LNO and an FNO on three systems, a few minutes, keeps what they make of
single forcings in results/oscillator_examples.json and draws them; poles of waves are
those of results/oscillators.json. `--only_report` trains nothing.
"""

from pathlib import Path
from typing import Any

import numpy as np
from absl import flags

from experiments.pages import oscillators_page
from experiments.poles import examples
from experiments.run.command import run_command
from experiments.run.exit_codes import INTERRUPTED
from experiments.run.interruption import Interrupted, Interruption
from experiments.run.outputs import require_folder
from experiments.run.terminal import Console
from pilno_jax import plotting
from pilno_jax.numerics.grids import Axis
from pilno_jax.plotting import series
from pilno_jax.runs import environment, files

ONLY_REPORT = flags.DEFINE_bool("only_report", False, "Train nothing.")
CACHE = flags.DEFINE_string("cache", "runs/cache", "Where data sets are kept.")

EXAMPLES = Path("results/oscillator_examples.json")
SERIES = Path("docs/figures/oscillators.png")
POLES = Path("docs/figures/oscillator-poles.png")
DRAWN = ("Duffing, c = 0", "Lorenz, rho = 10")  # as series
AT_REST = {  # a driven spring, whose stiffness is 1 for small answers
    "Duffing, c = 0": np.array([1j, -1j]),
    "Duffing, c = 0.5": np.roots([1, 0.5, 1]),
}


def main(words: list[str]) -> int:
    del words
    if not ONLY_REPORT.value:
        cache, console = require_folder("cache", CACHE.value), Console()
        surroundings = environment.environment()  # of the code that trains
        found: dict[str, Any] = {}
        with Interruption() as stop:
            try:
                for system in examples.SHOWN:
                    console.line(f"training: {system}")
                    found[system] = examples.of_system(system, cache, stop.poll)
            except Interrupted as reason:
                console.line(f"interrupted by {reason}; nothing was written")
                return INTERRUPTED
        files.write_json(EXAMPLES, {"systems": found, **surroundings})
    content = files.read_json(EXAMPLES)["systems"]
    draw_series(content)
    draw_poles(content, files.read_json(oscillators_page.RESULTS))
    return 0


def draw_series(content: dict[str, Any]) -> None:
    """Answers to the forcings that the loop does median and worst on, and spectra."""
    first = content[DRAWN[0]]
    axis = Axis("t", 0.0, first["end"], first["nodes"])
    rows = {system: content[system]["cases"] for system in DRAWN}
    plotting.save(series.rivals(axis, rows), SERIES)


def draw_poles(content: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    """Learned and true ones: of loops at rest, and of waves."""
    layers = oscillators_page.layers_with_poles(rows)
    figure, axes = plotting.panels(len(AT_REST) + len(layers), columns=2)
    for ax, (system, true) in zip(axes, AT_REST.items(), strict=False):
        learned = np.array([complex(*p) for p in content[system]["poles_at_rest"]])
        near = learned[np.abs(learned) < 3]  # fast ones answer at once
        plotting.pole_comparison(ax, true, near, f"loop at rest: {system}")
    for ax, row in zip(axes[len(AT_REST) :], layers, strict=True):
        of_seeds = [pole for seed in row["poles"] for pole in seed]
        true, learned = (
            np.array([complex(*pole[name]) for pole in of_seeds])
            for name in ("true", "learned")
        )
        title = f"{row['system']}: one layer, {row['seeds']} seeds"
        plotting.pole_comparison(ax, true, learned, title)
        ax.set_xlim(2 * np.real(true).min(), 0)  # else it would show rounding
    plotting.save(figure, POLES)


if __name__ == "__main__":
    run_command(main)
