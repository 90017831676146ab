"""Forced KdV: closed forms, residual, constraints, measures and sampling."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pilno_jax.problems import forced_kdv, make
from pilno_jax.problems.forced_kdv import lifting, running_integral
from pilno_jax.problems.kdv_families import (
    FAMILIES,
    RANGES,
    derivative_in_x,
    draw,
    forcing,
    named,
    sech2,
    solution,
)
from pilno_jax.problems.kdv_measures import dispersion_matrix

# FACTS section 5, copied by hand: what each family draws, and from where.
BOTH = {"alpha": (1.5, 2.5), "beta": (0.125, 0.375)}
LAW = {
    "A": BOTH
    | {"k": (0.5, 1.5), "A": (2.5, 3.5), "delta": (-4, 4)}
    | {"b0": (-1, 1), "b1": (-3, 3), "b": (-1, 1)},
    "B": BOTH
    | {"k": (0.5, 1.5), "delta": (-4, 4), "b0": (-1, 1)}
    | {"b1": (-1, 1), "b2": (-2, -1)},
    "C": BOTH | {"b": (-4, 2), "a": (-3, 3), "d": (0.3, 0.8), "gamma": (0.5, 1.5)},
}
# A slow pulse that stays inside: every term is resolved on 100 nodes.
SLOW = dict(alpha=2.0, beta=0.25, k=0.8, A=3.0, delta=0.5, b0=0.3, b1=0.2, b=0.3)
HARMLESS = dict(b2=-1.5, a=0.5, d=0.6, gamma=1.0)


def constants_of(**values):
    return jnp.array([(SLOW | HARMLESS | values)[name] for name in RANGES])


def inputs_of(problem, family, constants):
    """The sampler's inputs for chosen constants, by an independent route."""
    return jax.jit(lambda c: _inputs_of(problem, family, c))(constants)


def _inputs_of(problem, family, constants):
    x, t = problem.grid.coordinates
    u, f = solution(family, constants), forcing(family, constants)
    u_x, f_x = (jnp.vectorize(jax.grad(fun)) for fun in (u, f))
    xx, tt = jnp.meshgrid(x, t, indexing="ij")
    return {
        "f_x": f_x(xx, tt),
        "u0": u(x, jnp.zeros_like(x)),
        "u_left": u(jnp.full_like(t, x[0]), t),
        "u_right": u(jnp.full_like(t, x[-1]), t),
        "ux_right": u_x(jnp.full_like(t, x[-1]), t),
        "alpha": named(constants)["alpha"],
        "beta": named(constants)["beta"],
        "family": jnp.asarray(family, jnp.int32),
        "constants": constants,
    }


def residual_norms(problem, inputs, factor=1.0):
    """Root mean squares of the residual of factor * truth, and of alpha f_x."""

    def compute(inputs):
        r = problem.residual(factor * problem.solve(inputs), inputs)
        source = inputs["alpha"] * inputs["f_x"]
        return jnp.sqrt(jnp.mean(r**2)), jnp.sqrt(jnp.mean(source**2))

    return [float(value) for value in jax.jit(compute)(inputs)]


def draws(problem, count, seed=0):
    keys = jax.random.split(jax.random.key(seed), count)
    return jax.jit(jax.vmap(problem.sample))(keys)


@pytest.fixture(scope="module")
def batch():
    """Draws of all families on the default grid; shared, for compiling takes seconds.

    What is sampled depends on the grid alone, not on the problem's other options.
    """
    return draws(forced_kdv(), 200)


def norm(field):
    return float(jnp.sqrt(jnp.mean(field**2)))


@pytest.mark.parametrize("family", range(3))
def test_closed_forms_solve_the_equation(x64, family):
    def defect(constants, x, t):
        c = named(constants)
        u, f = solution(family, constants), forcing(family, constants)
        u_x = jax.grad(u)
        u_xxx = jax.grad(jax.grad(u_x))
        source = c["alpha"] * jax.grad(f)(x, t)
        u_t = jax.grad(u, 1)(x, t)
        left = u_t + u(x, t) * u_x(x, t) + c["beta"] * u_xxx(x, t)
        return (left - source) / (1.0 + jnp.abs(source))

    keys = jax.random.split(jax.random.key(family), 200)
    constants = jax.vmap(draw, (0, None))(keys, family)
    points = jax.random.uniform(jax.random.key(9), (200, 2), minval=-5.0, maxval=5.0)
    x, t = points[:, 0], jnp.abs(points[:, 1])
    # The printed f_C is 0/0 at x = -a: half of the points sit there.
    x = x.at[::2].set(-constants[::2, list(RANGES).index("a")])
    assert jnp.abs(jax.jit(jax.vmap(defect))(constants, x, t)).max() < 1e-10


