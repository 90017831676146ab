"""What every entry point shares: flags, exit codes, no traceback for a user's slip.

Exit codes: 0 done, 1 an error, 2 the config is wrong, 3 diverged,
75 interrupted: the same command resumes (EX_TEMPFAIL, for requeueing scripts).
"""

import io
import json
import sys
from pathlib import Path
from typing import Any

from absl import flags
from ml_collections import config_flags

from experiments.config import command_line
from experiments.config.schema import settle_model
from experiments.run.interruption import Interrupted, Interruption
from experiments.run.open_run import silence_orbax
from pilno_jax.runs import files

FAILED, WRONG_CONFIG, DIVERGED, INTERRUPTED = 1, 2, 3, 75


def launch(name: str, default_config: str) -> None:
    """Parse the command line of `python -m experiments.<name>` and run it."""
    try:
        chosen, arguments = command_line.split_config(sys.argv[1:], default_config)
        config = command_line.read_config(chosen)
        command_line.check_overrides(config, arguments)
    except ValueError as error:
        sys.exit(complain(str(error)))
    listed = {
        "config": f"The recipe [{default_config}]; FILE:paper asks for the paper's.",
        "workdir": f"Where the run lives [runs/{name}, or one for the recipe].",
        "cache": "Where data sets are kept, to be shared by runs [runs/cache].",
        "max_hours": "After that time, save, and end with exit code 75 [no limit].",
        "distributed": "One of several processes that train together, as on a cluster.",
        "print_config": "Print the config, overrides included, and stop.",
    }
    if {"--help", "-help", "-h"} & set(arguments):
        described = sys.modules["__main__"].__doc__ or ""
        module = f"experiments.{name}"
        print(command_line.help_text(module, described, listed, config))
        sys.exit(0)

    written = files.flatten(config.to_dict())
    # Flags of our own, not absl's global ones: nothing else defines or reads them.
    values = flags.FlagValues()
    argv = [sys.argv[0], *arguments]
    flags.DEFINE_string("workdir", None, listed["workdir"], values)
    flags.DEFINE_string("cache", "runs/cache", listed["cache"], values)
    flags.DEFINE_float("max_hours", None, listed["max_hours"], 0.0, flag_values=values)
    flags.DEFINE_bool("distributed", False, listed["distributed"], values)
    flags.DEFINE_bool("print_config", False, listed["print_config"], values)
    try:
        config_flags.DEFINE_config_dict(
            "config", config, listed["config"], values, sys_argv=argv
        )
        unexpected = values(argv)[1:]
        settle_model(config)
    except (flags.Error, TypeError, ValueError) as error:
        sys.exit(complain(command_line.explain(error, config)))
    if unexpected:
        text = f"unexpected argument {unexpected[0]!r}: flags start with --"
        sys.exit(complain(text))
    if values.print_config:
        print(json.dumps(config.to_dict(), indent=2))
        sys.exit(0)
    workdir = values.workdir or default_workdir(name, config)
    silence_orbax()
    asked = files.flatten(config.to_dict())
    origin = {
        "config": Path(chosen.partition(":")[0]).stem,
        "changes": {k: v for k, v in asked.items() if v != written.get(k)},
    }
    if values.distributed and (trouble := join_processes()):
        sys.exit(complain(f"--distributed: {trouble}"))
    folders = Path(workdir), Path(values.cache)
    sys.exit(guarded(config, *folders, origin, values.max_hours))


def default_workdir(name: str, config: Any) -> str:
    return f"runs/{name}" if config.recipe == "fast" else f"runs/{name}_{config.recipe}"


def join_processes() -> str | None:
    """Meet the other processes, before any JAX operation; what went wrong, if so.

    SLURM, Open MPI, Kubernetes and TPU pods tell JAX who and where they are.
    """
    import jax

    try:
        # Evaluation and figures are the first process' work: the others wait for it.
        jax.distributed.initialize(shutdown_timeout_seconds=3600)
    except (RuntimeError, ValueError) as error:
        return " ".join(str(error).split())


def guarded(
    config: Any,
    workdir: Path,
    cache: Path,
    origin: dict[str, Any],
    max_hours: float | None = None,
) -> int:
    """Run, and turn what can go wrong into one line and an exit code.

    `origin`: the config file's name and what the command line changed in it.
    """
    import jax

    if config.devices > 1:
        # Set up once, so before the runner's modules touch any array.
        jax.config.update("jax_num_cpu_devices", config.devices)
    from experiments.run import run
    from experiments.run.callbacks import Diverged
    from experiments.run.terminal import Console
    from pilno_jax.training import devices

    console = Console(None if devices.is_main_process() else io.StringIO())
    try:
        with Interruption(max_hours) as stop:
            run.run(config, workdir, cache, console, stop, origin)
    except run.WrongConfig as error:
        return complain(str(error))
    except Interrupted as signal:
        console.line(f"interrupted by {signal}; the same command resumes")
        return INTERRUPTED
    except Diverged as error:
        console.line(f"diverged: {error}")
        return DIVERGED
    except OSError as error:
        console.line(f"error: cannot read or write: {error}; what was saved is intact")
        return FAILED
    return 0


def complain(text: str) -> int:
    print(f"error: {text}", file=sys.stderr)
    return WRONG_CONFIG
