"""The objective against hand-computed values and its own structure."""

import dataclasses

import jax
import jax.extend.core
import jax.numpy as jnp
import numpy as np
import pytest
import toy

from pilno_jax.numerics.precision import in_precision
from pilno_jax.operators import predictor
from pilno_jax.training import causality
from pilno_jax.training.objective import Weights, objective, term_names

PROBLEM = toy.decay()
BATCH = toy.batch(PROBLEM)
WEIGHTS = Weights(data=2.0, pde=3.0, ic=5.0, virtual=0.5)


def by_hand(params, batch, weights_of_time):
    """The same loss in plain NumPy, sample by sample."""
    t = np.linspace(0.0, 1.0, toy.NUM_T)
    curve = sum(float(p) * t**k for k, p in enumerate(params))
    slope = sum(k * float(p) * t ** max(k - 1, 0) for k, p in enumerate(params))
    terms = {"data": [], "pde": [], "ic": [], "pde_virtual": [], "ic_virtual": []}
    for kind, suffix in (("inputs", ""), ("virtual", "_virtual")):
        for u0 in np.asarray(batch[kind]["u0"]):
            u = np.outer(u0, curve)
            residual = np.outer(u0, slope + curve)
            terms["pde" + suffix].append((weights_of_time * residual**2).mean())
            terms["ic" + suffix].append(((u[:, 0] - u0) ** 2).mean())
            if not suffix:
                truth = np.outer(u0, np.exp(-t))
                gap = np.linalg.norm(u - truth) / np.linalg.norm(truth)
                terms["data"].append(gap)
    return {name: np.mean(values) for name, values in terms.items()}


@pytest.mark.parametrize("rate", [None, 4.0])
def test_known_u_gives_the_hand_computed_terms(rate):
    rule = causality.exponential(rate) if rate else causality.uniform()
    t = np.linspace(0.0, 1.0, toy.NUM_T)
    w = np.exp(-(rate or 0.0) * t)
    params = toy.TAYLOR.at[0].set(1.1)
    loss = objective(PROBLEM, toy.apply, WEIGHTS, rule)
    total, terms = loss(params, BATCH)
    expected = by_hand(params, BATCH, w / w.mean())
    assert terms.keys() == expected.keys()
    for name, value in expected.items():
        # The 4th-order difference is exact on this quartic: only rounding is left.
        assert float(terms[name]) == pytest.approx(value, rel=2e-4, abs=1e-7), name
    parts = 2 * expected["data"] + 3 * expected["pde"] + 5 * expected["ic"]
    parts += 0.5 * (3 * expected["pde_virtual"] + 5 * expected["ic_virtual"])
    assert float(total) == pytest.approx(parts, rel=2e-4)


def test_the_truth_has_a_small_loss_and_a_wrong_sign_does_not():
    loss = objective(PROBLEM, toy.apply, WEIGHTS)
    assert float(loss(toy.TAYLOR, BATCH)[0]) < 0.05
    assert float(loss(toy.TAYLOR.at[1].set(1.0), BATCH)[0]) > 1.0


def test_jit_eager_and_vmap_over_seeds_agree():
    loss = objective(PROBLEM, toy.apply, WEIGHTS, causality.exponential(2.0))
    several = toy.TAYLOR[None] + 0.1 * jnp.arange(3.0)[:, None]
    eager = jnp.stack([loss(params, BATCH)[0] for params in several])
    jitted = jnp.stack([jax.jit(loss)(params, BATCH)[0] for params in several])
    mapped = jax.vmap(loss, in_axes=(0, None))(several, BATCH)[0]
    np.testing.assert_allclose(jitted, eager, rtol=1e-4)
    np.testing.assert_allclose(mapped, eager, rtol=1e-4)


def test_squared_data_loss_is_the_papers():
    total, terms = objective(
        PROBLEM, toy.apply, Weights(pde=0.0, ic=0.0, bc=0.0), data_loss="squared"
    )(toy.TAYLOR * 1.1, BATCH)
    u = predictor(PROBLEM, toy.apply)(toy.TAYLOR * 1.1, BATCH["inputs"])
    assert float(total) == pytest.approx(float(jnp.mean((u - BATCH["labels"]) ** 2)))
    assert terms.keys() == {"data"}


