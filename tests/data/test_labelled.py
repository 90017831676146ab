"""Labelled sets are functions of their key, and caches are never trusted blindly."""

import importlib
import json
import logging
import shutil
import subprocess
import sys
from pathlib import Path

import jax
import numpy as np
import pytest
import toy

from pilno_jax import data, problems
from pilno_jax.checks import ArgumentError
from pilno_jax.data import cache, label_key

PROBLEM = toy.decay()
KEY = jax.random.key(3)


def test_sample_i_does_not_depend_on_the_size_of_the_set():
    few, many = (data.generate(PROBLEM, KEY, n, chunk=2) for n in (3, 7))
    np.testing.assert_array_equal(few["inputs"]["u0"], many["inputs"]["u0"][:3])
    np.testing.assert_array_equal(few["labels"], many["labels"][:3])


def test_labels_solve_their_inputs():
    made = data.generate(PROBLEM, KEY, 5, chunk=2)
    expected = jax.vmap(PROBLEM.solve)(made["inputs"])
    np.testing.assert_allclose(made["labels"], expected, rtol=1e-6)


def test_families_take_turns():
    import dataclasses

    low = lambda key: {"u0": PROBLEM.sample(key)["u0"]}  # noqa: E731
    high = lambda key: {"u0": 10 + PROBLEM.sample(key)["u0"]}  # noqa: E731
    mixed = dataclasses.replace(PROBLEM, strata=(low, high))
    first = data.generate(mixed, KEY, 5)["inputs"]["u0"][:, 0]
    assert list(first > 5) == [False, True, False, True, False]


def test_progress_is_reported():
    seen = []
    data.generate(PROBLEM, KEY, 5, chunk=2, report=lambda *at: seen.append(at))
    assert seen == [(2, 5), (4, 5), (5, 5)]


class Maker:
    def __init__(self):
        self.calls = 0

    def __call__(self):
        self.calls += 1
        return data.generate(PROBLEM, KEY, 4)


def test_the_second_time_comes_from_the_cache(tmp_path):
    make = Maker()
    one = data.cached(tmp_path, {"name": "toy", "count": 4}, make)
    two = data.cached(tmp_path, {"name": "toy", "count": 4}, make)
    assert make.calls == 1
    np.testing.assert_array_equal(one["labels"], two["labels"])
    np.testing.assert_array_equal(one["inputs"]["u0"], two["inputs"]["u0"])
    data.cached(tmp_path, {"name": "toy", "count": 5}, make)
    assert make.calls == 2


@pytest.mark.parametrize("damage", ["cut", "flipped", "foreign"])
def test_a_bad_cache_is_made_again_and_said_so(tmp_path, caplog, damage):
    make = Maker()
    data.cached(tmp_path, {"name": "toy"}, make)
    (path,) = tmp_path.glob("*.npz")
    raw = bytearray(path.read_bytes())
    if damage == "cut":
        path.write_bytes(raw[: len(raw) // 2])
    elif damage == "flipped":
        middle = raw.find(b"labels.npy") + 200
        raw[middle] ^= 0xFF
        path.write_bytes(raw)
    else:
        np.savez(path, description=np.array("other"), labels=np.zeros(1))
    with caplog.at_level(logging.WARNING):
        again = data.cached(tmp_path, {"name": "toy"}, make)
    assert make.calls == 2
    assert "making it again" in caplog.text
    np.testing.assert_array_equal(again["labels"], Maker()()["labels"])
    data.cached(tmp_path, {"name": "toy"}, make)
    assert make.calls == 2


def test_a_change_of_any_source_is_another_key(tmp_path, monkeypatch):
    copied = tmp_path / "package"
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(label_key.PACKAGE, copied, ignore=ignore)
    monkeypatch.setattr(label_key, "PACKAGE", copied)
    keys = [label_key.label_key({})]
    for path in label_key.label_sources():
        path.write_text(path.read_text() + "# changed\n")
        keys.append(label_key.label_key({}))
    distinct = {json.dumps(key) for key in keys}
    assert len(distinct) == len(keys) > 20


OWN_PROBLEM = """
from pilno_jax.problems import diffusion
import own_helper

def own(**options):
    return own_helper.twice(diffusion(**options))
"""


def test_the_user_s_own_files_are_part_of_the_key(tmp_path, monkeypatch):
    """The file of the factory, a module it imports, and a file that an option names."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "own_helper.py").write_text("def twice(x): return x\n")
    (tmp_path / "own_problem.py").write_text(OWN_PROBLEM)
    (tmp_path / "arrays.npz").write_bytes(b"1")
    own = importlib.import_module("own_problem").own
    options = {"name": "own", "path": str(tmp_path / "arrays.npz")}
    keys = [label_key.label_key(options, own)]
    for name in ("own_problem.py", "own_helper.py", "arrays.npz"):
        with (tmp_path / name).open("a") as file:
            file.write("# changed\n")
        keys.append(label_key.label_key(options, own))
    assert len({json.dumps(key) for key in keys}) == 4


def test_installed_packages_are_not_followed(tmp_path):
    """Also through an environment that is a link, as `.venv` may be."""
    mine = tmp_path / "mine.py"
    mine.write_text("import jax\nimport numpy as np\nfrom pilno_jax import data\n")
    assert label_key.reached_files(mine) == {mine}
    for place in label_key.ELSEWHERE:
        assert place == place.resolve()


def test_double_precision_has_labels_of_its_own(tmp_path):
    make = Maker()
    for x64 in (False, True, False):
        with jax.enable_x64(x64):
            data.cached(tmp_path, {"name": "toy"}, make)
    assert make.calls == 2


def test_every_module_that_problems_reach_is_part_of_the_key():
    """Importing the problems imports no module of the package that is not digested."""
    package = Path(cache.__file__).parents[1]
    program = (
        "import sys, pilno_jax.problems\n"
        "names = [n for n in sys.modules if n.startswith('pilno_jax.')]\n"
        "print(*(sys.modules[n].__file__ for n in names), sep='\\n')"
    )
    # The package's own __init__ imports everything: an empty stand-in does not.
    stub = "import types, sys\nm = types.ModuleType('pilno_jax')\n"
    stub += f"m.__path__ = [{str(package)!r}]\nsys.modules['pilno_jax'] = m\n"
    run = [sys.executable, "-c", stub + program]
    printed = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    reached = {Path(line) for line in printed.splitlines()}
    assert len(reached) > 10
    assert reached <= set(label_key.label_sources())


def test_nothing_half_written_is_left_when_writing_fails(tmp_path, monkeypatch):
    def full_disk(*args, **kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cache.np, "savez", full_disk)
    with pytest.raises(OSError, match="No space"):
        data.cached(tmp_path, {"name": "toy"}, Maker())
    assert list(tmp_path.iterdir()) == []


def test_a_seed_is_no_key():
    with pytest.raises(ArgumentError, match=r"key = 0 .*jax\.random\.key\(0\)"):
        data.generate(problems.diffusion(num_x=8, num_t=7), 0, 2)


def test_fewer_than_no_samples_are_refused():
    with pytest.raises(ArgumentError, match="count = -3 .*at least 0"):
        data.generate(toy.decay(), jax.random.key(0), -3)


def test_a_solution_that_blows_up_is_named():
    problem = problems.reaction_diffusion(
        task="ic", reaction=200.0, final_time=0.1, num_x=9, num_t=8
    )
    with pytest.raises(ArgumentError, match="NaN or infinite for . of 4 samples"):
        data.generate(problem, jax.random.key(0), 4)
