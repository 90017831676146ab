"""Problems by name, and options that make none."""

import pytest

from pilno_jax import problems


@pytest.mark.parametrize("name", sorted(problems.FACTORIES))
def test_make_by_name(name):
    assert problems.make(name).name == name
    assert problems.make(name).grid == problems.FACTORIES[name]().grid


BAD_OPTIONS = [
    ("burgers", {"viscosity": -0.01}, "viscosity = -0.01 .* positive"),
    ("burgers", {"num_x": 1}, "axis 'x' = 1 .* at least 2"),
    ("burgers", {"num_t": 6}, "axis 't' = 6 .* at least 7"),
    ("burgers", {"final_time": 0.0}, "final_time = 0.0 .* positive"),
    ("burgers", {"sigma": -1.0}, "sigma = -1.0 .* positive"),
    ("burgers", {"length_scale": 0.01}, "length_scale = 0.01 .* at least 0.2"),
    (
        "burgers",
        {"virtual_length_scales": (5.0, 0.5)},
        r"virtual_length_scales = \(5.0, 0.5\) .* shortest <= longest",
    ),
    ("diffusion", {"diffusivity": float("nan")}, "diffusivity = nan .* positive"),
    ("diffusion", {"num_t": 3}, "axis 't' = 3 .* at least 7"),
    (
        "reaction_diffusion",
        {"task": "A"},
        r"task = 'A' .* one of \['ic', 'forcing'\]",
    ),
    ("reaction_diffusion", {"reaction": -1.0}, "reaction = -1.0 .* >= 0"),
    ("reaction_diffusion", {"num_x": 5}, "axis 'x' = 5 .* at least 8"),
    ("darcy", {"law": "gauss"}, r"law = 'gauss' .* one of \['neumann', 'periodic'"),
    ("darcy", {"measure": "h1"}, r"measure = 'h1' .* one of \['h-1'"),
    ("darcy", {"features": "all"}, r"features = 'all' .* one of \['rich'"),
    ("darcy", {"values": (-3.0, 12.0)}, r"values = \(-3.0, 12.0\).*positive"),
    ("darcy", {"values": (3.0, 3.0)}, "values.*different"),
    ("darcy", {"num_points": 60}, "num_points = 60.*dividing num_fine - 1 = 240"),
    ("darcy", {"num_points": 2}, "num_points = 2"),
    ("darcy", {"label_points": 12}, "label_points = 12.*num_points - 1 = 60"),
    ("darcy", {"source": 0.0}, "source = 0.0"),
    ("darcy", {"tau": -1.0}, "tau = -1.0"),
    ("darcy", {"measure": "energy", "hard_constraints": False}, "measure = 'energy'"),
    ("forced_kdv", {"family": "D"}, r"family = 'D' .* one of \[None, 'A', 'B', 'C'"),
    ("forced_kdv", {"measure": "h1"}, r"measure = 'h1' .* one of \['dispersive'"),
    ("forced_kdv", {"features": "all"}, r"features = 'all' .* one of \['rich'"),
    ("forced_kdv", {"hard_constraints": "bc"}, r"hard_constraints = 'bc'.*'ic'"),
    ("forced_kdv", {"half_length": -5.0}, "half_length = -5.0 .* positive"),
    ("forced_kdv", {"final_time": 0.0}, "final_time = 0.0 .* positive"),
    ("forced_kdv", {"num_x": 8}, "axis 'x' = 8 .* at least 9"),
    ("forced_kdv", {"num_t": 4}, "axis 't' = 4 .* at least 5"),
    ("heat", {}, r"problem name = 'heat' .* one of .*'burgers', 'darcy'"),
]


@pytest.mark.parametrize("name, options, message", BAD_OPTIONS)
def test_bad_options_are_named(name, options, message):
    with pytest.raises(ValueError, match=message):
        problems.make(name, **options)


def test_a_grid_with_the_wrong_number_of_axes_is_named():
    with pytest.raises(ValueError, match=r"num_points = \(32,\) .* 2 axes"):
        problems.burgers().on(32)
