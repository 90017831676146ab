"""Make a finished run one of the operators that come with the package:

python -m experiments.ship --workdir=runs/burgers --name=burgers

It is then loaded by `pilno_jax.load("burgers")`. Its weights are rounded as far as its
answers allow; what that costs is measured on fresh inputs, printed and stored.
"""

from pathlib import Path

from absl import flags

from experiments.run.command import run_command
from experiments.run.open_run import open_run
from pilno_jax.checks import require
from pilno_jax.runs import shipping

WORKDIR = flags.DEFINE_string("workdir", None, "A finished run.", required=True)
NAME = flags.DEFINE_string("name", None, "Of the shipped operator.", required=True)
COUNT = flags.DEFINE_integer(
    "count", 100, "Fresh inputs to measure the cost of rounding on.", lower_bound=1
)


def main(words: list[str]) -> None:
    del words
    name = NAME.value
    require(name.isidentifier(), "name", name, "letters, digits and underscores")
    run = open_run(WORKDIR.value)
    folder = shipping.SHIPPED / name
    cost = shipping.ship(run, Path(WORKDIR.value), folder, COUNT.value)["rounding"]
    print(
        f"{name}: {cost['bytes'] / 1e6:.2f} MB, "
        f"{cost['bits_per_parameter']:.1f} bits per parameter; relative error on "
        f"{cost['fresh_inputs']} fresh inputs {cost['error_before']:.3e} before and "
        f"{cost['error_after']:.3e} after rounding; {folder}"
    )


if __name__ == "__main__":
    run_command(main)
