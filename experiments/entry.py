"""What every entry point shares: flags, exit codes, no traceback for a user's slip.

Exit codes: 0 done, 1 an error, 2 the config is wrong, 3 diverged,
75 interrupted: the same command resumes (EX_TEMPFAIL, for requeueing scripts).
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path

from absl import app, flags, logging
from ml_collections import config_flags

WRONG_CONFIG, DIVERGED, INTERRUPTED = 2, 3, 75


def launch(name: str, default_config: str) -> None:
    """Parse the command line of `python -m experiments.<name>` and run it."""
    config = config_flags.DEFINE_config_file(
        "config", default_config, "The recipe; `FILE:paper` asks for the paper's."
    )
    workdir = flags.DEFINE_string(
        "workdir", None, f"Where the run lives [runs/{name}, or one for the recipe]."
    )
    cache = flags.DEFINE_string("cache", "runs/cache", "Where data sets are kept.")
    show = flags.DEFINE_bool("print_config", False, "Print the config and stop.")

    def main(arguments: list[str]) -> int:
        if len(arguments) > 1:
            return complain(f"unexpected argument {arguments[1]!r}: flags start with --")
        chosen = config.value
        if show.value:
            print(json.dumps(chosen.to_dict(), indent=2))
            return 0
        return guarded(chosen, workdir.value or default_workdir(name, chosen), cache.value)

    run_app(main)


def default_workdir(name: str, config) -> str:
    return f"runs/{name}" if config.recipe == "fast" else f"runs/{name}_{config.recipe}"


def guarded(config, workdir: str, cache: str) -> int:
    """Run, and turn what can go wrong into one line and an exit code."""
    import jax

    jax.config.update("jax_num_cpu_devices", max(int(config.devices), 1))
    from experiments import runner
    from experiments.progress import Console

    console = Console()
    try:
        runner.run(config, Path(workdir), Path(cache), console)
    except ValueError as error:
        return complain(str(error))
    except runner.Interrupted as signal:
        console.line(f"interrupted by {signal}; the same command resumes")
        return INTERRUPTED
    except runner.Diverged as error:
        console.line(f"diverged: {error}")
        return DIVERGED
    except OSError as error:
        console.line(f"cannot read or write: {error}; what was saved is intact")
        return 1
    return 0


def complain(text: str) -> int:
    print(f"error: {text}", file=sys.stderr)
    return WRONG_CONFIG


def run_app(main: Callable[[list[str]], int]) -> None:
    """absl's app.run, with exit code 2 and one line for flags that do not parse."""

    def parse(arguments: list[str]) -> list[str]:
        try:
            return flags.FLAGS(arguments)
        except (flags.Error, AttributeError, KeyError, TypeError, ValueError) as error:
            text = " ".join(str(error).split())
            sys.exit(complain(text))

    logging.set_verbosity(logging.WARNING)
    app.run(main, flags_parser=parse)