def test_without_physics_virtual_inputs_have_no_gradient():
    def total(virtual, weights):
        loss = objective(PROBLEM, toy.apply, weights)
        return loss(toy.TAYLOR, {**BATCH, "virtual": virtual})[0]

    slope = jax.grad(total)
    off = slope(BATCH["virtual"], Weights(pde=0.0, ic=0.0, bc=0.0))["u0"]
    on = slope(BATCH["virtual"], WEIGHTS)["u0"]
    assert not np.asarray(off).any()
    assert np.asarray(on).all()


def test_physics_only_ignores_the_labels():
    loss = objective(PROBLEM, toy.apply, Weights(data=0.0))
    noise = {**BATCH, "labels": BATCH["labels"] + 1.0}
    assert loss(toy.TAYLOR, BATCH)[0] == loss(toy.TAYLOR, noise)[0]


def test_without_virtual_inputs_only_labelled_terms_appear():
    bare = {name: BATCH[name] for name in ("inputs", "labels")}
    _, terms = objective(PROBLEM, toy.apply, WEIGHTS)(toy.TAYLOR, bare)
    _, full = objective(PROBLEM, toy.apply, WEIGHTS)(toy.TAYLOR, BATCH)
    assert terms.keys() == {"data", "pde", "ic"}
    for name, value in terms.items():
        assert float(value) == pytest.approx(float(full[name]), rel=1e-6)


def test_term_names_are_all_the_terms_there_can_be():
    problem = toy.decay()
    batch = toy.batch(problem)
    _, terms = objective(problem, toy.apply)(toy.TAYLOR, batch)
    assert set(term_names(problem)) == set(terms)


def test_a_problems_own_measure_is_used():
    loudest = toy.decay(measure=lambda r, u, inputs: jnp.max(jnp.abs(r)))
    _, terms = objective(loudest, toy.apply)(toy.TAYLOR, BATCH)
    _, plain = objective(PROBLEM, toy.apply)(toy.TAYLOR, BATCH)
    assert float(terms["pde"]) > float(jnp.sqrt(plain["pde"]))


def test_root_physics_is_the_mean_of_the_samples_norms():
    """Of every sample's own norm, not the norm of the whole batch."""
    _, squared = objective(PROBLEM, toy.apply)(toy.TAYLOR, BATCH)
    _, root = objective(PROBLEM, toy.apply, physics_loss="root")(toy.TAYLOR, BATCH)
    each = [
        objective(PROBLEM, toy.apply)(
            toy.TAYLOR, jax.tree.map(lambda x, i=i: x[i : i + 1], BATCH)
        )[1]["pde"]
        for i in range(3)
    ]
    assert float(root["pde"]) == pytest.approx(np.mean(np.sqrt(each)), rel=1e-4)
    assert float(squared["pde"]) == pytest.approx(np.mean(each), rel=1e-4)
    perfect = jax.grad(
        lambda p: objective(PROBLEM, toy.apply, physics_loss="root")(p, BATCH)[0]
    )
    assert np.isfinite(np.asarray(perfect(jnp.zeros(5)))).all()


def test_bad_arguments_are_named():
    with pytest.raises(ValueError, match="weights.pde = -1"):
        Weights(pde=-1.0)
    with pytest.raises(ValueError, match="data_loss = 'huber'.*relative.*squared"):
        objective(PROBLEM, toy.apply, data_loss="huber")


@pytest.mark.parametrize(
    "weights, message",
    [
        (dict(data=0.0, pde=0.0, ic=0.0, bc=0.0), "weights.data = 0.0.*above 0"),
        (dict(constraints={"mass": -1.0}), r"weights.constraints\['mass'\] = -1"),
        (dict(constraints={"ic": 1.0}), r"weights.constraints = \['ic'\]"),
    ],
)
def test_weights_that_mean_nothing_are_refused(weights, message):
    with pytest.raises(ValueError, match=message):
        Weights(**weights)


