"""The paper's own recipes: epochs counted as it counts them."""

import dataclasses
import json

import jax
import numpy as np
import pytest

import pilno_jax
from configs import rd_ic
from experiments.paper.as_printed import EPOCHS, ONE_BATCH_SMALL, SHORT, trainings
from experiments.paper.as_printed_rows import SETTLED, curves, how_far
from pilno_jax import data, models, problems
from tests.untrained_run import untrained

ALL = {one.name: one for one in trainings()}


def test_every_training_has_its_epochs_and_a_folder_of_its_own():
    for one in ALL.values():
        steps = dict(one.run.changes).get("train.steps")
        assert steps in (None, one.epochs * one.epoch)
        assert one.epochs == (SHORT if f"{SHORT} epochs" in one.name else EPOCHS)
    assert len({one.run.name for one in ALL.values()}) == len(trainings()) == len(ALL)


@pytest.mark.parametrize(
    ("name", "epoch"),
    [
        ("Burgers", 20),  # 1000 virtual inputs in batches of 50
        ("Burgers, 25 labels alone", 9),
        ("Burgers, 200 labels alone, FNO, batches of 3", 67),
        ("Reaction-diffusion, forcing", 10),
    ],
)
def test_an_epoch_is_a_pass_over_the_inputs(name, epoch):
    assert ALL[name].epoch == epoch


def log(training, root, rows):
    """As if it had been trained so far."""
    folder = training.run.workdir(root)
    folder.mkdir(parents=True)
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "metrics.jsonl").write_text(text)
    (folder / "config.json").write_text('{"code": {"commit": "f00d"}}')


def test_what_there_is_of_a_training_that_was_cut_off(tmp_path):
    training = ALL["Burgers, 25 labels alone"]
    assert how_far(training, tmp_path, tmp_path) is None
    rows = [
        {"step": 450, "validation": 0.2, "elapsed": 10.0},
        {"step": 900, "validation": 0.1, "elapsed": 20.0},
        {"step": 950, "elapsed": 22.0},
    ]
    log(training, tmp_path, rows)
    known = how_far(training, tmp_path, tmp_path)
    assert not known["finished"] and known["error"] is None
    assert known["curve"] == [[50.0, 0.2], [100.0, 0.1]]
    assert (known["lowest_validation"], known["seconds"]) == (0.1, 22.0)
    assert known["epochs"] == pytest.approx(105.6, abs=0.1)
    # To be traced although it has no result.
    assert known["command"].startswith("python -m experiments.burgers --config=")
    assert known["code"] == {"commit": "f00d"}


def test_curves_of_one_benchmark_share_a_panel():
    done = {"length": EPOCHS, "seed": 0, "printed": None}
    done["curve"] = [[50.0, 0.2], [100.0, 0.1]]
    rows = [{"name": name, **done} for name in ALL if ALL[name].epochs == EPOCHS]
    drawn = curves(rows)
    assert list(drawn["Reaction-diffusion, forcing"]) == [
        "PILNO",
        "no TCW",
        "25 labels alone",
        f"25 labels alone, {ONE_BATCH_SMALL}",
    ]
    assert "ALNO, batches of 3" in drawn["Burgers, 200 labels alone"]
    assert drawn["Burgers"]["no TCW"] == ((50.0, 100.0), (0.2, 0.1), None)
    assert sum(map(len, drawn.values())) == len(rows)
    short = [{**rows[0], **own} for own in ({"length": SHORT}, {"seed": 1})]
    assert not curves([*short, {**rows[0], "curve": [[50.0, 0.2]]}])


def test_what_was_cut_off_late_is_tested_on_its_own_law(tmp_path, monkeypatch):
    training = ALL["Reaction-diffusion, initial condition, 5 to 0.5"]
    small = {"problem.num_x": 13, "problem.num_t": 9, "data.num_test": 3}
    config = rd_ic.paper().changed(small).to_dict()
    problem = problems.make(**config["problem"])
    model = models.FNO(width=4, num_layers=1, modes=3)
    trained = dataclasses.replace(untrained(problem, model), config=config)
    monkeypatch.setattr(pilno_jax, "load", lambda folder: trained)
    row = {"step": training.epoch * SETTLED, "validation": 0.1, "elapsed": 10.0}
    log(training, tmp_path, [row])

    known = how_far(training, tmp_path, tmp_path)

    # The labels of a finished run's test set at length scale 0.5, drawn from its seed.
    rough = problems.make(**{**config["problem"], "length_scale": 0.5})
    key = jax.random.fold_in(jax.random.key(config["data"]["seed"]), 3)
    test = data.generate(rough, key, 3)
    off = trained.predict(test["inputs"]) - test["labels"]
    norms = np.linalg.norm(test["labels"], axis=(1, 2))
    expected = np.linalg.norm(off, axis=(1, 2)) / norms
    assert not known["finished"]
    # Single precision.
    assert known["error"] == pytest.approx(np.mean(expected), rel=1e-5)
    assert known["deviation"] == pytest.approx(np.std(expected), rel=1e-4)
