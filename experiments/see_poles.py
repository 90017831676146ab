"""Do the learned poles mean anything? Compare them where the true ones are known:

python -m experiments.see_poles

Fits the systems of `poles.linear_systems` to input-output pairs alone, from several
random starts of which the best fit is kept. A few minutes; docs/oscillators.md says
what it shows.
"""

import jax
import numpy as np
from absl import flags
from matplotlib.figure import Figure

from experiments.poles import linear_systems
from experiments.run.command import run_command
from experiments.run.outputs import require_file
from pilno_jax import plotting
from pilno_jax.runs import environment, files

OUTPUT = flags.DEFINE_string("output", "results/poles.json", "Where numbers go.")
FIGURE = flags.DEFINE_string("figure", "docs/figures/poles.png", "The figure to draw.")
STEPS = flags.DEFINE_integer("steps", 1000, "Of Adam.", lower_bound=1)
POLISH = flags.DEFINE_integer("polish", 3000, "Steps of L-BFGS after them.", 0)
STARTS = flags.DEFINE_integer("starts", 8, "Random starts.", lower_bound=1)


def draw(systems: dict[str, tuple[np.ndarray, np.ndarray]]) -> Figure:
    figure, axes = plotting.panels(len(systems))
    for ax, (name, (true, learned)) in zip(axes, systems.items(), strict=True):
        plotting.pole_comparison(ax, true, learned, name)
    return figure


def main(words: list[str]) -> None:
    del words
    output = require_file("output", OUTPUT.value)
    figure = require_file("figure", FIGURE.value)
    numbers, pictures = {}, {}
    with jax.enable_x64(True):
        for system in (linear_systems.oscillators(), linear_systems.diffusion()):
            options = STEPS.value, POLISH.value, STARTS.value
            params, misfits = linear_systems.fit(system, *options)
            learned = linear_systems.learned_poles(params)
            rows = linear_systems.compare(system.poles, learned)
            numbers[system.name] = {
                "poles": rows,
                "misfit": float(np.nanmin(misfits)),
                "misfits_of_all_starts": misfits.tolist(),
            }
            pictures[system.name] = system.poles, learned
            for row in rows:
                print(system.name, *(f"{name} {x}" for name, x in row.items()))
            print(f"{system.name}: relative misfit {np.nanmin(misfits):.1e}")
    plotting.save(draw(pictures), figure)
    content = {"steps": STEPS.value, "polish": POLISH.value, "systems": numbers}
    files.write_json(output, {**content, **environment.environment()})


if __name__ == "__main__":
    run_command(main)
