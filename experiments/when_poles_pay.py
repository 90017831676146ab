"""When does a pole pay, and when does a longer Fourier series do as well?

python -m experiments.when_poles_pay

One linear layer of each kind learns the damped oscillators of `poles.linear_systems`
from sixteen forcings and is tested on sixteen others. A few minutes;
docs/oscillators.md says what it shows, and holds the table.
"""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from absl import flags

from experiments.pages import markdown
from experiments.poles import linear_systems
from experiments.run.command import run_command
from experiments.run.outputs import require_file
from pilno_jax.checks import require
from pilno_jax.operators import Network, count_parameters
from pilno_jax.runs import environment, files

OUTPUT = flags.DEFINE_string(
    "output", "results/when_poles_pay.json", "Where numbers go."
)
PAGE = flags.DEFINE_string("page", "docs/oscillators.md", "Which page has the table.")
STEPS = flags.DEFINE_integer("steps", 500, "Of Adam.", lower_bound=1)
POLISH = flags.DEFINE_integer("polish", 500, "Steps of L-BFGS after them.", 0)
STARTS = flags.DEFINE_integer("starts", 2, "Random starts.", lower_bound=1)

COMMAND = "python -m experiments.when_poles_pay"


def learn(
    model: Network, seen: linear_systems.System, unseen: linear_systems.System
) -> dict[str, Any]:
    """Its size, and its misfit on the forcings it learned from and on others."""
    options = STEPS.value, POLISH.value, STARTS.value
    params, misfits = linear_systems.fit(
        dataclasses.replace(seen, model=model), *options
    )
    axes = tuple(jnp.asarray(x) for x in unseen.axes)
    answer: Any = model.apply(params, jnp.asarray(unseen.features), axes)
    error = np.linalg.norm(answer[..., 0] - unseen.u) / np.linalg.norm(unseen.u)
    return {
        "parameters": count_parameters(params),
        "seen forcings": float(np.nanmin(misfits)),
        "unseen forcings": float(error),
    }


def main(words: list[str]) -> None:
    del words
    output, page = (require_file(flag.name, flag.value) for flag in (OUTPUT, PAGE))
    require(page.is_file(), "page", str(page), "a page that exists")
    rows = []
    with jax.enable_x64(True):
        seen, unseen = (linear_systems.oscillators(seed) for seed in (0, 1))
        for name, model in linear_systems.LAYERS.items():
            rows.append({"layer": name, **learn(model, seen, unseen)})
            print(*(f"{column} {value}" for column, value in rows[-1].items()))
    content = {"steps": STEPS.value, "polish": POLISH.value, "starts": STARTS.value}
    files.write_json(output, {**content, "rows": rows, **environment.environment()})
    files.write_text(
        page, markdown.fill(page.read_text(), COMMAND, markdown.table(rows))
    )


if __name__ == "__main__":
    run_command(main)
