"""Folders of older code are read as they were meant, damaged ones are named.

old_run/ was written by the code of commit 0720320, the last of format 1: a tiny
Burgers run of 80 steps that was cut off after its checkpoint of step 40, its log at
the end. old_run_predictions.npz has what that code predicted with it.
"""

import copy
import json
from pathlib import Path

import numpy as np
import pytest

import pilno_jax
from pilno_jax.runs import environment, format

HERE = Path(__file__).parent
OLD = HERE / "old_run"
MINIMAL = {"problem": {"name": "burgers"}, "model": {"name": "alno", "poles": (2, 3)}}


def test_an_old_run_predicts_what_it_did():
    run = pilno_jax.load(OLD)
    assert run.step == 40
    with np.load(HERE / "old_run_predictions.npz", allow_pickle=False) as old:
        inputs, u = {"u0": old["u0"]}, old["u"]
    assert 0.1 < np.abs(u).max() < 1
    # The rounding of float32: XLA may fuse and sum otherwise.
    np.testing.assert_allclose(run.predict(inputs), u, rtol=0, atol=1e-6)


def test_an_old_config_has_todays_fields():
    config = format.read_config(OLD)
    assert not config["train"].keys() & {"residual_times", "polish_steps"}
    assert not config["model"].keys() & {"normalize", "lift_width"}
    assert config["model"]["modes"] == (3, 3) and config["train"]["steps"] == 80
    assert not config.keys() & {"format_version", "code"}


def test_what_is_written_is_read(tmp_path):
    format.write_config(tmp_path, MINIMAL)
    found = format.read_config(tmp_path)
    assert {section: found[section] for section in MINIMAL} == MINIMAL
    content = json.loads((tmp_path / "config.json").read_text())
    assert content["format_version"] == 2
    assert content["code"] == environment.source()


def test_new_fields_take_the_value_that_does_what_was_done():
    before = copy.deepcopy(MINIMAL)
    upgraded = format.upgrade(MINIMAL)
    assert upgraded["matmul_precision"] == "default" and upgraded["weight_shards"] == 1
    assert upgraded["train"] == {"accumulate": 1, "start_from": ""}
    assert format.upgrade({**MINIMAL, "weight_shards": 2})["weight_shards"] == 2
    assert before == MINIMAL


def test_upgrading_twice_is_upgrading_once():
    old = {**MINIMAL, "train": {"polish_steps": 0, "steps": 5}}
    once = format.upgrade(old)
    assert once["format_version"] == 2 and once["train"] == {
        "steps": 5,
        "accumulate": 1,
        "start_from": "",
    }
    assert format.upgrade(once) == once


@pytest.mark.parametrize(
    ("field", "without_effect", "with_effect"),
    [
        ("train.residual_times", None, 3),
        ("train.polish_steps", 0, 20),
        ("model.normalize", False, True),
        ("model.lift_width", None, 16),
    ],
)
def test_a_field_that_is_gone_may_not_have_had_an_effect(
    tmp_path, field, without_effect, with_effect
):
    section, name = field.split(".")
    for value in (without_effect, with_effect):
        config = {**MINIMAL, section: {**MINIMAL.get(section, {}), name: value}}
        (tmp_path / "config.json").write_text(json.dumps(config))
        if value == without_effect:
            assert name not in format.read_config(tmp_path)[section]
            continue
        named = rf"config.json does not fit .*{field} = {value}: .*gone"
        with pytest.raises(format.RunFolderError, match=named):
            format.read_config(tmp_path)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"{", "is damaged"),
        (b"\xff\xfe", "is damaged"),
        (b"[1, 2]", "is damaged: it holds a list"),
        (b'{"model": {}}', "problem = None: expected an object"),
        (b'{"problem": 3, "model": {}}', "problem = 3: expected an object"),
        (b'{"problem": {}, "model": {}, "train": 1}', "train = 1: expected an object"),
        (b'{"problem": {}, "model": {}, "format_version": 3}', "format_version = 3"),
        (
            b'{"problem": {}, "model": {}, "format_version": "2"}',
            "format_version = '2'",
        ),
    ],
)
def test_a_damaged_config_is_told_in_a_line_with_its_name(tmp_path, content, reason):
    (tmp_path / "config.json").write_bytes(content)
    with pytest.raises(format.RunFolderError) as error:
        format.read_config(tmp_path)
    assert str(error.value).startswith(f"{tmp_path}/config.json ")
    assert reason in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize("content", ['{"a": ', "3", "null", ""])
def test_a_damaged_result_is_told_in_a_line_with_its_name(tmp_path, content):
    (tmp_path / "result.json").write_text(content)
    with pytest.raises(format.RunFolderError) as error:
        format.read_result(tmp_path)
    assert str(error.value).startswith(f"{tmp_path}/result.json is damaged: ")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("there", "here", "goes_on"),
    [
        ((80, ()), (90, ()), True),
        ((80, ()), (70, ()), False),
        ((80, ()), (80, (10,)), True),
        ((80, (10,)), (90, (10,)), False),  # the corrector was trained on 80 steps
        ((80, (10, 20)), (80, (10, 30)), True),
        ((80, (10, 20)), (80, (10, 20, 5)), True),
        ((80, (10, 20)), (80, (20, 20)), False),
        ((80, (10, 20)), (80, (10,)), False),
    ],
)
def test_a_run_may_become_longer_at_its_end_alone(there, here, goes_on):
    stored, asked = (
        {**MINIMAL, "train": {"steps": steps}, "stages": {"steps": stages}}
        for steps, stages in (there, here)
    )
    assert (format.differing_fields(stored, asked) == []) == goes_on


def test_differences_are_named_and_places_are_none():
    stored = format.read_config(OLD)
    asked = copy.deepcopy(stored) | {"devices": 4}
    assert format.differing_fields(stored, asked) == []
    asked["train"]["polish_steps"] = 0
    assert format.differing_fields(stored, asked) == []
    for field, (old_behaviour,) in format.ADDED_OPTIONS.items():
        section, name = field.split(".")
        asked[section][name] = old_behaviour
    assert format.differing_fields(stored, asked) == []
    asked["train"] |= {"polish_steps": 20, "steps": 70}
    asked["model"]["modes"] = (3, 4)
    assert format.differing_fields(stored, asked) == [
        "model.modes: [3, 3] there, [3, 4] asked for",
        "train.polish_steps: None there, 20 asked for",
        "train.steps: 80 there, 70 asked for",
    ]
