"""DeepOMamba: the scan against the recurrence, causality, the paper's size."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import linen as nn

from pilno_jax.models import DeepOMamba
from pilno_jax.models.deepomamba import STEP_RANGE, CausalConvolution, selective_scan

KEY = jax.random.key(0)


def axes(num_x: int, num_t: int):
    return jnp.linspace(0, 1, num_x), jnp.linspace(0, 1, num_t)


def test_selective_scan_is_the_recurrence():
    keys = jax.random.split(KEY, 5)
    v = jax.random.normal(keys[0], (2, 11, 3))
    dt = jnp.exp(jax.random.normal(keys[1], (2, 11, 3)))
    a = -jnp.exp(jax.random.normal(keys[2], (3, 4)))
    b, c = (jax.random.normal(key, (2, 11, 4)) for key in keys[3:])
    v, dt, a, b, c = map(np.asarray, (v, dt, a, b, c))
    h, outputs = np.zeros((2, 3, 4)), []
    for t in range(11):
        decay = np.exp(dt[:, t, :, None] * a[None])
        h = decay * h + (dt * v)[:, t, :, None] * b[:, t, None, :]
        outputs.append((h * c[:, t, None, :]).sum(-1))
    found = jax.jit(selective_scan)(v, dt, a, b, c)
    np.testing.assert_allclose(found, np.stack(outputs, 1), rtol=2e-5, atol=2e-5)


def test_the_gradient_of_the_scan_sums_nothing_inside_its_loop():
    """Contractions aside: XLA's sums over a few states or samples are slow on CPUs."""
    v, b, a = jnp.ones((2, 11, 3)), jnp.ones((2, 11, 4)), jnp.ones((3, 4))
    loss = lambda *args: selective_scan(*args).sum()  # noqa: E731
    whole = jax.make_jaxpr(jax.grad(loss, argnums=(0, 1, 2, 3, 4)))(v, v, a, b, b)
    loops = [eqn for eqn in primitives(whole) if eqn.primitive.name == "scan"]
    assert len(loops) == 2
    inside = {eqn.primitive.name for loop in loops for eqn in primitives(loop.params)}
    assert "dot_general" in inside and "reduce_sum" not in inside


def primitives(of):
    """All equations of a jaxpr, or of the jaxprs among parameters, nested ones too."""
    if isinstance(of, dict):
        for value in of.values():
            yield from primitives(value)
    elif hasattr(of, "eqns") or hasattr(of, "jaxpr"):
        for eqn in getattr(of, "jaxpr", of).eqns:
            yield eqn
            yield from primitives(eqn.params)


def test_causal_convolution_is_that_of_flax():
    v = jax.random.normal(KEY, (2, 9, 5))
    flax = nn.Conv(5, (4,), padding="CAUSAL", feature_group_count=5)
    params = jax.jit(flax.init)(KEY, v)
    found = jax.jit(CausalConvolution(4).apply)(params, v)
    np.testing.assert_allclose(found, jax.jit(flax.apply)(params, v), atol=1e-6)
    own = jax.jit(CausalConvolution(4).init)(KEY, v)
    jax.tree.map(np.testing.assert_array_equal, own, params)


def test_parameter_count_of_the_paper():
    shapes = jax.eval_shape(
        DeepOMamba().init, KEY, jnp.zeros((100, 100, 7)), axes(100, 100)
    )
    assert sum(leaf.size for leaf in jax.tree.leaves(shapes)) == 643_940


def test_initial_state_space():
    """A = -(1, ..., 16), D = 1, steps log-uniform in their range."""
    net = DeepOMamba(token_width=32)
    params = jax.jit(net.init)(KEY, jnp.zeros((5, 6, 2)), axes(5, 6))
    block = params["params"]["mamba_0"]
    rates = np.broadcast_to(np.arange(1, 17), (64, 16))
    np.testing.assert_allclose(np.exp(block["a_log"]), rates, rtol=1e-6)
    np.testing.assert_array_equal(block["d"], 1)
    step = jax.nn.softplus(block["step"]["bias"])
    low, high = STEP_RANGE
    assert low * 0.99 < step.min() < 3 * low and high / 3 < step.max() < high * 1.01


def test_future_does_not_reach_the_past_and_batches_agree():
    net = DeepOMamba(token_width=16, num_blocks=2)
    features = jax.random.normal(KEY, (3, 5, 9, 2))
    params, apply = jax.jit(net.init)(KEY, features, axes(5, 9)), jax.jit(net.apply)
    u = apply(params, features, axes(5, 9))
    assert u.shape == (3, 5, 9, 1)
    later = apply(params, features.at[:, :, 6:].add(1.0), axes(5, 9))
    np.testing.assert_array_equal(later[:, :, :6], u[:, :, :6])
    # Every later step feels it, also those beyond the convolution: the state carries.
    assert jnp.abs(later - u)[:, :, 6:].max((0, 1, 3)).min() > 1e-3
    first = apply(params, features.at[:, :, 0].add(1.0), axes(5, 9))
    assert jnp.abs(first - u)[:, :, 8].max() > 1e-6
    single = apply(params, features[1], axes(5, 9))
    np.testing.assert_allclose(single, u[1], atol=1e-5)


def test_every_parameter_has_a_gradient():
    net = DeepOMamba(token_width=16, out_channels=2)
    features = jax.random.normal(KEY, (5, 9, 2))
    params = jax.jit(net.init)(KEY, features, axes(5, 9))
    loss = lambda p: jnp.mean(net.apply(p, features, axes(5, 9)) ** 2)  # noqa: E731
    for path, g in jax.tree.leaves_with_path(jax.jit(jax.grad(loss))(params)):
        assert jnp.mean(g != 0) > 0.9, jax.tree_util.keystr(path)


def test_errors():
    with pytest.raises(ValueError, match="token_width = 0"):
        DeepOMamba(token_width=0)
    with pytest.raises(ValueError, match="space and time"):
        DeepOMamba().init(KEY, jnp.zeros((4, 5, 1)), ())


def test_time_alone_is_one_point_in_space():
    model = DeepOMamba(token_width=4, state_size=2)
    features = jax.random.normal(KEY, (2, 6, 3))
    space, time = axes(1, 6)
    params = jax.jit(model.init)(KEY, features[:, None], (space, time))
    apply = jax.jit(model.apply)
    expected = apply(params, features[:, None], (space, time))[:, 0]
    np.testing.assert_array_equal(apply(params, features, (time,)), expected)
