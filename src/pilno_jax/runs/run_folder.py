"""The folder of a run: the names of its files, and when it is finished."""

import dataclasses
from pathlib import Path


@dataclasses.dataclass(frozen=True)
class RunFolder:
    """Where a run keeps what it writes.

    Args:
        path: the folder itself; it need not exist yet.
    """

    path: Path

    @property
    def config(self) -> Path:
        """The complete config, as JSON."""
        return self.path / "config.json"

    @property
    def own_problem(self) -> Path:
        """Where the user's own problem is and a digest of it, as JSON, if it is one."""
        return self.path / "own_problem.json"

    @property
    def own_data(self) -> Path:
        """The user's own labelled files and a digest of each, as JSON, if any."""
        return self.path / "own_data.json"

    @property
    def metrics(self) -> Path:
        """A row for every `train.log_every` steps."""
        return self.path / "metrics.jsonl"

    @property
    def checkpoints(self) -> Path:
        """Whole training states of the first network, by step."""
        return self.checkpoints_of(1)

    def checkpoints_of(self, stage: int) -> Path:
        """Whole training states of a stage, 1 being the first network, by its steps."""
        return self.path / ("checkpoints" if stage == 1 else f"checkpoints_{stage}")

    @property
    def weights(self) -> Path:
        """Rounded parameters; a shipped operator has them instead of checkpoints."""
        return self.path / "weights.npz"

    @property
    def shipping(self) -> Path:
        """What became of a shipped operator on its way, as JSON."""
        return self.path / "shipping.json"

    @property
    def result(self) -> Path:
        """Errors on the test set, costs and versions, as JSON."""
        return self.path / "result.json"

    @property
    def error_bar(self) -> Path:
        """How to read an estimate of an error, as JSON; written with the result."""
        return self.path / "error_bar.json"

    @property
    def figures(self) -> Path:
        return self.path / "figures"

    @property
    def report(self) -> Path:
        """The whole run on one page; written last."""
        return self.path / "report.html"

    @property
    def lock(self) -> Path:
        """Which process is writing here, if one is; empty otherwise."""
        return self.path / "lock"

    @property
    def log(self) -> Path:
        """What the run printed, if something else started it."""
        return self.path / "log.txt"

    @property
    def is_finished(self) -> bool:
        return self.result.exists() and self.report.exists()
