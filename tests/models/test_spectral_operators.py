"""ALNO, FNO and LNO as networks: symmetries, derivatives, options, errors."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from networks import KEY, TWO_PI, fresh, mesh, nodes, normal, run, small

from pilno_jax import models
from pilno_jax.models import ALNO, FNO, LNO


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("model", [ALNO, LNO])
def test_poles_in_time_only_commute_with_shifts_in_space(model):
    """A deep network, and with poles in x it does not: there x = 0 is a start."""
    axes = (nodes(16, periodic=True), nodes(9))
    v = normal(16, 9, 2)

    def gap(poles):
        net = model(width=4, num_layers=2, modes=3, poles=poles, projection_width=None)
        params = fresh(net, v, axes)
        moved = run(net, params, np.roll(v, 5, 0), axes)
        still = np.asarray(run(net, params, v, axes))
        return np.abs(moved - np.roll(still, 5, 0)).max() / np.std(still)

    assert gap((0, 2)) < 1e-12 < 1e-3 < gap((2, 2))


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("model, period", [(ALNO, 1.0), (LNO, (1.0, 1.25)), (FNO, 1.0)])
def test_resolution(model, period):
    """The same weights are the same function on a grid twice as fine.

    Random weights and a band-limited input that closes up. The fields inside do not
    close up in t after the transient branch, so the Fourier quadrature of period 1,
    second order there, would dominate in deeper layers: one layer measures the layer.
    """
    net = model(width=6, num_layers=1, modes=4, period=period, projection_width=None)
    if model is not FNO:
        net = net.clone(poles=4)

    def evaluate(factor, params=None):
        axes = (nodes(56 * factor, periodic=True), nodes(56 * factor + 1))
        x, t = mesh(axes)
        u0 = np.sin(TWO_PI * x + 1) * np.cos(TWO_PI * 2 * t)
        u0 += 0.3 * np.cos(TWO_PI * t)
        params = fresh(net, u0[..., None], axes) if params is None else params
        return np.asarray(run(net, params, u0[..., None], axes)), params

    coarse, params = evaluate(1)
    fine, _ = evaluate(2, params)
    np.testing.assert_allclose(fine[::2, ::2], coarse, atol=1e-5 * np.std(fine))


def test_batch_is_one_sample_at_a_time():
    net, params, features, axes = small(num_layers=1)
    batch = run(net, params, features, axes)
    assert batch.dtype == jnp.float32 and batch.shape == (3, 10, 8, 1)
    each = np.stack([run(net, params, f, axes) for f in features])
    np.testing.assert_allclose(batch, each, atol=2e-6)
    mapped = jax.vmap(lambda f: run(net, params, f, axes))(features)
    np.testing.assert_allclose(batch, mapped, atol=2e-6)


@pytest.mark.usefixtures("x64")
def test_derivatives_of_both_modes_and_second_order_agree():
    """d/dp |d loss / d features|^2, reverse over reverse, against a difference."""
    net, params, features, axes = small(num_layers=1)

    def loss(p, f):
        return jnp.sum(jnp.sin(net.apply(p, f, axes)))

    def squared_slope(p):
        return jnp.sum(jax.grad(loss, 1)(p, features) ** 2)

    direction = fresh(net, features, axes, seed=5)
    reverse = jax.jit(jax.grad(squared_slope))(params)
    products = jax.tree.map(lambda g, d: jnp.sum(g * d), reverse, direction)
    slope = sum(jax.tree.leaves(products))
    forward = jax.jit(lambda p, d: jax.jvp(squared_slope, (p,), (d,))[1])
    np.testing.assert_allclose(forward(params, direction), slope, rtol=1e-10)
    step = 1e-4
    ahead, behind = (
        jax.tree.map(lambda p, d, s=s: p + s * d, params, direction)
        for s in (step, -step)
    )
    value = jax.jit(squared_slope)
    difference = (value(ahead) - value(behind)) / (2 * step)
    np.testing.assert_allclose(difference, slope, rtol=1e-5)


@pytest.mark.parametrize(
    "model, options",
    [
        (ALNO, dict(num_layers=2)),
        (ALNO, dict(pole_sharing="pairwise")),
        (ALNO, dict(poles=(0, 3))),
        (LNO, dict(poles=(0, 3), pole_sharing="by wave")),
        (LNO, {}),
        (FNO, {}),
    ],
)
def test_every_parameter_is_used(model, options):
    """A gradient in every array, and every array changes the output."""
    net, params, features, axes = small(model, **dict(num_layers=1) | options)
    loss = lambda p: jnp.mean(net.apply(p, features, axes) ** 2)  # noqa: E731
    gradients = jax.jit(jax.grad(loss))(params)
    for path, g in jax.tree.leaves_with_path(gradients):
        # The imaginary part of the multiplier of the mean is the only idle one.
        share = np.mean(np.asarray(g) != 0)
        assert share > 0.9, (jax.tree_util.keystr(path), share)
    params = jax.tree.map(np.asarray, params)
    base = np.asarray(run(net, params, features, axes))
    for path, _ in jax.tree.leaves_with_path(params):
        changed = jax.tree_util.tree_map_with_path(
            lambda q, leaf, path=path: leaf + np.float32(0.1 * (q == path)), params
        )
        moved = np.abs(np.asarray(run(net, changed, features, axes)) - base).max()
        assert moved > 1e-5, jax.tree_util.keystr(path)


def test_layers_that_add_their_input_start_from_the_identity():
    """With every weight of its layers zero, the network is its lift and projection."""
    options = {"activation": "gelu", "projection_width": None, "add_input": True}
    net, params, features, axes = small(num_layers=2, **options)
    of_layers = ("kernel", "skip")

    def without_layers(params):
        return jax.tree_util.tree_map_with_path(
            lambda path, leaf: leaf * 0 if path[1].key.startswith(of_layers) else leaf,
            params,
        )

    deep = np.asarray(run(net, without_layers(params), features, axes))
    own = jax.tree.map(np.asarray, params["params"])
    lifted = np.asarray(features) @ own["lift_weights"] + own["lift_bias"]
    by_hand = lifted @ own["projection_weights"] + own["projection_bias"]
    np.testing.assert_allclose(deep, by_hand, rtol=1e-5, atol=1e-6)
    plain = net.clone(add_input=False)
    constant = np.broadcast_to(own["projection_bias"], deep.shape)
    nothing = run(plain, without_layers(params), features, axes)
    np.testing.assert_allclose(nothing, constant, rtol=1e-6)


def test_kernels_start_by_glorots_rule_for_each_mode_or_for_the_whole_tensor():
    """Complex variance 2 / (in + out), or over the modes as well, as torch counts."""
    net, _, features, axes = small(ALNO, width=16, modes=(5, 4), poles=3, num_layers=1)
    for start, steady, transient in (("by mode", 1, None), ("by tensor", 35, 9)):
        params = jax.jit(net.clone(kernel_start=start).init)(KEY, features, axes)
        kernel = params["params"]["kernel_0"]
        variance = 2 * np.var(kernel["multiplier"])  # of both parts
        np.testing.assert_allclose(variance, 2 / 32 / steady, rtol=0.05)
        if transient:
            variance = 2 * np.var(kernel["residues"])
            np.testing.assert_allclose(variance, 2 / 32 / transient, rtol=0.1)


@pytest.mark.parametrize("slowest", [0.1, 1.0, 100.0])
def test_poles_start_within_a_decade_of_the_given_rate(slowest):
    net, _, features, axes = small(ALNO, initial_decay=slowest, num_layers=1)
    params = jax.jit(net.init)(KEY, features, axes)
    for axis in models.poles(params)[0]:
        np.testing.assert_allclose(axis.decay[0], slowest, rtol=1e-6)
        assert np.all((axis.decay >= 0.999 * slowest) & (axis.decay < 10 * slowest))


@pytest.mark.parametrize(
    "options, message",
    [
        (dict(width=0), "width = 0"),
        (dict(num_layers=-1), "num_layers = -1"),
        (dict(modes=(4, 0)), r"modes = \(4, 0\)"),
        (dict(poles=0), "poles = 0"),
        (dict(poles=(0, 0)), r"poles = \(0, 0\)"),
        (dict(poles=(4, -1)), r"poles = \(4, -1\)"),
        (dict(poles=2.5), r"(?s)poles.*2\.5"),
        (dict(period=0.5), "period = 0.5"),
        (dict(activation="relu"), "activation = 'relu'.*tanh.*gelu.*sin"),
        (dict(pole_sharing="none"), "pole_sharing = 'none'.*shared.*pairwise"),
        (dict(transient_analysis="fft"), "transient_analysis.*quadrature.*dft"),
        (dict(initial_decay=0.0), "initial_decay = 0.0"),
        (dict(kernel_start="zero"), "kernel_start = 'zero'.*by mode.*by tensor"),
    ],
)
def test_errors_name_the_field_and_the_choices(options, message):
    # A TypeError where the tests check annotations too.
    with pytest.raises((ValueError, TypeError), match=message):
        ALNO(**options)


def test_shape_errors_say_what_was_expected():
    net, params, features, axes = small()
    with pytest.raises(ValueError, match="shape of features"):
        run(net, params, features[:, :9], axes)
    with pytest.raises(ValueError, match="modes"):
        ALNO(modes=(1, 2, 3)).init(KEY, features, axes)
    with pytest.raises(ValueError, match=r"poles = \(2, 3\).*by wave"):
        ALNO(poles=(2, 3), pole_sharing="by wave").init(KEY, features, axes)
    with pytest.raises(ValueError, match="name = 'cnn'.*alno.*fno.*lno.*deepomamba"):
        models.make("cnn")
    assert isinstance(models.make("lno", width=8), LNO)


def test_no_network_is_a_kind_of_another():
    kinds = ALNO, FNO, LNO
    for kind in kinds:
        assert [other for other in kinds if isinstance(kind(), other)] == [kind]


def test_poles_in_physical_units():
    _, params, *_ = small(ALNO)
    scaled, physical = models.poles(params), models.poles(params, extents=(2.0, 5.0))
    assert len(scaled) == 2 and [p.decay.size for p in scaled[0]] == [2, 3]
    for layer, (one, other) in enumerate(zip(scaled, physical, strict=True)):
        raw = params["params"][f"kernel_{layer}"]["decay_1"]
        np.testing.assert_allclose(one[1].decay, np.logaddexp(raw, 0), rtol=1e-6)
        np.testing.assert_allclose(other[0].decay * 2, one[0].decay, rtol=1e-6)
        np.testing.assert_allclose(other[1].frequency * 5, one[1].frequency, rtol=1e-6)
    _, params, *_ = small(ALNO, poles=(0, 3))
    assert [p.decay.size for p in models.poles(params, (2.0, 5.0))[0]] == [0, 3]
    _, params, *_ = small(ALNO, poles=(0, 3), pole_sharing="by wave")
    of_waves = models.poles(params)[0][1]
    assert of_waves.decay.shape == of_waves.frequency.shape == (7, 3)
    _, params, *_ = small(FNO)
    assert models.poles(params) == []


def test_bfloat16_mixing_is_close():
    net, params, features, axes = small()
    low = run(net.clone(mixing_dtype="bfloat16"), params, features, axes)
    high = run(net, params, features, axes)
    assert low.dtype == jnp.float32
    low, high = np.asarray(low), np.asarray(high)
    gap = np.abs(low - high).max() / np.std(high)
    assert 1e-6 < gap < 3e-2


def test_remat_changes_memory_alone():
    """The same parameters, values and gradients, and fewer bytes to keep."""
    net, params, features, axes = small(ALNO)
    records = []
    for chosen in (net, net.clone(remat=True)):
        shapes = jax.eval_shape(chosen.init, jax.random.key(0), features, axes)
        assert jax.tree.structure(shapes) == jax.tree.structure(params)

        def loss(params, chosen=chosen):
            return jnp.mean(chosen.apply(params, features, axes) ** 2)

        # What JAX keeps for the backward pass. What XLA then plans on a CPU is no less.
        saved = jax.eval_shape(lambda p, loss=loss: jax.vjp(loss, p)[1], params)
        size = sum(leaf.size for leaf in jax.tree.leaves(saved))
        records.append((jax.jit(jax.value_and_grad(loss))(params), size))
    (plain, more), (again, less) = records
    for one, two in zip(jax.tree.leaves(plain), jax.tree.leaves(again), strict=True):
        # The second computation may be fused, so rounded, differently.
        scale = np.abs(one).max()
        np.testing.assert_allclose(one, two, rtol=1e-4, atol=1e-5 * scale)
    assert less < 0.7 * more


@pytest.mark.parametrize("name", ["int32", "complex64", "half"])
def test_mixing_dtypes_that_mean_nothing_are_refused(name):
    with pytest.raises(ValueError, match=f"mixing_dtype = '{name}'.*bfloat16"):
        ALNO(mixing_dtype=name)


def test_a_pole_unit_scales_poles_and_free_poles_may_grow():
    """The same network with poles in other units; free ones start to the right."""
    sizes = dict(width=2, num_layers=1, modes=4, poles=3)
    axis = (jnp.linspace(0.0, 1.0, 9),)
    features = jnp.ones((9, 1))
    plain, scaled = (models.LNO(pole_unit=unit, **sizes) for unit in (1.0, 4.0))
    params = jax.jit(scaled.init)(KEY, features, axis)
    inside = models.poles(params, unit=4.0)[0][0]
    ((at_one,),) = models.poles(jax.jit(plain.init)(KEY, features, axis))
    np.testing.assert_allclose(inside.frequency, 4 * at_one.frequency, rtol=1e-5)
    np.testing.assert_allclose(inside.decay, 4 * at_one.decay, rtol=1e-5)
    free = jax.jit(models.LNO(free_poles=True, **sizes).init)(KEY, features, axis)
    ((growing,),) = models.poles(free)
    assert np.all(growing.decay < 0) and np.ptp(growing.decay) > 0


def test_own_poles_of_waves_start_turning_and_silent():
    """Nothing is answered at first, not even by W, and every residue can learn."""
    net, _, features, axes = small(
        LNO, num_layers=1, poles=(0, 2), pole_sharing="by wave", activation="identity"
    )
    params = jax.jit(net.init)(KEY, features, axes)
    assert np.all(np.abs(run(net, params, features, axes)) < 1e-6)
    assert np.all(models.poles(params)[0][1].frequency > 1)
    loss = lambda p: jnp.sum((net.apply(p, features, axes) - 1) ** 2)  # noqa: E731
    slopes = jax.jit(jax.grad(loss))(params)["params"]["kernel_0"]["residues"]
    assert np.all(np.any(slopes != 0, axis=(-1, -2, -3)))


def test_a_last_layer_without_activation_is_linear():
    model = models.FNO(
        width=3, num_layers=1, modes=3, activate_last=False, projection_width=None
    )
    axis = (jnp.linspace(0.0, 1.0, 9),)
    features = jax.random.normal(KEY, (9, 1))
    params = jax.jit(model.init)(KEY, features, axis)
    zero, once, twice = (
        model.apply(params, scale * features, axis) for scale in (0.0, 1.0, 2.0)
    )
    np.testing.assert_allclose(twice - zero, 2 * (once - zero), atol=1e-5)
