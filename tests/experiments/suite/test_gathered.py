"""A machine that trains one run more does not lose what others have measured."""

from experiments.paper import benchmark_runs
from experiments.suite.gathered import with_committed
from experiments.suite.run_spec import RunSpec
from pilno_jax.runs import files


def test_rows_of_other_runs_are_kept_and_those_of_the_same_run_replaced():
    committed = [{"run": "a", "error": 1.0}, {"run": "b", "error": 2.0}]
    fresh = [{"run": "b", "error": 3.0}, {"run": "c", "error": 4.0}]
    rows = with_committed(fresh, committed, lambda row: row["run"])
    assert [(row["run"], row["error"]) for row in rows] == [
        *[("a", 1.0), ("b", 3.0), ("c", 4.0)],
    ]


def test_a_further_seed_joins_the_committed_ones(tmp_path, monkeypatch):
    def row(seed, labels=25):
        changes = {"seed": seed} if seed else {}
        changes |= {} if labels else {"train.num_train": 0}
        return {"seed": seed, "num_train": labels, "changes": changes}

    path = tmp_path / "burgers_staged.json"
    files.write_json(path, [row(0), row(0, labels=0)])

    def result(self, root):
        del root
        return row(1) if dict(self.changes) == {"seed": 1} else None

    monkeypatch.setattr(RunSpec, "result", result)
    benchmark_runs.gather(tmp_path, 3, tmp_path)
    seen = [(one["seed"], one["num_train"]) for one in files.read_json(path)]
    assert seen == [(0, 25), (1, 25), (0, 0)]