def test_regular_f_c_is_the_printed_one(x64):
    constants = draw(jax.random.key(3), 2)
    c = named(constants)
    x, t = jnp.linspace(-5, 5, 41), jnp.linspace(0, 5, 41)
    x = jnp.where(jnp.abs(x + c["a"]) < 0.05, x + 0.1, x)
    shifted, late = x + c["a"], t + c["b"]
    bump = shifted**2 + late**2 + c["d"]
    h = shifted / jnp.sqrt(c["d"] + late**2)
    beta, gamma = c["beta"], c["gamma"]
    printed = (12 * beta * gamma / c["alpha"]) * (
        6 * beta * (gamma + 1) / bump**2
        - 8 * beta * shifted**2 / (h**2 * bump**3)
        - late * h**2 / (shifted * bump)
        - late * h**3 / shifted**3 * jnp.arctan(h)
    )
    np.testing.assert_allclose(forcing(2, constants)(x, t), printed, rtol=1e-10)


def test_sech2_is_smooth_at_zero_and_safe_far_out():
    third = jax.grad(jax.grad(jax.grad(sech2)))
    assert sech2(jnp.array(0.0)) == 1.0
    assert jax.grad(jax.grad(sech2))(0.0) == pytest.approx(-2.0)
    for z in (-1e4, -60.0, 60.0, 1e4):
        assert jnp.isfinite(third(z)) and jnp.abs(sech2(jnp.array(z))) < 1e-20


@pytest.mark.parametrize("family", FAMILIES)
def test_parameters_keep_to_their_ranges(family):
    index = FAMILIES.index(family)
    inputs = draws(forced_kdv(family=family, num_x=9, num_t=5), 400)
    for name, values in named(inputs["constants"].T).items():
        if name not in LAW[family]:
            assert values.min() == values.max(), "an unused constant is not random"
            continue
        low, high = LAW[family][name]
        assert low <= values.min() < low + 0.05 * (high - low)
        assert high >= values.max() > high - 0.05 * (high - low)
    assert (inputs["family"] == index).all()
    for name in ("alpha", "beta"):
        assert (inputs[name] == named(inputs["constants"].T)[name]).all()


@pytest.mark.parametrize("family", range(3))
def test_sampled_inputs_are_those_of_the_solution(x64, family):
    problem = forced_kdv(family=FAMILIES[family], num_x=41, num_t=21)
    inputs = jax.jit(problem.sample)(jax.random.key(4))
    again = inputs_of(problem, family, inputs["constants"])
    for name in inputs:
        np.testing.assert_allclose(inputs[name], again[name], rtol=1e-9, atol=1e-9)
    # u_x(L), by a difference quotient of the closed form.
    t, u = problem.grid.coordinates[1], solution(family, inputs["constants"])
    end = jnp.full_like(t, 5.0)
    quotient = (u(end + 1e-5, t) - u(end - 1e-5, t)) / 2e-5
    np.testing.assert_allclose(inputs["ux_right"], quotient, atol=1e-7)


@pytest.mark.parametrize("family", range(3))
def test_residual_of_the_truth_vanishes_at_fourth_order(x64, family):
    constants = constants_of()
    norms = []
    for n in (101, 201, 401):
        problem = forced_kdv(num_x=n, num_t=n)
        inputs = inputs_of(problem, family, constants)
        found, scale = residual_norms(problem, inputs)
        norms.append(found)
    # Order 4 in t beside order 6 in x: the finest pair may already feel only t.
    assert np.log2(norms[1] / norms[2]) > 3.7
    assert norms[0] < 2e-2 * scale
    assert residual_norms(problem, inputs, factor=1.1)[0] > 0.05 * scale


