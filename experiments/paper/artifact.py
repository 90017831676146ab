"""What every artifact of the paper has: runs, and a report on their results."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import pilno_jax
from experiments.config.schema import RunConfig
from experiments.run.data_sets import labelled_set
from experiments.suite.protocols import Protocol
from experiments.suite.registry import TestLaw
from experiments.suite.run_spec import RunSpec
from pilno_jax import data, evaluation
from pilno_jax.runs import metrics_log

Row = dict[str, Any]
NAME = ""  # the column that names the rows of a table; its heading is left empty

REPRODUCED, BETTER, NOT_REPRODUCED = "reproduced", "better", "not reproduced"


@dataclasses.dataclass(frozen=True)
class Key:
    """Which run of an artifact: what is varied in it, and the seed.

    Args:
        variant: the row or line it belongs to.
        labels: labelled samples, where they are varied.
        length_scale: of the training inputs, where it is varied.
        seed: of the run; 0 is every protocol's first.
    """

    variant: str
    labels: int | None = None
    length_scale: float | None = None
    seed: int = 0


@dataclasses.dataclass(frozen=True)
class Claim:
    """A sentence of the paper, what we find instead of its figures, and a verdict."""

    sentence: str
    found: str
    verdict: str


def verdict(holds: bool, better: bool = False) -> str:
    """`better`: the claim holds, and our error is below the paper's."""
    if not holds:
        return NOT_REPRODUCED
    return BETTER if better else REPRODUCED


@dataclasses.dataclass(frozen=True)
class Report:
    """Rows of a table, claims judged by them, figures by suffix of the file, notes."""

    rows: Sequence[Row]
    claims: Sequence[Claim] = ()
    figures: Mapping[str, Figure] = dataclasses.field(default_factory=dict)
    notes: Sequence[str] = ()


@dataclasses.dataclass(frozen=True)
class Findings:
    """The finished runs of an artifact, by key.

    Args:
        runs: all of them.
        root: where runs live.
        cache: where data sets are kept.
        protocol: the one that asked for the runs.
    """

    runs: Mapping[Key, RunSpec]
    root: Path
    cache: Path
    protocol: Protocol

    def result(self, key: Key) -> dict[str, Any]:
        result = self.runs[key].result(self.root)
        assert result is not None, f"{self.runs[key].name} is not finished"
        return result

    def over_seeds(self, key: Key) -> list[dict[str, Any]]:
        """The results of all seeds; that of `key` does not matter."""
        return [
            self.result(other)
            for other in self.runs
            if dataclasses.replace(other, seed=key.seed) == key
        ]

    def error(self, key: Key, law: TestLaw | None = None) -> dict[str, float]:
        """Mean and deviation over the seeds of the error on a law of test inputs."""
        errors = [
            result["relative_l2_by_law"][law.key] if law else result["relative_l2"]
            for result in self.over_seeds(key)
        ]
        return spread([error["mean"] for error in errors])

    def num_seeds(self) -> int:
        return len({key.seed for key in self.runs})

    def history(self, key: Key) -> list[dict[str, Any]]:
        """The logged rows that have a validation error."""
        workdir = self.runs[key].workdir(self.root)
        rows = metrics_log.read_metrics(workdir / "metrics.jsonl")
        return [row for row in rows if row.get("validation") is not None]

    def trained(self, key: Key) -> pilno_jax.TrainedRun:
        return pilno_jax.load(self.runs[key].workdir(self.root))

    def test_set(self, key: Key, **changes: Any) -> data.Data:
        """The run's own, or that of a problem with other options, as runs make them."""
        config = RunConfig.from_dict(self.trained(key).config)
        return labelled_set(config, "test", self.cache, **changes)

    def predictions(self, key: Key, **changes: Any) -> "Predictions":
        run, test = self.trained(key), self.test_set(key, **changes)
        fields = run.predict(test["inputs"])
        errors = evaluation.relative_errors(fields, test["labels"])
        return Predictions(run.problem, test["inputs"], test["labels"], fields, errors)


@dataclasses.dataclass(frozen=True)
class Predictions:
    """A trained run on its test set; `errors` are relative L2 errors, one a case."""

    problem: pilno_jax.Problem
    inputs: Any
    truths: np.ndarray
    fields: np.ndarray
    errors: np.ndarray

    def median_case(self) -> int:
        order = np.argsort(self.errors)
        return int(order[len(order) // 2])


Notes = Callable[[Findings], list[str]]


def no_notes(findings: Findings) -> list[str]:
    del findings
    return []


@dataclasses.dataclass(frozen=True)
class Artifact:
    """title; the runs by key, given a protocol; the report on them once finished."""

    title: str
    runs: Callable[[Protocol], Mapping[Key, RunSpec]]
    report: Callable[[Findings], Report]


def spread(values: Sequence[float]) -> dict[str, float]:
    return {
        "mean": float(np.mean(values)),
        "std": float(np.std(values)),
        "seeds": len(values),
    }


def factor(above: float, below: float) -> str:
    return f"{above:.2e} against {below:.2e}, a factor of {above / below:.1f}"
