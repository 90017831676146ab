"""What the commands of this folder share: options, own processes, the file they write.

Every one of them is `python -m benchmarks.NAME` and writes results/NAME.json.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from pilno_jax.runs import environment, files


def positive(text: str) -> int:
    """An option's value that counts something."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{value}: expected at least 1")
    return value


def names(text: str) -> list[str]:
    """An option's value such as burgers,rd_ic."""
    return text.split(",")


def parser(document: str | None, output: str, repeats: int) -> argparse.ArgumentParser:
    """The options that every benchmark has; each adds its own to them.

    Args:
        document: the module's docstring, whose first line is the help text.
        output: the name of the file in results/, without its ending.
        repeats: timed rounds unless told otherwise.
    """
    options = argparse.ArgumentParser(description=(document or "").splitlines()[0])
    options.add_argument(
        "--output",
        type=Path,
        default=Path(f"results/{output}.json"),
        help="the file to write",
    )
    options.add_argument(
        "--repeats", type=positive, default=repeats, help="timed calls of each"
    )
    return options


def write(output: Path, content: dict[str, Any]) -> None:
    """Write what was measured, with versions, device and command beside it."""
    output.parent.mkdir(parents=True, exist_ok=True)
    files.write_json(output, {**environment.environment(), **content})
    print(f"written to {output}")


def in_own_process(
    module: str, *arguments: str, variables: dict[str, str] | None = None
) -> dict[str, Any]:
    """Run a module that prints JSON in its last line: its peak memory is its own.

    Args:
        module: what follows `python -m`.
        *arguments: what follows the module.
        variables: of the environment, beside those of this process.
    """
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        env={**os.environ, **(variables or {})},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        reason = done.stderr.strip().splitlines()[-1:] or ["killed: out of memory?"]
        raise RuntimeError(
            f"{' '.join(arguments)}: exit code {done.returncode}, {reason[0]}"
        )
    return json.loads(done.stdout.splitlines()[-1])
