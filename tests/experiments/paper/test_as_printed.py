"""The paper's own recipes: epochs counted as it counts them."""

import json

import pytest

from experiments.paper.as_printed import EPOCHS, SHORT, how_far, trainings

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


def test_what_there_is_of_a_training_that_was_cut_off(tmp_path):
    training = ALL["Burgers, 25 labels alone"]
    assert how_far(training, tmp_path) is None
    folder = training.run.workdir(tmp_path)
    folder.mkdir(parents=True)
    rows = [
        {"step": 450, "validation": 0.2, "elapsed": 10.0},
        {"step": 900, "validation": 0.1, "elapsed": 20.0},
        {"step": 950, "elapsed": 22.0},
    ]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "metrics.jsonl").write_text(text)
    known = how_far(training, tmp_path)
    assert not known["finished"] and known["error"] is None
    assert known["curve"] == [[50.0, 0.2], [100.0, 0.1]]
    assert (known["lowest_validation"], known["seconds"]) == (0.1, 22.0)
    assert known["epochs"] == pytest.approx(105.6, abs=0.1)
