"""A bad value for every flag of every command, and for every field of the config:

python -m tests.experiments.bad_values FOLDER

calls the commands in this one process and prints, as JSON, those that did not answer
with one line and exit code 1 or 2, or that left anything in the folder they ran in.
"""

import contextlib
import importlib
import io
import json
import os
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path

from absl import flags
from absl.testing import flagsaver

from experiments.config import command_line
from experiments.run import command, entry
from experiments.run import run as runner
from pilno_jax.runs import files

ROOT = Path(__file__).parents[2]
OLD_RUN = ROOT / "tests" / "runs" / "old_run"
COMMANDS = (
    *("export", "refine", "calibrate", "demo.__main__", "document", "reference"),
    *("reproduce", "benchmarks", "benchmark_figures", "discretisation_floor"),
    *("residual_norms", "see_poles", "when_poles_pay", "as_printed"),
    *("error_bars", "finer_darcy", "what_correctors_see"),
)
# By the type of a flag or field; a command that took one of them would start computing.
NUMBERS = {
    "int": ("x", "1.5", "-1", ""),
    "float": ("x", "nan", "inf", "-1", "1e39", ""),
}
OTHERS = {"bool": ("maybe",), "string enum": ("no",)}
TUPLES = ("x", "('x',)", "(nan, nan)")
LISTS = {"points": ("a,b", "64", "-1,26", "1.5,26"), "artifact": ("no",)}
LISTS |= {"config": ("no",), "parts": ("no",)}
TEXTS = {"change": ("colour", "colour=1", "name=darcy", "length_scale=abc", "num_x=0")}
TEXTS |= {"only": ("no",), "shard": ("1", "2/2", "-1/2", "a/b")}
# Some values are known to be bad only after a network was traced: a small one.
SMALL = (
    *("--config.model.width=4", "--config.model.num_layers=1"),
    *("--config.stages.steps=()", "--config.stages.last_applied=1"),
)


def bad_paths(name: str, flag: str) -> tuple[str, ...]:
    """Below a file nothing can be, and a missing folder is not made for a file."""
    if flag == "workdir" and name != "reference":
        return ("nowhere", "file", "damaged", "")
    if flag in ("output", "figure", "page") and name != "export":
        return ("nowhere/x.json", "file/x.json", "damaged")
    return ("file", "file/folder")


def bad_flags(name: str) -> Iterator[str]:
    """A bad value for each flag that a command has registered."""
    for flag in own_flags():
        kind = flag.flag_type()
        values = {**NUMBERS, **OTHERS}.get(kind) or {**LISTS, **TEXTS}.get(flag.name)
        for value in values or bad_paths(name, flag.name):
            yield f"--{flag.name}={value}"


def own_flags() -> list[flags.Flag]:
    """Those that are not absl's own."""
    known = flags.FLAGS.flags_by_module_dict()
    ours = [m for m in known if not m.startswith("absl") and "pytest" not in m]
    return [flag for module in ours for flag in known[module]]


@contextlib.contextmanager
def imported(name: str) -> Iterator[object]:
    """A command's module; its flags are forgotten afterwards, as names are global."""
    before = set(flags.FLAGS)
    yield importlib.import_module(f"experiments.{name}")
    for flag in set(flags.FLAGS) - before:
        delattr(flags.FLAGS, flag)
    for module in (f"experiments.{name}", "experiments.suite.suite_flags"):
        sys.modules.pop(module, None)


def judged(call, *arguments) -> str | None:
    """What is wrong with the answer to a bad value; None if nothing is."""
    out, before = io.StringIO(), sorted(Path().rglob("*"))
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            code = call(*arguments)
    except BaseException:
        return traceback.format_exc(limit=-2)
    lines = [line for line in out.getvalue().splitlines() if "clipped" not in line]
    if code not in (1, 2) or len(lines) != 1 or not lines[0].startswith("error: "):
        return f"exit code {code}, {lines}"
    return None if sorted(Path().rglob("*")) == before else "files were written"


def commands() -> Iterator[tuple[str, str | None]]:
    for name in COMMANDS:
        with imported(name) as module:
            required = {"workdir": OLD_RUN, "output": "unused.json"}
            given = [f for f in own_flags() if f.name in required]
            base = [f"--{f.name}={required[f.name]}" for f in given if f.value is None]
            words = name == "document"
            cases = [*bad_flags(name), "--nonsense=1", "nonsense"]
            for case in [*cases, *(["", "nonsense.md"] if words else [])]:
                with flagsaver.flagsaver():
                    argv = [name, *base, *([case] if case else [])]
                    yield (
                        f"{name} {case}",
                        judged(command.answer, module.main, argv, words),
                    )


def fields() -> Iterator[tuple[str, str | None]]:
    config = command_line.read_config(str(ROOT / "configs" / "burgers.py"))
    for field, value in files.flatten(config.to_dict()).items():
        kind = "float" if value is None else type(value).__name__
        bad = {**NUMBERS, **OTHERS, "list": TUPLES}.get(kind)
        if field == "train.start_from":
            bad = ("nowhere",)
        for text in bad or ("no such",):
            argument = f"--config.{field}={text}"
            outcome = judged(
                entry.answer,
                "burgers",
                str(ROOT / "configs" / "burgers.py"),
                [*SMALL, argument, "--workdir=run", "--cache=cache"],
            )
            yield argument, outcome


def main() -> None:
    os.chdir(sys.argv[1])
    Path("configs").symlink_to(ROOT / "configs")  # commands run in the repository
    Path("file").write_text("a file")
    Path("damaged").mkdir()
    Path("damaged/config.json").write_text("{")

    def accepted(*_):
        raise AssertionError("a value was accepted")

    runner.fit_stages = accepted
    outcomes = [*commands(), *fields()]
    wrong = {case: outcome for case, outcome in outcomes if outcome}
    print(json.dumps({"tried": len(outcomes), "wrong": wrong}))


if __name__ == "__main__":
    main()
