"""Darcy flow against scipy, manufactured solutions and the calculus of variations."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.sparse as sparse
from scipy.fft import dstn
from scipy.sparse.linalg import spsolve

from pilno_jax.numerics import poisson as sines
from pilno_jax.problems.darcy import darcy, first_responses, inputs_from, solve_flow

SMALL = {"num_points": 31, "num_fine": 121}


def operator(inputs):
    """-div(a grad) on interior nodes as D_x' a_x D_x + D_y' a_y D_y, sparse."""
    a_x, a_y = (np.asarray(inputs[name], np.float64) for name in ("a_x", "a_y"))
    m = a_x.shape[1]
    difference = sparse.diags([1.0, -1.0], [0, -1], shape=(m + 1, m)) * (m + 1)
    identity = sparse.identity(m)
    d_x = sparse.kron(difference, identity)
    d_y = sparse.kron(identity, difference)
    across_x, across_y = sparse.diags(a_x.ravel()), sparse.diags(a_y.ravel())
    return (d_x.T @ across_x @ d_x + d_y.T @ across_y @ d_y).tocsc()


def direct(inputs):
    """The discrete solution on the grid of a_x, by scipy's sparse direct solve."""
    m = inputs["a_x"].shape[1]
    inside = spsolve(operator(inputs), np.ones(m * m))
    return np.pad(inside.reshape(m, m), 1)


def relative(found, expected):
    return np.linalg.norm(found - expected) / np.linalg.norm(expected)


def smooth_medium(n):
    x, y = np.meshgrid(*2 * [np.linspace(0.0, 1.0, n)], indexing="ij")
    return 2.0 + np.sin(3 * x + y) * np.cos(2 * y), x, y


def measured(problem, u, inputs):
    return problem.measure(problem.residual(u, inputs), u, inputs)


# --- face coefficients


@pytest.mark.parametrize("n", [25, 13, 9, 7, 5, 4])
def test_faces_are_series_along_and_parallel_across(x64, n):
    """Ratios 1, 2, 3, 4, 6 and 8, by loops over what each coarse face covers."""
    fine = 25
    a = np.random.default_rng(0).uniform(1.0, 9.0, (fine, fine))
    ratio = (fine - 1) // (n - 1)
    half = ratio // 2
    weights = {k: 1.0 for k in range(-half, half + 1)}
    if ratio % 2 == 0:
        weights[-half] = weights[half] = 0.5
    inputs = inputs_from(a, n)
    for i in range(n - 1):
        for j in range(1, n - 1):
            along_x, along_y = 0.0, 0.0
            for k, weight in weights.items():
                row = a[i * ratio : (i + 1) * ratio + 1, j * ratio + k]
                column = a[j * ratio + k, i * ratio : (i + 1) * ratio + 1]
                along_x += weight / np.mean(2 / (row[1:] + row[:-1])) / ratio
                along_y += weight / np.mean(2 / (column[1:] + column[:-1])) / ratio
            assert abs(inputs["a_x"][i, j - 1] - along_x) < 1e-13
            assert abs(inputs["a_y"][j - 1, i] - along_y) < 1e-13
    np.testing.assert_array_equal(inputs["a"], a[::ratio, ::ratio])


@pytest.mark.parametrize("n", [31, 61, 121, 241])
def test_a_constant_medium_has_constant_faces(n):
    inputs = inputs_from(np.full((241, 241), 5.0), n)
    assert inputs["a_x"].shape == (n - 1, n - 2)
    assert inputs["a_y"].shape == (n - 2, n - 1)
    for name in ("a", "a_x", "a_y"):
        np.testing.assert_allclose(inputs[name], 5.0, rtol=1e-6)


# --- residual and reference


