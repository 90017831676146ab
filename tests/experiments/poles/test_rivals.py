"""Rivals start from valid configs, at about equal sizes; tables tell what was found."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from experiments.pages import oscillators_page
from experiments.poles import measure, rivals
from experiments.poles.published import RERUNS
from pilno_jax import models, operators


def size(entry):
    network = models.make(**rivals.config_of(entry).model.to_dict())
    f, axes = jnp.zeros((192, 1)), (jnp.linspace(0.0, 1.0, 192),)
    if entry.system in rivals.WAVES:
        f, axes = jnp.zeros((16, 192, 1)), (jnp.arange(16) / 16, *axes)
    params = jax.eval_shape(lambda key: network.init(key, f, axes), jax.random.key(0))
    return operators.count_parameters(params)


def entry(
    network, way=rivals.LABELS, law=rivals.PUBLISHED_LAW, system="Duffing, c = 0"
):
    return rivals.Entry(system, law, network, way)


def test_deep_networks_are_about_equally_large_and_those_that_know_more_smaller():
    small = {rivals.LNO_PROTOCOL, rivals.LOOPED}
    every = rivals.ALONG_TIME.keys() - {rivals.STAGED, rivals.NEAREST}
    sizes = {name: size(entry(name)) for name in every}
    deep = [count for name, count in sizes.items() if name not in small]
    assert max(deep) < 1.5 * min(deep)
    assert max(sizes[rivals.LNO_PROTOCOL], sizes[rivals.LOOPED]) < 0.1 * min(deep)


@pytest.mark.parametrize("system", rivals.WAVES)
def test_deep_networks_of_waves_are_about_equally_large(system):
    deep = rivals.IN_SPACE_AND_TIME.keys() - rivals.LINEAR.keys()
    assert deep == rivals.WITH_EQUATION.keys() - {rivals.ONE_LAYER}
    every = [entry(name, law=rivals.RANDOM_LAW, system=system) for name in deep]
    sizes = [size(one) for one in every]
    assert max(sizes) < 1.25 * min(sizes)
    both = [one._replace(way=rivals.EQUATION) for one in every]
    assert [size(one) for one in both] == sizes
    trained = {rivals.config_of(one).train.steps for one in every}
    staged = {
        (config.train.steps, config.stages) for config in map(rivals.config_of, both)
    }
    assert len(trained) == len(staged) == 1
    assert all(rivals.config_of(one).weights.pde > 0 for one in both)
    assert not any(rivals.config_of(one).weights.pde for one in every)


@pytest.mark.parametrize("system", rivals.WAVES)
def test_a_linear_fno_as_small_as_lno_has_the_next_larger_size(system):
    lno = size(entry("LNO, one layer", law=rivals.RANDOM_LAW, system=system))
    for period in (1, 2):
        small = f"FNO, period {period}, {rivals.AS_SMALL}"
        one = entry(small, law=rivals.RANDOM_LAW, system=system)
        waves, _ = rivals.config_of(one).model.options["modes"]
        assert lno <= size(one) < lno + 4 * waves  # what one frequency more costs


@pytest.mark.parametrize("way", rivals.WAYS)
@pytest.mark.parametrize("law", rivals.LAWS)
def test_ways_and_laws_are_what_they_are_called(way, law):
    config = rivals.config_of(entry("ALNO", way, law))
    assert config.problem.options["damping"] == 0.0
    assert (config.weights.pde > 0) == (way == rivals.EQUATION)
    trained_on = "random" if law == rivals.RANDOM_LAW else "sine"
    assert config.problem.options["law"] == trained_on
    assert bool(rivals.tested_law(entry("ALNO", way, law))) == (trained_on == "sine")


def test_entries_have_names_of_their_own_and_configs_that_exist():
    every = list(rivals.entries())
    assert len({one.name for one in every}) == len(every)
    assert RERUNS.keys() == rivals.OSCILLATORS.keys()
    for one in every:
        rivals.config_of(one)


def test_an_entry_is_kept_until_its_config_or_the_number_of_seeds_changes():
    one = entry("ALNO")
    trained_as = measure.fingerprint(rivals.config_of(one), 5)
    row = {**one._asdict(), "trained_as": trained_as}
    assert measure.is_kept(one, [row], 5) and not measure.is_kept(one, [row], 3)
    assert not measure.is_kept(entry("FNO, period 2"), [row], 5)
    assert not measure.is_kept(one, [{**row, "trained_as": "before"}], 5)


def test_an_option_that_is_younger_than_a_row_counts_only_if_it_is_used():
    config = rivals.config_of(entry("ALNO"))
    known = measure.fingerprint(config, 5)
    assert measure.fingerprint(config.changed({"model.free_poles": True}), 5) != known
    with pytest.MonkeyPatch.context() as before:
        younger = {"model.free_poles": (False,), "model.remat": (False,)}
        before.setattr(measure.format, "ADDED_OPTIONS", younger)
        now = measure.fingerprint(config, 5)
        assert now != known and measure.fingerprint(config, 3) != now
        without = config.to_dict()
        del without["model"]["remat"], without["model"]["free_poles"]
        before.setattr(type(config), "to_dict", lambda self: without)
        assert measure.fingerprint(config, 5) == now  # as in the days before them


def test_tables_have_medians_ranges_and_the_lowest_bold():
    def row(network, errors):
        return {**entry(network)._asdict(), "errors": errors}

    rows = [row("ALNO", [0.3, 0.1, 0.2]), row("FNO, period 2", [0.4])]
    rows.append({**row(rivals.LNO_PROTOCOL, [0.25]), "published_test": [0.24]})
    (line,) = oscillators_page.comparison(rows, rivals.LABELS)
    assert line["ALNO"] == "**0.2** (0.1 to 0.3)" and line["FNO, period 2"] == "0.4"
    assert not oscillators_page.comparison(rows, rivals.EQUATION)
    first = oscillators_page.against_reruns(rows)[0]
    assert first["LNO's protocol here"] == "0.25"
    assert first["A up to 9.09, as theirs"] == "0.24"
    assert first["best of ours"] == "ALNO: 0.2 (0.1 to 0.3)"


def test_the_page_says_how_much_is_trained():
    every = [one._asdict() for one in rivals.entries()]
    whole, part = map(oscillators_page.so_far, (every, every[:-2]))
    assert whole.startswith(f"All {len(every)} entries") and "left" not in whole
    assert part.startswith(f"{len(every) - 2} of {len(every)} ")
    assert part.endswith("one of the 2 that are left.")


def test_a_network_on_waves_has_one_line_for_both_ways():
    def row(network, way, parameters, error):
        one = entry(network, way, rivals.RANDOM_LAW, "beam")
        return {**one._asdict(), "parameters": parameters, "errors": [error]}

    rows = [row("ALNO", "equation", 20, 0.1), row("ALNO", "labels", 10, 0.2)]
    one, other = oscillators_page.on_waves([*rows, row("FNO", "labels", 5, 0.3)])
    assert one == {
        "system": "beam",
        "network": "ALNO",
        "parameters": 10,
        "labels alone": "0.2",
        "with the equation": "0.1",
    }
    assert other["network"] == "FNO" and other["with the equation"] == ""


def test_poles_are_shown_of_layers_that_saw_labels_alone():
    one = entry(rivals.ONE_LAYER, law=rivals.RANDOM_LAW, system="beam")
    pole = {"true": [-0.5, 4.0], "learned": [-0.5, 4.1], "relative_distance": 0.02}
    rows = [
        {**one._replace(way=way)._asdict(), "poles": [[pole]]} for way in rivals.WAYS
    ]
    (line,) = oscillators_page.learned_poles([*rows, one._asdict()])
    assert line["true pole"] == "-0.500+4.000 i" and line["relative distance"] == "0.02"


def test_an_idea_stands_below_what_the_network_was_without_it():
    before, after = ({**entry("ALNO")._asdict(), "errors": [e]} for e in (0.3, 0.2))
    other = {**entry("ALNO", system="Lorenz, rho = 5")._asdict(), "errors": [0.1]}
    tried = [{"idea": "damped", **after}, {"idea": "damped", **other}]
    first, second = oscillators_page.ideas([before], tried)
    assert first == {"network": "ALNO", "poles": "as it is", "Duffing, c = 0": "0.3"}
    assert second["poles"] == "damped" and second["Duffing, c = 0"] == "0.2"
    assert second["Lorenz, rho = 5"] == "0.1"  # nothing to compare it with


def test_the_grids_own_error_stands_beside_the_others_and_wins_nothing():
    row = {
        **entry(rivals.LOOPED)._asdict(),
        "errors": [0.1],
        "corrected": [0.03, 0.01],
        "corrected_without_network": 0.5,
        "corrected_labels": 0.001,
    }
    rows = oscillators_page.corrected([row])
    (line,) = oscillators_page.comparison(rows, rivals.EQUATION)
    assert line[f"{rivals.LOOPED}, corrected"] == "**0.02** (0.01 to 0.03)"
    assert line["no network, corrected"] == "0.5"
    assert line[oscillators_page.FLOOR] == "0.001"


def test_true_poles_of_a_beam():
    options = {"name": "beam", "num_waves": 2, "stiffness": 0.01, "damping": 1.0}
    # mu^2 + c mu + D (2 pi k)^4 = 0
    for k, mu in enumerate(rivals.true_poles(options), start=1):
        assert abs(mu**2 + mu + 0.01 * (2 * np.pi * k) ** 4) < 1e-9


def test_a_learned_pole_is_judged_by_its_own_wave_of_either_sign():
    """A perfect pole at another wave does not count, nor one of the two signs alone."""
    one = entry("LNO, one layer", law=rivals.RANDOM_LAW, system="beam")
    config = rivals.config_of(one)
    options, unit = config.problem.to_dict(), config.model.options["pole_unit"]
    true = rivals.true_poles(options)
    by_wave = np.concatenate([true[::-1], [-1.0], true]) * options["final_time"] / unit
    by_wave[0] *= 1.1  # of wave -3
    kernel = {
        "decay_1": np.log(np.expm1(-by_wave.real))[:, None],
        "frequency_1": by_wave.imag[:, None],
        "residues": np.zeros((7, 1, 1, 2, 1)),
    }
    rows = measure.learned_poles(config, {"kernel_0": kernel})
    away = [row["relative_distance"] for row in rows]
    np.testing.assert_allclose(away, [0.0, 0.0, 0.1], atol=1e-5)
    kernel["frequency_1"] = kernel["frequency_1"][[0, 2, 1, 3, 5, 4, 6]]
    rows = measure.learned_poles(config, {"kernel_0": kernel})
    assert all(row["relative_distance"] > 0.5 for row in rows[:2])