def test_residual_is_of_sixth_order_in_space(x64):
    still = constants_of(delta=0.0, b1=0.0, b=0.0)
    norms = []
    for n in (101, 201, 401):
        problem = forced_kdv(num_x=n, num_t=7)
        inputs = inputs_of(problem, 0, still)
        norms.append(residual_norms(problem, inputs)[0])
    assert np.log2(norms[0] / norms[1]) > 5.5
    assert np.log2(norms[1] / norms[2]) > 5.5


def test_residual_has_the_signs_and_units_of_the_linearisation(x64):
    problem = forced_kdv(num_x=201, num_t=101)
    constants = constants_of()
    inputs = inputs_of(problem, 0, constants)
    x, t = (
        c.reshape(shape)
        for c, shape in zip(problem.grid.coordinates, ((-1, 1), (1, -1)), strict=True)
    )
    u = problem.solve(inputs)
    u_x = derivative_in_x(solution(0, constants))(x, t)
    e, e_x, e_t, e_xxx = x**3 * t**2, 3 * x**2 * t**2, 2 * x**3 * t, 6 * t**2
    expected = e_t + u * e_x + e * u_x + inputs["beta"] * e_xxx
    _, change = jax.jvp(lambda u: problem.residual(u, inputs), (u,), (e,))
    np.testing.assert_allclose(change, expected, atol=2e-5 * jnp.abs(expected).max())
    # The source enters with a minus sign and its factor alpha.
    zero = problem.residual(jnp.zeros_like(u), inputs)
    np.testing.assert_allclose(zero, -inputs["alpha"] * inputs["f_x"], atol=1e-12)


@pytest.mark.parametrize("family", FAMILIES)
def test_soft_constraints_vanish_for_the_truth_and_only_there(x64, family):
    problem = forced_kdv(hard_constraints=False, family=family, num_x=201, num_t=51)
    inputs = draws(problem, 12)
    u = jax.jit(jax.vmap(problem.solve))(inputs)
    assert set(problem.constraints) == {"ic", "bc"}
    initial, edges = (
        np.asarray(jax.jit(jax.vmap(problem.constraints[name]))(u, inputs))
        for name in ("ic", "bc")
    )
    left, right, slope = np.split(edges, 3, axis=1)
    for values in (initial, left, right):
        assert np.abs(values).max() < 1e-12
    assert np.abs(slope).max() < 5e-4 * jnp.abs(inputs["ux_right"]).max()

    x = problem.grid.coordinates[0][:, None]
    tilted = u[0] + 0.5 + 0.1 * x
    one = jax.tree.map(lambda values: values[0], inputs)
    moved = problem.constraints["bc"](tilted, one).reshape(3, -1).mean(1)
    np.testing.assert_allclose(moved, [0.0, 1.0, 0.1], atol=1e-4)
    np.testing.assert_allclose(
        problem.constraints["ic"](tilted, one), (0.5 + 0.1 * x)[:, 0], atol=1e-12
    )


def test_hard_constraints_hold_for_any_raw_output(batch):
    problem = forced_kdv()
    assert problem.constraints == {}
    inputs = jax.tree.map(lambda a: a[:30], batch)
    raw = 3.0 * jax.random.normal(jax.random.key(5), (30, 100, 100))
    u = jax.jit(jax.vmap(problem.constrain))(raw, inputs)
    np.testing.assert_allclose(u[:, :, 0], inputs["u0"], atol=1e-5)
    np.testing.assert_allclose(u[:, 0], inputs["u_left"], atol=1e-5)
    np.testing.assert_allclose(u[:, -1], inputs["u_right"], atol=1e-5)
    # Away from the edges raw is free, at the height of the solutions.
    moved = jax.vmap(problem.constrain)(raw + 1.0, inputs) - u
    inside = moved[:, 20:80, 20:] / (12.0 * inputs["beta"][:, None, None])
    assert inside.min() > 0.5 and inside.max() < 1.001


