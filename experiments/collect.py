"""Gather the results of finished runs into one committed file:

python -m experiments.collect --output=results/burgers_fast.json runs/burgers*

Runs already in the file are replaced by newer ones of the same config and changes.
"""

from pathlib import Path
from typing import Any

from absl import app, flags

from pilno_jax import reporting

OUTPUT = flags.DEFINE_string(
    "output", None, "The file of results/ to write.", required=True
)


def identity(result: dict[str, Any]) -> str:
    """What makes two results two runs of the same experiment, for people to read."""
    changes = [f"{k}={v}" for k, v in sorted(result["changes"].items())]
    return " ".join([f"{result['config']}:{result['recipe']}", *changes])


def collect(output: Path, workdirs: list[Path]) -> list[dict[str, Any]]:
    """The results in `output` and in the workdirs, ordered by what they are of."""
    found = reporting.read_json(output) if output.exists() else []
    found += [reporting.read_json(workdir / "result.json") for workdir in workdirs]
    kept = {identity(result): result for result in found}
    ordered = [kept[key] for key in sorted(kept)]
    output.parent.mkdir(parents=True, exist_ok=True)
    reporting.write_json(output, ordered)
    return ordered


def main(arguments: list[str]) -> None:
    workdirs = [Path(argument) for argument in arguments[1:]]
    finished = [path for path in workdirs if (path / "result.json").exists()]
    for path in sorted(set(workdirs) - set(finished)):
        print(f"{path} holds no finished run: left out")
    for result in collect(Path(OUTPUT.value), finished):
        error, seconds = result["relative_l2"]["mean"], result["wall_clock_seconds"]
        print(identity(result), f"relative L2 {error:.3e}, {seconds:.0f} s")


if __name__ == "__main__":
    app.run(main)
