"""Several fields: an uncoupled system is, from end to end, two scalar problems."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pilno_jax import data, plotting, problems
from pilno_jax.operators import (
    corrector,
    error_sizes,
    initial_parameters,
    predictor,
)
from pilno_jax.problems.base import Problem
from pilno_jax.training import causality, objective

SMALL = {"num_x": 8, "num_t": 9, "final_time": 0.5}
KEYS = jax.random.split(jax.random.key(0), 3)
PARTS = [
    problems.diffusion(diffusivity=0.02, **SMALL),
    problems.burgers(**SMALL, sigma=0.5, moving_frame=False),
]


def side_by_side(first: Problem, second: Problem) -> Problem:
    """The two of them as one problem of the fields u and v, in their own units."""

    def own(inputs):
        return {"u0": inputs["u0"]}, {"u0": inputs["v0"]}

    def both(name):
        def call(*fields_and_inputs):
            *fields, inputs = fields_and_inputs
            ours = [[field[..., i] for field in fields] for i in range(2)]
            parts = zip((first, second), ours, own(inputs), strict=True)
            return jnp.stack([getattr(p, name)(*u, x) for p, u, x in parts], -1)

        return call

    def features(inputs):
        parts = [
            p.features(x) for p, x in zip((first, second), own(inputs), strict=True)
        ]
        return jnp.concatenate(parts, -1)

    def sample(key):
        u, v = (
            p.sample(k)
            for p, k in zip((first, second), jax.random.split(key), strict=True)
        )
        return {"u0": u["u0"], "v0": v["u0"]}

    return Problem(
        name="side_by_side",
        grid=first.grid,
        fields=("u", "v"),
        sample=sample,
        sample_virtual=sample,
        solve=both("solve"),
        features=features,
        residual=both("residual"),
        constrain=both("constrain"),
        error_of=both("error_of"),
        scale=lambda inputs: jnp.asarray([first.scale(inputs), second.scale(inputs)]),
        time_axis=1,
    )


SYSTEM = side_by_side(*PARTS)


def drawn():
    inputs = jax.vmap(SYSTEM.sample)(KEYS)
    return inputs, [{"u0": inputs["u0"]}, {"u0": inputs["v0"]}]


def pick(*channels):
    """A network that hands on some of its features."""
    return lambda params, features, axes: 0.5 * features[..., list(channels)]


def test_predictions_and_corrections_are_those_of_each_problem():
    """A corrector that hands on what residuals tell of errors: sizes cancel in it."""
    inputs, own = drawn()

    @jax.jit
    def system(inputs):
        # Each problem has the features u0 and t.
        u = predictor(SYSTEM, pick(0, 2))({}, inputs)
        # Behind four features: the fields, their errors, residuals, and a size.
        return u, corrector(SYSTEM, pick(6, 7))({}, inputs, u)

    found = system(inputs)
    for field, problem in enumerate(PARTS):
        u = jax.jit(predictor(problem, pick(0)))({}, own[field])
        better = jax.jit(corrector(problem, pick(3)))({}, own[field], u)
        for one, other in zip(found, (u, better), strict=True):
            np.testing.assert_allclose(one[..., field], other, rtol=2e-5, atol=1e-7)


def test_a_corrector_sees_numbers_of_size_one_whatever_the_units():
    """Residuals in units of 1e4 for one field and 1 for the other, say."""
    seen = []
    units = jnp.asarray([1e4, 1.0])

    def apply(params, features, axes):
        seen.append(features)
        return features[..., :2]

    def residual(u, inputs):
        return units[None, None] * SYSTEM.residual(u, inputs)

    inputs, _ = drawn()
    problem = dataclasses.replace(
        SYSTEM,
        residual=residual,
        error_of=lambda r, u, inputs: SYSTEM.error_of(r / units[None, None], u, inputs),
    )
    u = jax.vmap(SYSTEM.constrain)(jnp.ones((3, *SYSTEM.shape)), inputs)
    for one in (SYSTEM, problem):
        corrector(one, apply)({}, inputs, u)
    # The channel of the size says how large the error is, and is the same for both.
    np.testing.assert_allclose(seen[0], seen[1], rtol=1e-4, atol=1e-5)
    errors = np.asarray(seen[0][..., 6:8])
    np.testing.assert_allclose(np.mean(errors**2, axis=(1, 2, 3)), 1.0, rtol=1e-4)


def test_losses_and_sizes_are_means_over_the_fields():
    inputs, own = drawn()
    u = jax.vmap(SYSTEM.constrain)(jnp.ones((3, *SYSTEM.shape)), inputs)
    rule = causality.exponential(2.0)
    whole = jax.vmap(objective.physics(SYSTEM, causality.uniform()))(u, inputs)
    alone = [
        jax.vmap(objective.physics(p, causality.uniform()))(u[..., i], own[i])
        for i, p in enumerate(PARTS)
    ]
    mean = (alone[0]["pde"] + alone[1]["pde"]) / 2
    np.testing.assert_allclose(whole["pde"], mean, rtol=1e-5)
    # Weights in time are those of one rule, whatever the fields.
    weighted = jax.vmap(objective.physics(SYSTEM, rule))(u, inputs)
    parts = [
        jax.vmap(objective.physics(p, rule))(u[..., i], own[i])["pde"]
        for i, p in enumerate(PARTS)
    ]
    np.testing.assert_allclose(weighted["pde"], sum(parts) / 2, rtol=1e-5)
    sizes = [error_sizes(p)(own[i], u[..., i]) for i, p in enumerate(PARTS)]
    norms = [np.linalg.norm(u[..., i].reshape(3, -1), axis=1) for i in range(2)]
    expected = np.hypot(sizes[0] * norms[0], sizes[1] * norms[1]) / np.hypot(*norms)
    np.testing.assert_allclose(error_sizes(SYSTEM)(inputs, u), expected, rtol=1e-4)


def test_labels_and_their_nodes_have_all_fields():
    strided = dataclasses.replace(SYSTEM, label_stride=(2, 4))
    labelled = data.generate(SYSTEM, jax.random.key(1), 2)["labels"]
    assert labelled.shape == (2, 8, 9, 2)
    np.testing.assert_array_equal(strided.restrict(labelled), labelled[:, ::2, ::4])
    assert data.generate(SYSTEM, jax.random.key(1), 0)["labels"].shape == (0, 8, 9, 2)


def test_a_network_with_other_channels_is_named():
    inputs, _ = drawn()
    with pytest.raises(ValueError, match="channels .* = 1 .* 2, one for each of u, v"):
        predictor(SYSTEM, pick(0))({}, inputs)
    with pytest.raises(ValueError, match=r"fields = .*'x'\) .* none of \['t', 'x'"):
        dataclasses.replace(SYSTEM, fields=("u", "x"))
    with pytest.raises(ValueError, match=r"fields = \('u', 'u'\) .* different names"):
        dataclasses.replace(SYSTEM, fields=("u", "u"))


def test_figures_show_every_field():
    truth, prediction = np.random.default_rng(0).normal(size=(2, *SYSTEM.shape))
    figure = plotting.comparison_figure(
        SYSTEM.grid, truth, prediction, "worst", SYSTEM.fields
    )
    images = [ax.images[0] for ax in figure.axes if ax.images]
    for field in range(2):
        shown = [np.asarray(image.get_array()) for image in images[3 * field :][:3]]
        np.testing.assert_allclose(shown[0], truth[..., field])
        np.testing.assert_allclose(shown[2], (prediction - truth)[..., field])
    sliced = plotting.slices_figure(SYSTEM, {"case": (truth, prediction)}, "worst")
    assert [ax.get_ylabel() for ax in sliced.axes] == ["$u$", "$v$"]
    np.testing.assert_allclose(sliced.axes[1].lines[0].get_ydata(), truth[:, 0, 1])
    stages = plotting.stages_figure(
        SYSTEM.grid, truth, {"network": prediction}, "median", SYSTEM.fields
    )
    titles = [ax.get_title() for ax in stages.axes if ax.images]
    assert [title.split()[0] for title in titles] == ["reference", "network:"] * 2
    one = jax.tree.map(np.asarray, SYSTEM.sample(KEYS[0]))
    assert len([a for a in plotting.reference_figure(SYSTEM, one, truth).axes]) >= 5


def test_first_parameters_of_a_corrector_fit_its_channels():
    asked = []

    class Network:
        def init(self, key, features, axes):
            asked.append(features.shape)
            return {}

        def apply(self, params, features, axes):
            raise NotImplementedError

    for stage in (1, 2):
        initial_parameters(SYSTEM, Network(), KEYS[0], stage)
    assert asked == [(8, 9, 4), (8, 9, 4 + 3 * 2 + 1)]