def manufactured_error(n, fine):
    """Largest truncation error of the residual, u = sin(pi x) sin(2 pi y)."""
    a_fine, *_ = smooth_medium(fine)
    a, x, y = smooth_medium(n)
    pi = np.pi
    u = np.sin(pi * x) * np.sin(2 * pi * y)
    u_x = pi * np.cos(pi * x) * np.sin(2 * pi * y)
    u_y = 2 * pi * np.sin(pi * x) * np.cos(2 * pi * y)
    a_x = 3 * np.cos(3 * x + y) * np.cos(2 * y)
    a_y = a_x / 3 - 2 * np.sin(3 * x + y) * np.sin(2 * y)
    source = 5 * pi**2 * a * u - a_x * u_x - a_y * u_y
    problem = darcy(num_points=n, num_fine=fine, label_points=n)
    residual = problem.residual(jnp.asarray(u), inputs_from(a_fine, n))
    return np.abs(residual + 1.0 - source[1:-1, 1:-1]).max()


@pytest.mark.parametrize("refined", [True, False])
def test_residual_is_of_second_order(x64, refined):
    """With faces averaged from a finer grid and, at ratio 1, from the grid itself."""
    sizes = [16, 31, 61]
    errors = [manufactured_error(n, 241 if refined else n) for n in sizes]
    orders = np.log2(np.divide(errors[:-1], errors[1:]))
    assert np.all(np.abs(orders - 2) < 0.1), orders


def test_reference_is_of_second_order(x64):
    def solution(fine):
        medium, *_ = smooth_medium(fine)
        problem = darcy(num_points=31, num_fine=fine)
        return np.asarray(problem.solve(inputs_from(medium, 31)))

    finest = solution(241)
    errors = [np.abs(solution(fine) - finest).max() for fine in (31, 61, 121)]
    # Against the 241 grid the errors are C (h^2 - h_241^2): ratios 63/15 and 15/3.
    orders = np.divide(errors[:-1], errors[1:]) / np.array([63 / 15, 15 / 3])
    assert np.all(np.abs(orders - 1) < 0.05), orders


def test_constant_medium_is_solved_exactly(x64):
    problem = darcy(**SMALL)
    inputs = inputs_from(np.full((121, 121), 3.0), 31)
    exact = sines.unit_membrane(31) / 3.0
    assert np.abs(problem.residual(jnp.asarray(exact), inputs)).max() < 1e-11
    # Poisson's equation on the unit square: max u = 0.0736713533 (series).
    fine = problem.on(121, 121).solve(inputs)
    assert abs(3.0 * fine.max() - 0.0736713533) < 2e-5


def sample_241(seed=0):
    return darcy(num_points=241).sample(jax.random.key(seed))


def test_reference_agrees_with_scipy_in_double(x64):
    inputs = sample_241()
    problem = darcy(num_points=241)
    u = problem.solve(inputs)
    assert relative(u, direct(inputs)) < 1e-10
    # Written apart from each other, solver and residual agree on what the equation is.
    residual = problem.residual(u, inputs)
    assert np.abs(residual).max() < 1e-8
    assert problem.measure(residual) < 1e-20
    wrong = problem.residual(1.1 * u, inputs)
    np.testing.assert_allclose(wrong, 0.1, rtol=1e-6)


def test_reference_agrees_with_scipy_in_single():
    inputs = sample_241(1)
    u = darcy(num_points=241).solve(inputs)
    assert u.dtype == jnp.float32
    assert relative(u, direct(inputs)) < 1e-6
    np.testing.assert_array_equal(
        darcy().solve(inputs_from(inputs["a_fine"])), u[::4, ::4]
    )


def test_high_contrast_still_converges(x64):
    problem = darcy(values=(1e-2, 1e2), **SMALL).on(121, 121)
    inputs = problem.sample(jax.random.key(0))
    assert relative(problem.solve(inputs), direct(inputs)) < 1e-8


@pytest.mark.parametrize(("steps", "enough"), [(16, True), (5, False)])
def test_an_unconverged_reference_is_nan(steps, enough):
    """The preconditioner makes the steps independent of the grid: 12 at contrast 4."""
    inputs = sample_241()
    u = solve_flow(inputs["a_x"], inputs["a_y"], max_steps=steps)
    assert np.isnan(u[1:-1, 1:-1]).any() != enough