def test_hard_slope_at_the_right_end_is_exact_in_the_limit(x64):
    errors = []
    for n in (101, 201):
        hard = forced_kdv(num_x=n, num_t=21)
        slope = forced_kdv(num_x=n, num_t=21, hard_constraints=False).constraints["bc"]
        inputs = inputs_of(hard, 0, constants_of(b1=1.5))
        x, t = hard.grid.coordinates
        raw = jnp.cos(1.3 * x + 0.4)[:, None] * jnp.exp(-t)[None, :]
        defect = slope(hard.constrain(raw, inputs), inputs)
        errors.append(jnp.abs(defect).max())
    assert errors[0] < 1e-4
    assert np.log2(errors[0] / errors[1]) > 4.0


def test_hard_initial_condition_alone_leaves_the_edges_soft(batch):
    problem = forced_kdv(hard_constraints="ic")
    assert set(problem.constraints) == {"bc"}
    inputs = jax.tree.map(lambda a: a[0], batch)
    u = problem.constrain(jnp.ones((100, 100)), inputs)
    np.testing.assert_array_equal(u[:, 0], inputs["u0"])
    np.testing.assert_allclose(u[:, -1], 12.0 * inputs["beta"], rtol=1e-3)


def test_dispersive_measure_recovers_the_error(x64):
    """r = e_t + e + beta e_xxx, with an e that obeys all homogeneous conditions."""

    def e(x, t):
        return jnp.sin(2.0 * t) * (x + 5.0) * (x - 5.0) ** 2 * jnp.cos(x) / 50.0

    e_t, e_xxx = jax.grad(e, 1), jax.grad(jax.grad(jax.grad(e)))
    r = jax.jit(jnp.vectorize(lambda x, t: e_t(x, t) + e(x, t) + 0.3 * e_xxx(x, t)))
    deviations = []
    for n in (101, 201):
        problem = forced_kdv(measure="dispersive", num_x=n, num_t=n)
        x, t = problem.grid.coordinates
        xx, tt = jnp.meshgrid(x, t, indexing="ij")
        found = jax.jit(problem.measure)(r(xx, tt), None, {"beta": jnp.asarray(0.3)})
        deviations.append(abs(found / jnp.mean(e(xx, tt) ** 2) - 1.0))
    assert deviations[0] < 0.05
    assert deviations[1] < 0.6 * deviations[0]


def test_dispersion_matrix_is_stable_and_exact_on_cubics(x64):
    axis = forced_kdv().grid.axes[0]
    matrix = dispersion_matrix(axis)
    assert np.linalg.eigvals(matrix).real.min() > 0.0
    x = np.asarray(axis.coordinates)[1:-1]
    cubic = (x + 5.0) * (x - 5.0) ** 2
    # All rows but the last, whose ghost node mirrors: right for what is even about L.
    np.testing.assert_allclose((matrix @ cubic)[:-1], 6.0, rtol=1e-6)
    np.testing.assert_allclose((matrix @ (x - 5.0) ** 2)[-1], 0.0, atol=1e-8)


def test_dispersive_measure_bears_single_precision():
    problem = forced_kdv(measure="dispersive")
    r = jax.random.normal(jax.random.key(0), problem.grid.shape)
    single = problem.measure(r, None, {"beta": jnp.float32(0.2)})
    with jax.enable_x64(True):
        double = forced_kdv(measure="dispersive").measure(
            jnp.asarray(np.asarray(r), float), None, {"beta": jnp.asarray(0.2)}
        )
    assert float(single) == pytest.approx(float(double), rel=1e-3)


def test_dispersive_measure_is_better_conditioned_than_l2(x64):
    """|residual| / |error| over ripples: a good measure changes little with them."""
    problem = forced_kdv(family="A")
    inputs = jax.jit(problem.sample)(jax.random.key(2))
    truth = problem.solve(inputs)
    x, t = problem.grid.scaled
    envelope = (x * (1 - x) ** 2)[:, None] * t[None, :]
    ratios = {"l2": [], "dispersive": []}
    measures = {name: jax.jit(forced_kdv(measure=name).measure) for name in ratios}
    for waves in (1.0, 3.0, 6.0, 10.0):
        e = envelope * jnp.sin(2 * jnp.pi * waves * x)[:, None]
        change = jax.jvp(lambda u: problem.residual(u, inputs), (truth,), (e,))[1]
        for name, found in ratios.items():
            value = measures[name](change, truth, inputs)
            found.append(float(jnp.sqrt(value)) / norm(e))
    spread = {name: max(found) / min(found) for name, found in ratios.items()}
    assert spread["dispersive"] < 5.0 < 20.0 < spread["l2"]


