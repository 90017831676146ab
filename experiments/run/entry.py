"""What every entry point shares: flags, exit codes, no traceback for a user's slip.

A slip (`checks.ArgumentError`) is one line and exit code 2. Anything unexpected is a
bug, ours or that of the user's own PDE or config file, and keeps its traceback.
"""

import io
import sys
import traceback
from pathlib import Path
from typing import Any

from absl import flags

from experiments.config import command_line, overrides, show
from experiments.config.schema import RunConfig
from experiments.run import exit_codes
from experiments.run.command import complain
from experiments.run.compiled_programs import keep_programs
from experiments.run.interruption import Interrupted, Interruption
from experiments.run.open_run import silence_orbax
from pilno_jax.checks import ArgumentError
from pilno_jax.runs import files


def launch(name: str, default_config: str = "") -> None:
    """Do what the command line of `python -m experiments.<name>` asks for, and exit.

    Args:
        name: the module of experiments/ that was started.
        default_config: the config file where the command line names none; without
            a default it has to.
    """
    sys.exit(answer(name, default_config, sys.argv[1:]))


def answer(name: str, default_config: str, arguments: list[str]) -> int:
    """Help, the config, or a run: the exit code."""
    chosen, arguments = command_line.split_config(arguments, default_config)
    try:
        config = command_line.read_config(chosen) if chosen else None
        if {"--help", "-help", "-h"} & set(arguments):
            print(described(name, default_config, config))
            return exit_codes.DONE
        if config is None:
            raise ArgumentError("config is missing: expected --config=FILE")
        values = run_flags(name, default_config)
        asked = overrides.parse(config, arguments, values)
    except ArgumentError as error:
        return complain(str(error))
    except command_line.BrokenConfigFile as error:
        return show_bug(error, chosen.partition(":")[0])
    if values.print_config:
        print(show.printed(asked))
        return exit_codes.DONE
    stem = Path(chosen.partition(":")[0]).stem
    origin = {"config": stem, "changes": changes(config, asked)}
    workdir = values.workdir or default_workdir(
        name if default_config else stem, chosen
    )
    return start(asked, Path(workdir), origin, values)


def start(
    config: RunConfig, workdir: Path, origin: dict[str, Any], values: flags.FlagValues
) -> int:
    """Run the config as the flags say, alone or with other processes."""
    silence_orbax()
    if values.distributed and (trouble := join_processes()):
        return complain(f"--distributed: {trouble}")
    return guarded(config, workdir, Path(values.cache), origin, values.max_hours)


def flag_meanings(name: str, default_config: str) -> dict[str, str]:
    """The flags of an entry point, with their defaults in brackets."""
    return {
        "config": f"The recipe [{default_config or 'none'}]; FILE:paper asks for the "
        "paper's.",
        "workdir": f"Where the run lives [runs/{name if default_config else 'FILE'}, "
        "or one for the recipe].",
        "cache": "Where data sets are kept, to be shared by runs [runs/cache].",
        "max_hours": "After that time, save, and end with exit code "
        f"{exit_codes.INTERRUPTED} [no limit].",
        "distributed": "One of several processes that train together, as on a cluster.",
        "print_config": "Print the config, overrides included, and stop.",
    }


def run_flags(name: str, default_config: str) -> flags.FlagValues:
    """All flags but --config: our own, not absl's global ones."""
    values, meanings = flags.FlagValues(), flag_meanings(name, default_config)
    flags.DEFINE_string("workdir", None, meanings["workdir"], values)
    flags.DEFINE_string("cache", "runs/cache", meanings["cache"], values)
    flags.DEFINE_float(
        "max_hours", None, meanings["max_hours"], 0.0, flag_values=values
    )
    flags.DEFINE_bool("distributed", False, meanings["distributed"], values)
    flags.DEFINE_bool("print_config", False, meanings["print_config"], values)
    return values


def described(name: str, default_config: str, config: RunConfig | None) -> str:
    """The help text; without a config file the fields that every config has."""
    fields = config.to_dict() if config else show.fields_of(RunConfig)
    return show.help_text(
        f"experiments.{name}",
        sys.modules["__main__"].__doc__ or "",
        flag_meanings(name, default_config),
        fields,
        exit_codes.listed(),
    )


def changes(config: RunConfig, asked: RunConfig) -> dict[str, Any]:
    """The fields in which `asked` differs from the config file, and their values."""
    written, wanted = files.flatten(config.to_dict()), files.flatten(asked.to_dict())
    return {k: v for k, v in wanted.items() if v != written.get(k)}


def default_workdir(name: str, chosen: str) -> str:
    """Of the benchmark, and of the recipe if FILE:RECIPE names one."""
    recipe = chosen.partition(":")[2]
    return f"runs/{name}_{recipe}" if recipe else f"runs/{name}"


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
    config: RunConfig,
    workdir: Path,
    cache: Path,
    origin: dict[str, Any],
    max_hours: float | None = None,
) -> int:
    """Run, and turn what can be expected to go wrong into one line and an exit code.

    Args:
        config: what to run.
        workdir: where the run lives.
        cache: where data sets are kept.
        origin: the config file's name and what the command line changed in it.
        max_hours: after that time the run saves and ends; None: no limit.
    """
    import jax

    keep_programs()
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
        return exit_codes.INTERRUPTED
    except Diverged as error:
        console.line(f"diverged: {error}")
        return exit_codes.DIVERGED
    except OSError as error:
        console.line(f"error: cannot read or write: {error}; what was saved is intact")
        return exit_codes.FAILED
    return exit_codes.DONE


def show_bug(error: command_line.BrokenConfigFile, path: str) -> int:
    """A bug in a config file: its traceback from the file on, then the line."""
    cause = error.__cause__
    assert cause is not None
    frames = cause.__traceback__
    while frames and frames.tb_frame.f_code.co_filename != path:
        frames = frames.tb_next
    traceback.print_exception(cause.with_traceback(frames))
    print(f"error: {error}", file=sys.stderr)
    return exit_codes.FAILED
