"""What a corrector gains from being told of the error:

python -m experiments.what_correctors_see --output=results/what_correctors_see.json

The same operator in stages, trained without a label, with three answers to what a
residual tells of the error: the problem's own `error_of`, the residual summed up over
time, which problems have that say nothing, and the residual as it is.
"""

from typing import Any

from absl import flags

from experiments.run.command import run_command
from experiments.run.outputs import require_file
from experiments.suite.told import answers, as_trained, errors_after_each
from pilno_jax.runs import environment, files

OUTPUT = flags.DEFINE_string("output", None, "The json to write.", required=True)
STEPS = flags.DEFINE_integer("steps", 800, "Of the first network.", lower_bound=1)
CORRECTOR_STEPS = flags.DEFINE_integer(
    "corrector_steps", 400, "Of the corrector.", lower_bound=1
)
COUNT = flags.DEFINE_integer("count", 100, "Test inputs.", lower_bound=1)

CONFIGS = ("burgers", "rd_ic", "diffusion")


def main(words: list[str]) -> None:
    del words
    output = require_file("output", OUTPUT.value)
    rows: list[dict[str, Any]] = []
    for config in CONFIGS:
        problem = as_trained(config)
        for name, error_of in answers(problem).items():
            errors = errors_after_each(
                problem, error_of, STEPS.value, CORRECTOR_STEPS.value, COUNT.value
            )
            rows.append({"config": config, "told": name, "errors": errors})
            print(
                f"{config:10} {name:9}", *(f"{one:.2e}" for one in errors), flush=True
            )
    content = {
        "steps": [STEPS.value, CORRECTOR_STEPS.value],
        "count": COUNT.value,
        "rows": rows,
        **environment.environment(),
    }
    files.write_json(output, content)


if __name__ == "__main__":
    run_command(main)