def test_simple_measures():
    field = jax.random.normal(jax.random.key(0), (100, 100))
    l2 = forced_kdv(measure="l2").measure
    smoothed = forced_kdv(measure="smoothed").measure
    assert l2(field) == jnp.mean(field**2)
    constant = jnp.full_like(field, 3.0)
    assert smoothed(constant) == pytest.approx(9.0, rel=1e-4), "constants pass"
    assert smoothed(field) < 0.05 * l2(field), "noise does not"


def test_plain_features_are_the_seven_inputs_and_the_coordinates(batch):
    problem = forced_kdv(features="paper")
    inputs = jax.tree.map(lambda a: a[0], batch)
    channels = problem.features(inputs)
    assert channels.shape == (100, 100, 9)
    np.testing.assert_allclose(channels[..., 0], inputs["f_x"] / 2.0, rtol=1e-6)
    np.testing.assert_allclose(channels[:, 7, 1], inputs["u0"])
    for channel, name in ((2, "u_left"), (3, "u_right"), (4, "ux_right")):
        np.testing.assert_allclose(channels[7, :, channel], inputs[name])
    np.testing.assert_allclose(channels[..., 5], inputs["alpha"] / 2.0)
    np.testing.assert_allclose(channels[..., 6], inputs["beta"] / 0.25)
    x, t = problem.grid.scaled
    np.testing.assert_allclose(channels[:, 0, 7], x)
    np.testing.assert_allclose(channels[0, :, 8], t)


@pytest.mark.parametrize("features", ["paper", "rich"])
def test_features_and_targets_are_of_order_one(batch, features):
    problem, inputs = forced_kdv(features=features, hard_constraints=False), batch
    channels = jax.jit(jax.vmap(problem.features))(inputs)
    sizes = jnp.sqrt(jnp.mean(channels**2, (0, 1, 2)))
    assert sizes.min() > 0.1 and sizes.max() < 1.5
    height = jax.vmap(problem.constrain)(jnp.ones((200, 100, 100)), inputs)
    raw = jax.jit(jax.vmap(problem.solve))(inputs) / height
    assert 0.2 < norm(raw) < 1.0


def test_rich_features_know_that_alpha_only_multiplies_the_forcing(batch):
    problem = forced_kdv(features="rich")
    inputs = jax.tree.map(lambda a: a[1], batch)
    same = inputs | {"alpha": 2.0 * inputs["alpha"], "f_x": 0.5 * inputs["f_x"]}
    found, expected = problem.features(same), problem.features(inputs)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_rich_features_hold_picards_iterate_and_the_lifting(x64):
    problem = forced_kdv(features="rich")
    inputs = inputs_of(problem, 2, constants_of())
    channels, height = problem.features(inputs), 12.0 * inputs["beta"]
    f = forcing(2, inputs["constants"])
    x, t = problem.grid.coordinates
    f_field = inputs["alpha"] / height * f(x[:, None], t[None, :])
    f_found = jnp.sinh(channels[..., 1])
    np.testing.assert_allclose(f_found, f_field - f_field[:1], atol=0.02)
    np.testing.assert_allclose(
        jnp.sinh(channels[:, 0, 2]), inputs["u0"] / height, rtol=1e-9
    )
    field = lifting(problem.grid)(inputs)
    np.testing.assert_allclose(channels[..., 3], field / height)
    np.testing.assert_allclose(field[:, 0], inputs["u0"], atol=1e-12)


def test_running_integral_is_exact_on_straight_lines(x64):
    axis = forced_kdv().grid.axes[1]
    t = np.asarray(axis.coordinates)
    found = running_integral(axis) @ (2.0 * t + 1.0)
    np.testing.assert_allclose(found, t**2 + t, atol=1e-12)