def test_floor_of_the_training_grid(x64):
    """A perfect fit of the 61-grid equations is this far from the 241 truth."""
    problem = darcy()
    floors = []
    for seed in range(4):
        inputs = problem.sample(jax.random.key(seed))
        truth = problem.solve(inputs)
        floors.append(relative(direct(inputs), truth))
        naive = inputs_from(inputs["a"], 61)
        assert relative(direct(naive), truth) > 1.5 * floors[-1]
    assert 5e-4 < np.mean(floors) < 2.5e-3, floors


def test_pressure_is_positive_and_vanishes_on_the_boundary():
    problem = darcy()
    u = problem.solve(problem.sample(jax.random.key(0)))
    assert u.shape == problem.grid.shape == (61, 61)
    assert u[1:-1, 1:-1].min() > 0
    for side in (u[0], u[-1], u[:, 0], u[:, -1]):
        assert np.all(side == 0)
    assert 0.008 < u.max() < 0.02
    # Its mean lies between those of the two pure media.
    membrane = sines.unit_membrane(61).mean()
    assert membrane / 12 < u.mean() < membrane / 3


def test_zero_has_the_residual_minus_the_source():
    problem = darcy(source=2.0, **SMALL)
    inputs = problem.sample(jax.random.key(0))
    zero = jnp.zeros((31, 31))
    np.testing.assert_array_equal(problem.residual(zero, inputs), -2.0)
    once = darcy(**SMALL).solve(inputs)
    np.testing.assert_allclose(problem.solve(inputs), 2 * once, rtol=1e-6)


def test_reference_is_differentiable_in_the_medium(x64):
    problem = darcy(num_points=21, num_fine=21)
    rng = np.random.default_rng(0)
    a, change = rng.uniform(3.0, 12.0, (2, 21, 21))

    def total(a):
        return problem.solve({"a_fine": a}).sum()

    slope = jnp.vdot(jax.grad(total)(jnp.asarray(a)), change)
    step = 1e-4
    expected = (total(a + step * change) - total(a - step * change)) / (2 * step)
    assert abs(slope / expected - 1) < 1e-7


def test_jit_vmap_and_eager_agree():
    problem = darcy(**SMALL)
    keys = jax.random.split(jax.random.key(0), 2)
    inputs = jax.vmap(problem.sample)(keys)
    eager = [problem.sample(key) for key in keys]
    for name, batch in inputs.items():
        one = jnp.stack([sample[name] for sample in eager])
        # Rounding may move a node on the interface to the other side, rarely.
        assert np.mean(np.abs(batch - one) > 1e-5) < 1e-3
    together = jax.jit(jax.vmap(problem.solve))(inputs)
    for k in range(2):
        alone = problem.solve({name: batch[k] for name, batch in inputs.items()})
        assert relative(together[k], alone) < 2e-6
    again = problem.sample(keys[0])
    np.testing.assert_array_equal(again["a_fine"], eager[0]["a_fine"])


# --- measures


def random_pair(seed=0):
    """A medium and a field on 31 nodes that solves nothing."""
    inputs = darcy(**SMALL).sample(jax.random.key(seed))
    inside = np.random.default_rng(seed).normal(0.0, 0.01, (29, 29))
    return inputs, jnp.asarray(np.pad(inside, 1))


def test_h_minus_one_is_the_dual_norm(x64):
    inputs, u = random_pair()
    problem = darcy(measure="h-1", **SMALL)
    residual = problem.residual(u, inputs)
    laplacian = operator(inputs_from(np.ones((31, 31)), 31))
    flat, ones = np.ravel(residual), np.ones(29 * 29)
    expected = flat @ spsolve(laplacian, flat) / (ones @ spsolve(laplacian, ones))
    assert abs(problem.measure(residual) / expected - 1) < 1e-10


def test_the_solution_minimises_the_energy(x64):
    """E(u) - E(u*) = <r, A^-1 r> / 2, and M >= |u*|^2 keeps the measure positive."""
    inputs, u = random_pair()
    problem = darcy(measure="energy", **SMALL)
    solution = jnp.asarray(direct(inputs))
    least = measured(problem, solution, inputs)
    excess = measured(problem, u, inputs) - least
    residual = np.ravel(problem.residual(u, inputs))
    squared_error = residual @ spsolve(operator(inputs), residual) / 30**2
    squared_solution = np.sum(solution) / 30**2
    # least = 1 - |u*|^2 / M gives the scale M.
    bound = squared_solution / (1 - least)
    assert 0 < least < 0.4
    assert abs(excess * bound / squared_error - 1) < 1e-10


