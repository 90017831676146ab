"""What every artifact of the paper has: runs, and a report on their results."""

import dataclasses
from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import pilno_jax
from experiments.config.schema import RunConfig
from experiments.run.interruption import Interruption
from experiments.run.run import labelled_set
from experiments.run.terminal import Console
from experiments.suite.protocols import Protocol
from experiments.suite.suite import Run
from pilno_jax import data, evaluation
from pilno_jax.runs import metrics_log
from pilno_jax.runs.format import upgrade

Key = tuple[Hashable, ...]
Row = dict[str, Any]

REPRODUCED, BETTER, NOT = "reproduced", "better", "not reproduced"


@dataclasses.dataclass(frozen=True)
class Claim:
    """A sentence of the paper, what we find instead of its figures, and a verdict."""

    sentence: str
    found: str
    verdict: str


def verdict(holds: bool, better: bool = False) -> str:
    """`better`: the claim holds, and our error is below the paper's."""
    if not holds:
        return NOT
    return BETTER if better else REPRODUCED


@dataclasses.dataclass(frozen=True)
class Report:
    rows: Sequence[Row]
    claims: Sequence[Claim] = ()
    figures: Mapping[str, Figure] = dataclasses.field(default_factory=dict)
    notes: Sequence[str] = ()


@dataclasses.dataclass(frozen=True)
class Findings:
    """The finished runs of an artifact, by key."""

    runs: Mapping[Key, Run]
    root: Path
    cache: Path
    protocol: Protocol

    def result(self, *key: Hashable) -> dict[str, Any]:
        found = self.runs[key].result(self.root)
        assert found is not None, f"{self.runs[key].name} is not finished"
        return found

    def error(self, *key: Hashable, law: str | None = None) -> dict[str, float]:
        """Mean and deviation over the seeds; the last part of a key is the seed."""
        found = [self.result(*k) for k in self.runs if k[: len(key)] == key]
        laws = [
            result["relative_l2_by_law"][law] if law else result["relative_l2"]
            for result in found
        ]
        return spread([errors["mean"] for errors in laws])

    def history(self, *key: Hashable) -> list[dict[str, Any]]:
        rows = metrics_log.read_metrics(
            self.runs[key].workdir(self.root) / "metrics.jsonl"
        )
        return [row for row in rows if row.get("validation") is not None]

    def trained(self, *key: Hashable) -> pilno_jax.TrainedRun:
        return pilno_jax.load(self.runs[key].workdir(self.root))

    def test_set(self, *key: Hashable, **changes: Any) -> data.Data:
        """The run's own, or that of another law, as `runner` makes them."""
        config = RunConfig.from_dict(upgrade(self.trained(*key).config))
        with Interruption() as stop:
            console = Console()
            return labelled_set(config, "test", self.cache, console, stop, **changes)

    def predictions(self, *key: Hashable, **changes: Any) -> "Predictions":
        run, held_out = self.trained(*key), self.test_set(*key, **changes)
        found = run.predict(held_out["inputs"])
        errors = evaluation.relative_errors(found, held_out["labels"])
        return Predictions(
            run.problem, held_out["inputs"], held_out["labels"], found, errors
        )


@dataclasses.dataclass(frozen=True)
class Predictions:
    problem: pilno_jax.Problem
    inputs: Any
    truths: np.ndarray
    found: np.ndarray
    errors: np.ndarray


@dataclasses.dataclass(frozen=True)
class Artifact:
    """title; the runs by key, given a protocol; the report on them once finished."""

    title: str
    runs: Callable[[Protocol], Mapping[Key, Run]]
    report: Callable[[Findings], Report]


def spread(values: Sequence[float]) -> dict[str, float]:
    return {
        "mean": float(np.mean(values)),
        "std": float(np.std(values)),
        "seeds": len(values),
    }
