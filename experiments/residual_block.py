"""Should a layer add its input? L(v) = v + act(K v + W v + b) or act(K v + W v + b):

python -m experiments.residual_block --output=results/residual_block.json

trains every default recipe both ways, where it is not trained yet, and writes the
errors on the validation inputs, by which the recipes were decided. Only what is
finished is written: stop it when you like, the same command goes on.
"""

from absl import flags

from experiments.run.command import run_command
from experiments.run.outputs import require_file
from experiments.run.terminal import Console
from experiments.suite import blocks, suite_flags
from experiments.suite.registry import WITH_GOAL
from experiments.suite.suite import train_all
from pilno_jax.checks import require_choice
from pilno_jax.runs import environment, files

OUTPUT = flags.DEFINE_string("output", None, "The json to write.", required=True)
CONFIGS = flags.DEFINE_list("config", WITH_GOAL, "Which benchmarks.")
flags.adopt_module_key_flags(suite_flags)


def main(words: list[str]) -> int:
    del words
    for config in CONFIGS.value:
        require_choice("config", config, WITH_GOAL)
    output = require_file("output", OUTPUT.value)
    root, cache = suite_flags.folders()
    chosen = [run for config in CONFIGS.value for run in blocks.runs(config)]
    try:
        return train_all(chosen, root, cache, Console())
    finally:
        rows = [row for run in chosen if (row := blocks.row_of(run, root))]
        files.write_json(output, {"rows": rows, **environment.environment()})


if __name__ == "__main__":
    run_command(main)