def test_the_gradient_of_the_energy_is_the_residual(x64):
    inputs, u = random_pair()
    problem = darcy(measure="energy", **SMALL)
    gradient = jax.grad(lambda u: measured(problem, u, inputs))(u)[1:-1, 1:-1]
    ratio = gradient / problem.residual(u, inputs)
    np.testing.assert_allclose(ratio, ratio[0, 0], rtol=1e-9)
    assert ratio[0, 0] > 0


@pytest.mark.parametrize("name", ["h-1", "energy", "l2"])
@pytest.mark.parametrize("source", [1.0, 3.0])
def test_measures_share_one_scale(x64, name, source):
    problem = darcy(measure=name, source=source, **SMALL)
    inputs = problem.sample(jax.random.key(0))
    solution = source * jnp.asarray(direct(inputs))
    zero, best, off = (
        float(measured(problem, scale * solution, inputs)) for scale in (0, 1, 0.9)
    )
    assert abs(zero - 1) < 1e-12
    # An error of 10 % is 0.01, relative to what zero is above the best.
    assert abs((off - best) / (zero - best) - 0.01) < 1e-9
    assert best < 1e-20 or name == "energy"


# --- what the network sees and gives


def test_features_are_of_order_one():
    problem = darcy()
    inputs = problem.sample(jax.random.key(0))
    features = problem.features(inputs)
    assert features.shape == (61, 61, 7)
    assert np.abs(features[..., :3]).max() <= 1 + 1e-5
    assert 0.5 < np.abs(features[..., 3]).max() < 3
    np.testing.assert_allclose(
        features[..., 0], np.where(inputs["a"] == 12.0, 1.0, -1.0), atol=1e-5
    )
    # Where all around is one phase the faces say the same as the node.
    same = np.mean(np.abs(features[..., 1] - features[..., 0]) < 1e-4)
    assert 0.6 < same < 1.0
    np.testing.assert_allclose(features[:, 3, 5], np.linspace(0, 1, 61), atol=1e-6)
    np.testing.assert_allclose(features[3, :, 6], np.linspace(0, 1, 61), atol=1e-6)
    assert darcy(features="paper").features(inputs).shape == (61, 61, 3)


def test_first_responses_of_a_uniform_medium_are_the_solution(x64):
    """a = 5: the first is membrane / 5, and there is nothing left to correct."""
    inputs = inputs_from(np.full((31, 31), 5.0), 31)
    first, second = first_responses(inputs["a_x"], inputs["a_y"])
    np.testing.assert_allclose(
        first, sines.unit_membrane(31) / 5, rtol=1e-10, atol=1e-15
    )
    assert np.abs(second).max() < 1e-12


def test_first_responses_are_the_best_steps_in_energy(x64):
    """Any other multiple of either has more energy; together they are near u*."""
    inputs, _ = random_pair()
    problem = darcy(measure="energy", **SMALL)
    first, second = first_responses(inputs["a_x"], inputs["a_y"])

    def energy(u):
        return float(measured(problem, u, inputs))

    for s in (0.9, 1.1):
        assert energy(first) < energy(s * first)
        assert energy(first + second) < energy(first + s * second) < energy(first)
    error = np.linalg.norm(first + second - direct(inputs))
    assert 0.01 < error / np.linalg.norm(direct(inputs)) < 0.4


def test_face_features_belong_to_their_axis():
    """Layers across x: the x faces see them in series, the y faces in parallel."""
    layers = np.where(np.arange(241) % 4 < 2, 3.0, 12.0)
    inputs = inputs_from(np.broadcast_to(layers[:, None], (241, 241)))
    features = darcy().features(inputs)
    inside = features[1:-1, 1:-1]
    assert np.all(inside[..., 1] < inside[..., 2])


