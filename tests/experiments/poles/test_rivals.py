"""Rivals start from valid configs, at about equal sizes; tables tell what was found."""

from pathlib import Path

import jax
import numpy as np
import pytest

from experiments.config.build import build
from experiments.config.command_line import read_config
from experiments.pages import oscillators_page
from experiments.poles import rivals
from experiments.poles.published import RERUNS
from pilno_jax import operators

ROOT = Path(__file__).parents[3]


def built(entry):
    run = rivals.run_of(entry, seed=0)
    config = read_config(f"{ROOT}/configs/{run.config}.py:{run.recipe}")
    return build(config.changed(dict(run.changes)))


def size(entry):
    run = built(entry)
    make = lambda key: operators.initial_parameters(run.problem, run.model, key)  # noqa: E731
    return operators.count_parameters(jax.eval_shape(make, jax.random.key(0)))


@pytest.mark.parametrize("system", ["Duffing, c = 0.5", "beam", "telegraph"])
def test_networks_of_a_system_are_about_equally_large(system):
    sizes = {
        entry.network: size(entry)
        for entry in rivals.entries()
        if entry.system == system and entry.way == rivals.LABELS
    }
    protocol = sizes.pop(rivals.LNO_PROTOCOL)
    assert max(sizes.values()) < 1.5 * min(sizes.values())
    assert protocol < 0.1 * min(sizes.values())


def test_ways_and_laws_are_what_they_are_called():
    for entry in rivals.entries():
        if entry.system != "Duffing, c = 0" or entry.network != "ALNO":
            continue
        config = built(entry).config
        assert config.problem.options["damping"] == 0.0
        assert (config.weights.pde > 0) == (entry.way == rivals.EQUATION)
        random = entry.law == rivals.RANDOM_LAW
        assert config.problem.options["law"] == ("random" if random else "sine")
    names = [rivals.run_of(entry, 1).name for entry in rivals.entries()]
    assert len(set(names)) == len(names)
    assert RERUNS.keys() == rivals.OSCILLATORS.keys()


def test_tables_have_medians_ranges_and_the_lowest_bold():
    def row(network, seed, error):
        entry = rivals.Entry("Duffing, c = 0", "published", network, "labels")
        errors = {"own": 0.01, "decaying": error}
        return {**entry._asdict(), "seed": seed, "errors": errors}

    rows = [row("ALNO", seed, error) for seed, error in enumerate((0.3, 0.1, 0.2))]
    rows += [row("FNO, period 2", 0, 0.4), row(rivals.LNO_PROTOCOL, 0, 0.25)]
    (line,) = oscillators_page.comparison(rows, rivals.LABELS)
    assert line["ALNO"] == "**0.2** (0.1 to 0.3)" and line["FNO, period 2"] == "0.4"
    assert line["LNO, deep"] == "" and not oscillators_page.comparison(rows, "equation")
    first = oscillators_page.against_reruns(rows)[0]
    assert first["LNO's protocol here"] == "0.25"
    assert first["best of ours"] == "ALNO: 0.2 (0.1 to 0.3)"


def test_true_poles_of_a_beam():
    options = {"name": "beam", "num_waves": 2, "stiffness": 0.01, "damping": 1.0}
    # mu^2 + c mu + D (2 pi k)^4 = 0
    for k, mu in enumerate(rivals.true_poles(options), start=1):
        assert abs(mu**2 + mu + 0.01 * (2 * np.pi * k) ** 4) < 1e-9
