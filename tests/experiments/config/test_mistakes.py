"""A slip on the command line: one line, exit code 2, and nothing has happened."""

import re
import subprocess
import sys
import tomllib

import pytest

from experiments.run.exit_codes import WRONG_CONFIG


def flag(field, value):
    return f"--config.{field}={value}"


@pytest.mark.parametrize(
    ("argument", "told"),
    [
        (flag("train.foo", 1), ["train.foo", "no field", "learning_rate"]),
        (flag("nonsense.foo", 1), ["nonsense.foo", "no field", "'train'"]),
        (flag("train.steps", "abc"), ["train.steps", "'abc'", "int"]),
        (flag("train.num_virtual", "abc"), ["train.num_virtual", "'abc'", "int"]),
        (flag("train.learning_rate", -1), ["train.learning_rate", "-1", "above 0"]),
        (flag("train.learning_rate", "nan"), ["train.learning_rate", "nan", "finite"]),
        (flag("problem.viscosity", "inf"), ["problem.viscosity", "inf", "finite"]),
        (flag("model.period", "(1.0, 1e999)"), ["model.period", "inf", "finite"]),
        (flag("model.period", "('a', 1)"), ["model.period[0] = 'a' ", "float"]),
        (flag("problem.virtual_length_scales", "(1,)"), ["(1,) ", "2 values"]),
        (flag("train.warmup", -1), ["train.warmup = -1 ", ">= 0"]),
        (flag("train.clip_norm", -1), ["train.clip_norm = -1.0 ", ">= 0"]),
        (flag("train.decay_factor", 0), ["train.decay_factor = 0.0 ", "(0, 1]"]),
        (flag("causality.ratio", 1), ["causality.ratio = 1.0 ", "above 1"]),
        (flag("recipe", "a/b"), ["recipe = 'a/b' ", "letters"]),
        (flag("problem.name", "darcy"), ["problem.", "no field of problem 'darcy'"]),
        (flag("causality", "uniform"), ["is a section", "--config.causality.FIELD"]),
        (flag("train.log_every", 7), ["train.log_every", "7", "multiple"]),
        (flag("train.checkpoint_every", 15), ["checkpoint_every", "15", "log_every"]),
        (flag("train.averaging", 1.5), ["train.averaging", "1.5", "[0, 1)"]),
        (flag("train.optimizer", "sgdx"), ["train.optimizer", "'sgdx'", "'adam'"]),
        (flag("train.schedule", "sgdx"), ["train.schedule", "'sgdx'", "'cosine'"]),
        (flag("train.data_loss", "no"), ["train.data_loss", "'no'", "'squared'"]),
        (flag("causality.name", "no"), ["causality.name", "'no'", "'adaptive'"]),
        (flag("model.name", "no"), ["model", "'no'", "'alno'"]),
        (flag("model.activation", "no"), ["activation", "'no'", "'tanh'"]),
        (flag("model.poles", "(-3, 2)"), ["poles", "-3", ">= 0"]),
        (flag("problem.name", "no"), ["problem", "'no'", "'burgers'"]),
        (flag("problem.viscosity", -1), ["viscosity", "-1", "positive"]),
        (flag("problem.num_x", 0), ["'x'", "0", "at least 2"]),
        (flag("weights.pde", -1), ["weights.pde", "-1", ">= 0"]),
        (flag("evaluation.vary", "colour"), ["evaluation.vary", "'colour'", "sigma"]),
        (flag("devices", 0), ["devices", "0", "above 0"]),
        # 2^32 would be the seed 0 again, and 1e39 infinite.
        (flag("seed", 2**32), ["seed", "4294967296", "2^32 - 1"]),
        (flag("data.seed", 2**32), ["data.seed", "4294967296", "2^32 - 1"]),
        (flag("train.learning_rate", 1e39), ["learning_rate", "1e+39", "float32"]),
        (flag("problem.viscosity", "inf"), ["problem.viscosity", "inf", "finite"]),
        (flag("model.out_channels", 2), ["model.out_channels", "2", "expected 1"]),
        (flag("weight_shards", 2), ["weight_shards", "2", "divisor of devices"]),
        (flag("train.accumulate", 0), ["train.accumulate", "0", "above 0"]),
        (flag("matmul_precision", "no"), ["matmul_precision", "'no'", "'float32'"]),
        (flag("model.mixing_dtype", "no"), ["mixing_dtype", "'no'", "'bfloat16'"]),
        ("--max_hours=-1", ["max_hours", "-1", "non-negative"]),
        ("--max_hours=soon", ["max_hours", "'soon'", "float"]),
        ("--distributed", ["--distributed: "]),  # there are no other processes
        ("--nonsense=1", ["nonsense"]),
        ("nonsense", ["'nonsense'", "--"]),
        ("--config=nofile.py", ["config", "'nofile.py'", "configs/burgers.py"]),
        ("--config=configs/burgers.py:no", ["recipe", "'no'", "fast", "paper"]),
    ],
)
def test_one_line_names_field_value_and_what_is_allowed(
    launch, tmp_path, argument, told
):
    workdir = tmp_path / "run"
    code, out, err = launch(workdir, {"model.name": "alno"}, argument)
    assert code == WRONG_CONFIG
    assert out == [] and len(err) == 1
    assert err[0].startswith("error: ")
    for part in told:
        assert part in err[0]
    assert not workdir.exists()