def test_hard_and_soft_boundary_conditions():
    raw = jnp.full((61, 61), 2.0)
    hard, soft = darcy(), darcy(hard_constraints=False)
    u = hard.constrain(raw, {})
    assert u[30, 30] == pytest.approx(0.02)
    assert u[15, 30] == pytest.approx(0.02 * np.sqrt(0.5))
    boundary = soft.constraints["bc"]
    np.testing.assert_array_equal(boundary(u, {}), 0.0)
    assert not hard.constraints
    np.testing.assert_allclose(soft.constrain(raw, {}), 0.02)
    np.testing.assert_allclose(boundary(soft.constrain(raw, {}), {}), 2.0)
    assert boundary(u, {}).shape == (240,)


def test_labels_are_every_sixth_node_and_grids_share_the_medium():
    problem = darcy()
    inputs = problem.sample(jax.random.key(0))
    u = problem.solve(inputs)
    np.testing.assert_array_equal(problem.restrict(u), u[::6, ::6])
    assert problem.restrict(u).shape == (11, 11)
    coarse = problem.on(31, 31)
    there = coarse.sample(jax.random.key(0))
    np.testing.assert_array_equal(there["a"], inputs["a"][::2, ::2])
    np.testing.assert_array_equal(
        coarse.restrict(coarse.solve(there)), problem.restrict(u)
    )
    kept = darcy(measure="energy", values=(1.0, 2.0)).on(31, 31)
    assert set(np.unique(kept.sample(jax.random.key(0))["a"])) == {1.0, 2.0}


def test_sine_transform_is_scipys():
    field = np.random.default_rng(0).normal(size=(29, 29)).astype(np.float32)
    coefficients = sines.sine_transform(jnp.asarray(field))
    np.testing.assert_allclose(
        coefficients, dstn(field, type=1, norm="ortho"), atol=1e-5
    )
    np.testing.assert_allclose(sines.sine_transform(coefficients), field, atol=1e-5)


# --- bad arguments


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"values": (-3.0, 12.0)}, r"values = \(-3.0, 12.0\).*positive"),
        ({"values": (3.0, 3.0)}, "values.*different"),
        ({"law": "matern"}, "law = 'matern'.*neumann.*periodic"),
        ({"measure": "h1"}, "measure = 'h1'.*h-1"),
        ({"num_points": 60}, "num_points = 60.*dividing num_fine - 1 = 240"),
        ({"num_points": 2}, "num_points = 2"),
        ({"label_points": 12}, "label_points = 12.*num_points - 1 = 60"),
        ({"source": 0.0}, "source = 0.0"),
        ({"tau": -1.0}, "tau = -1.0"),
        ({"measure": "energy", "hard_constraints": False}, "measure = 'energy'"),
    ],
)
def test_bad_options_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        darcy(**options)


def test_bad_fields_are_named():
    good = np.full((241, 241), 3.0)
    hole, negative = good.copy(), good.copy()
    hole[3, 4], negative[3, 4] = np.nan, -1.0
    with pytest.raises(ValueError, match="a_fine = .*1 NaN"):
        inputs_from(hole)
    with pytest.raises(ValueError, match="minimum of a_fine = .*-1.0.*positive"):
        inputs_from(negative)
    with pytest.raises(ValueError, match=r"shape of a_fine = \(241, 240\)"):
        inputs_from(good[:, 1:])
    with pytest.raises(ValueError, match="num_points = 60"):
        inputs_from(good, 60)
    problem, inputs = darcy(measure="energy"), inputs_from(good)
    with pytest.raises(ValueError, match=r"shape of u = \(31, 31\)"):
        problem.residual(jnp.zeros((31, 31)), inputs)
    with pytest.raises(ValueError, match="shape of a_fine"):
        problem.solve(inputs_from(good[::2, ::2]))
    with pytest.raises(ValueError, match="u and inputs"):
        problem.measure(jnp.zeros((59, 59)))
    with pytest.raises(ValueError, match=r"grid shape = \(61, 31\).*square"):
        problem.on(61, 31)
