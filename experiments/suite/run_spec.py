"""One run of a suite: which config and recipe, what is changed, where it lives."""

import dataclasses
import hashlib
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from experiments.suite.registry import BENCHMARKS
from pilno_jax.runs.format import read_result


@dataclasses.dataclass(frozen=True)
class RunSpec:
    """A config file, a recipe in it, and the fields to change."""

    config: str
    recipe: str = "fast"
    changes: tuple[tuple[str, Any], ...] = ()

    def but(self, changes: Mapping[str, Any]) -> "RunSpec":
        """The same run with these fields changed as well."""
        merged = dict(self.changes) | dict(changes)
        return dataclasses.replace(self, changes=tuple(sorted(merged.items())))

    @property
    def name(self) -> str:
        """Of the workdir: readable, and the same run in two suites is one."""
        parts = [f"{f.rpartition('.')[2]}={_plain(v)}" for f, v in self.changes]
        short = ",".join(parts)[:80] or "default"
        digest = hashlib.sha256(repr(self.changes).encode()).hexdigest()[:8]
        return f"{self.config}_{self.recipe}/{short}-{digest}"

    def workdir(self, root: Path) -> Path:
        return root / self.name

    def command(self, root: Path, cache: Path) -> list[str]:
        entry_point = BENCHMARKS[self.config].entry_point
        return [
            *(sys.executable, "-m", f"experiments.{entry_point}"),
            f"--config=configs/{self.config}.py:{self.recipe}",
            *(f"--config.{field}={value}" for field, value in self.changes),
            f"--workdir={self.workdir(root)}",
            f"--cache={cache}",
        ]

    def result(self, root: Path) -> dict[str, Any] | None:
        """Its result, if the run is finished."""
        workdir = self.workdir(root)
        done = (workdir / "result.json").exists() and (workdir / "report.html").exists()
        return read_result(workdir) if done else None


def _plain(value: Any) -> str:
    """For a folder's name: no spaces, brackets or slashes."""
    items = value if isinstance(value, tuple | list) else [value]
    return "x".join(str(item) for item in items).replace("/", "-") or "none"