def test_a_loss_without_any_weight_is_named(launch, tmp_path):
    """No labels, and nothing of the virtual inputs counts."""
    fields = {"train.num_train": 0, "weights.virtual": 0}
    code, out, err = launch(tmp_path / "run", fields)
    assert code == WRONG_CONFIG and out == [] and len(err) == 1
    for part in ("weights of all terms", "'pde_virtual': 0.0", "one above 0"):
        assert part in err[0]


def test_the_real_command_has_no_traceback_either(runs):
    command = [sys.executable, "-m", "experiments.burgers", "--config.train.foo=1"]
    found = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert found.returncode == WRONG_CONFIG
    assert found.stderr.count("\n") == 1 and found.stdout == ""


def test_the_config_can_be_printed(launch, tmp_path):
    code, out, _ = launch(tmp_path / "run", {"train.steps": 70}, "--print_config")
    config = tomllib.loads("\n".join(out))
    assert code == 0 and config["train"]["steps"] == 70
    assert config["recipe"] == "staged" and config["problem"]["name"] == "burgers"
    assert not (tmp_path / "run").exists()
    assert max(map(len, out)) <= 88


def test_a_printed_field_stands_beside_its_meaning(launch, tmp_path):
    _, out, _ = launch(tmp_path / "run", {}, "--print_config")
    text = "\n".join(out)
    # A number, a field without a value, choices, and an argument with a docstring.
    assert re.search(r"^batch_data = 2 +# Labelled inputs in a batch\.$", text, re.M)
    assert re.search(r"^# clip_norm is not set +# Gradients longer than", text, re.M)
    assert re.search(r"^optimizer = .* One of adam, .*muon", text, re.M)
    assert re.search(r"^moving_frame = true +# whether the network", text, re.M | re.I)


def test_overrides_may_stand_before_the_config_file(launch, tmp_path):
    flags = ["--print_config", "--config=configs/burgers.py:paper"]
    code, out, _ = launch(tmp_path / "run", {"train.steps": 70}, *flags)
    config = tomllib.loads("\n".join(out))
    assert code == 0
    assert config["recipe"] == "paper" and config["train"]["steps"] == 70


def printed(launch, workdir, *flags):
    code, out, err = launch(workdir, {}, "--print_config", *flags)
    assert code == 0, err
    return tomllib.loads("\n".join(out))


def test_fields_without_a_value_can_be_set(launch, tmp_path):
    config = printed(
        launch, tmp_path, flag("train.num_virtual", 9), flag("train.clip_norm", 1)
    )
    assert config["train"]["num_virtual"] == 9
    assert config["train"]["clip_norm"] == 1.0


@pytest.mark.parametrize("last", [["--config.model.modes=(4, 5)"], ["(4, 5)"]])
def test_a_tuple_given_twice_is_the_last_one(launch, tmp_path, last):
    name = ["--config.model.modes"] if last == ["(4, 5)"] else []
    first = flag("model.modes", "(3, 3)")
    config = printed(launch, tmp_path, first, *name, *last)
    assert config["model"]["modes"] == [4, 5]


def test_another_model_has_its_own_section(launch, tmp_path):
    config = printed(launch, tmp_path, flag("model.name", "fno"))
    assert config["model"]["width"] == 4 and "poles" not in config["model"]
    config = printed(launch, tmp_path, flag("model.name", "deepomamba"))
    assert config["model"]["token_width"] == 256 and "width" not in config["model"]


def test_help_names_our_flags_fields_and_exit_codes(launch, tmp_path):
    code, out, _ = launch(tmp_path / "run", {}, "--help")
    text = "\n".join(out)
    assert code == 0
    for part in ("usage: python -m experiments.burgers", "--workdir", "--print_config"):
        assert part in text
    for part in ("--max_hours", "exit code 75", "--distributed"):
        assert part in text
    for part in ("checkpoint_every", "problem.{", "75 interrupted", "FILE:paper"):
        assert part in text
    assert max(map(len, out)) <= 88