def test_samples_are_a_pure_function_of_the_key():
    problem = forced_kdv(num_x=20, num_t=15)
    key = jax.random.key(11)
    first, second = problem.sample(key), problem.sample(key)
    assert all((first[name] == second[name]).all() for name in first)
    compiled = jax.jit(problem.sample)(key)
    mapped = jax.tree.map(lambda a: a[0], jax.vmap(problem.sample)(key[None]))
    for other in (compiled, mapped):
        for name in first:
            np.testing.assert_allclose(first[name], other[name], rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(
            jax.jit(problem.solve)(other), problem.solve(first), rtol=1e-4, atol=1e-5
        )
    different = problem.sample(jax.random.key(12))
    assert not np.allclose(first["f_x"], different["f_x"])


def test_thousands_of_draws_are_finite_and_share_the_families_equally():
    problem = forced_kdv(num_x=40, num_t=30)

    def check(key):
        inputs = problem.sample(key)
        u = problem.solve(inputs)
        fields = (inputs, u, problem.residual(u, inputs), problem.features(inputs))
        finite = jax.tree.map(lambda a: jnp.isfinite(a).all(), fields)
        return inputs["family"], jnp.stack(jax.tree.leaves(finite)).all()

    keys = jax.random.split(jax.random.key(1), 3000)
    families, finite = jax.jit(jax.vmap(check))(keys)
    assert finite.all()
    shares = np.bincount(families) / 3000
    np.testing.assert_allclose(shares, 1 / 3, atol=0.04)  # 4.6 standard deviations


def test_strata_are_one_sampler_for_each_family():
    problem = forced_kdv(num_x=9, num_t=5)
    strata = [jax.jit(sample)(jax.random.key(0)) for sample in problem.strata]
    assert [int(inputs["family"]) for inputs in strata] == [0, 1, 2]
    only = forced_kdv(family="B", num_x=9, num_t=5)
    assert len(only.strata) == 1 and only.strata[0] is only.sample


def test_another_grid_shows_the_same_functions():
    problem = forced_kdv(num_x=51, num_t=41, measure="l2", family="C")
    fine = problem.on(101, 81)
    assert fine.grid.shape == (101, 81) and len(fine.strata) == 1
    key = jax.random.key(0)
    coarse_inputs, fine_inputs = (jax.jit(p.sample)(key) for p in (problem, fine))
    np.testing.assert_allclose(
        fine_inputs["f_x"][::2, ::2], coarse_inputs["f_x"], rtol=1e-3, atol=1e-4
    )
    coarse_u = jax.jit(problem.solve)(coarse_inputs)
    fine_u = jax.jit(fine.solve)(fine_inputs)
    np.testing.assert_allclose(fine_u[::2, ::2], coarse_u, rtol=1e-4)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"family": "D"}, r"family = 'D'.*'A', 'B', 'C'"),
        ({"measure": "h1"}, r"measure = 'h1'.*dispersive"),
        ({"features": "all"}, r"features = 'all'.*rich"),
        ({"hard_constraints": "bc"}, r"hard_constraints = 'bc'.*'ic'"),
        ({"half_length": -5.0}, r"half_length = -5.0.*positive"),
        ({"final_time": 0.0}, r"final_time = 0.0.*positive"),
        ({"num_x": 8}, r"num_points of axis 'x' = 8.*at least 9"),
        ({"num_t": 4}, r"num_points of axis 't' = 4.*at least 5"),
    ],
)
def test_bad_options_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        make("forced_kdv", **options)


def test_bad_inputs_are_named(batch):
    problem = forced_kdv()
    inputs = jax.tree.map(lambda a: a[0], batch)
    u = problem.solve(inputs)
    with pytest.raises(ValueError, match=r"shape of u0 = \(99,\).*\(100,\)"):
        problem.features(inputs | {"u0": inputs["u0"][1:]})
    broken = inputs["f_x"].at[3, 4].set(jnp.nan)
    with pytest.raises(ValueError, match=r"f_x = .*1 NaN.*finite"):
        problem.residual(u, inputs | {"f_x": broken})
    own = {name: inputs[name] for name in inputs if name != "constants"}
    with pytest.raises(ValueError, match="'constants' that sampled inputs carry"):
        problem.solve(own)
    assert problem.residual(u, own).shape == (100, 100)
    with pytest.raises(ValueError, match="inputs = None.*'beta'"):
        problem.measure(u)
