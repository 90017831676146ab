"""Flags of the commands that take a trained run and inputs of another law."""

from absl import flags

from experiments.run import other_law


def define(
    count: int, at_least: int = 1
) -> tuple[flags.FlagHolder[str], flags.FlagHolder[str | None]]:
    """--workdir and --output, which are returned, and those of `other_law`.

    Called by the commands, not on import: names are global to a process. They show up
    in --help after `flags.adopt_module_key_flags` of this module.

    Args:
        count: the default of --count, how many test inputs.
        at_least: what the command needs of them. Default 1.
    """
    workdir = flags.DEFINE_string("workdir", None, "A trained run.", required=True)
    output = flags.DEFINE_string("output", None, "A JSON file for the numbers.")
    other_law.define_flags(count, at_least)
    for name in other_law.NAMES:
        flags.declare_key_flag(name)
    return workdir, output
