"""Gathered results: every run once, the newer of two, in a fixed order."""

from experiments.collect import collect
from pilno_jax import reporting


def result(seed, mean, model="alno"):
    return {
        "config": "toy",
        "recipe": "fast",
        "changes": {"model.name": model, "seed": seed},
        "model": model,
        "seed": seed,
        "relative_l2": {"mean": mean},
    }


def finished(folder, *results):
    for index, content in enumerate(results):
        (folder / str(index)).mkdir(parents=True)
        reporting.write_json(folder / str(index) / "result.json", content)
    return [folder / str(index) for index in range(len(results))]


def test_runs_are_ordered_and_replaced(tmp_path):
    output = tmp_path / "results" / "toy.json"
    first = finished(tmp_path / "a", result(1, 0.1), result(0, 0.2))
    assert [r["seed"] for r in collect(output, first)] == [0, 1]
    again = finished(tmp_path / "b", result(1, 0.05), result(0, 0.3, "fno"))
    collected = collect(output, again)
    assert collected == reporting.read_json(output)
    errors = {(r["model"], r["seed"]): r["relative_l2"]["mean"] for r in collected}
    assert errors == {("alno", 0): 0.2, ("alno", 1): 0.05, ("fno", 0): 0.3}