def test_a_constraint_of_any_name_has_a_weight():
    """Here u(., 1) = u0 / e, under a name of the problem's own."""
    end = lambda u, inputs: u[:, -1] - inputs["u0"] / jnp.e  # noqa: E731
    more = {**PROBLEM.constraints, "end": end}
    problem = dataclasses.replace(PROBLEM, constraints=more)
    params = toy.TAYLOR.at[0].set(1.1)
    bare, terms = objective(PROBLEM, toy.apply, WEIGHTS)(params, BATCH)
    total, with_end = objective(problem, toy.apply, WEIGHTS)(params, BATCH)
    assert with_end.keys() - terms.keys() == {"end", "end_virtual"}
    extra = float(with_end["end"]) + 0.5 * float(with_end["end_virtual"])
    assert float(total - bare) == pytest.approx(extra, rel=1e-4)
    heavy = dataclasses.replace(WEIGHTS, constraints={"end": 7.0})
    total, _ = objective(problem, toy.apply, heavy)(params, BATCH)
    assert float(total - bare) == pytest.approx(7 * extra, rel=1e-4)
    only = Weights(data=0.0, pde=0.0, ic=0.0, bc=0.0, constraints={"end": 1.0})
    total, _ = objective(problem, toy.apply, only)(params, BATCH)
    both = with_end["end"] + with_end["end_virtual"]
    assert float(total) == pytest.approx(float(both), rel=1e-4)


@pytest.mark.parametrize("name", ["data", "pde", "loss", "step", "end_virtual"])
def test_a_constraint_must_not_hide_another_number(name):
    """Under one of these names it would replace a term, or a column of the metrics."""
    problem = dataclasses.replace(PROBLEM, constraints={name: lambda u, inputs: u})
    with pytest.raises(ValueError, match=f"soft constraint = '{name}'"):
        objective(problem, toy.apply)


def test_losses_can_be_functions():
    named = objective(
        PROBLEM, toy.apply, WEIGHTS, data_loss="squared", physics_loss="root"
    )
    given = objective(
        PROBLEM,
        toy.apply,
        WEIGHTS,
        data_loss=lambda u, truth: jnp.mean((u - truth) ** 2),
        physics_loss=lambda square: jnp.sqrt(square + 1e-12),
    )
    params = toy.TAYLOR * 1.1
    expected, value = named(params, BATCH)[0], given(params, BATCH)[0]
    assert float(value) == pytest.approx(float(expected), rel=1e-6)
    doubled = objective(PROBLEM, toy.apply, data_loss=lambda u, truth: jnp.float32(2))
    assert float(doubled(params, BATCH)[1]["data"]) == 2


def test_labels_on_other_nodes_are_named():
    finer = {**BATCH, "labels": jnp.repeat(BATCH["labels"], 2, axis=1)}
    with pytest.raises(ValueError, match="shape of labels.*see Problem.restrict"):
        jax.eval_shape(objective(PROBLEM, toy.apply), toy.TAYLOR, finer)


def products(jaxpr):
    """(shape, precision) of every matrix product in a program, nested ones too."""
    for equation in jaxpr.eqns:
        if equation.primitive.name == "dot_general":
            shape = equation.outvars[0].aval.shape
            yield shape, str(equation.params["precision"])
        for inner in jax.extend.core.jaxprs_in_params(equation.params):
            yield from products(inner)


@pytest.mark.parametrize("precision, level", [("bfloat16", "DEFAULT")])
def test_the_network_has_the_precision_asked_for_and_the_residual_float32(
    precision, level
):
    loss = objective(PROBLEM, in_precision(toy.apply, precision), WEIGHTS)
    program = jax.make_jaxpr(jax.grad(lambda p: loss(p, BATCH)[0]))(toy.TAYLOR)
    found = list(products(program.jaxpr))
    # The toy network's products give curves in time or parameters, the residual's
    # fields in (x, t): four dimensions less two.
    network = {p for shape, p in found if len(shape) == 1}
    residual = {p for shape, p in found if len(shape) > 1}
    assert all(level in p for p in network) and network
    assert all("HIGHEST" in p for p in residual) and residual


def test_an_unknown_precision_is_named():
    with pytest.raises(ValueError, match="matmul_precision = 'half'.*bfloat16"):
        in_precision(toy.apply, "half")
